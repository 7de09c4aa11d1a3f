package account

// Internals that tests need.
var (
	NewToken     = newToken // makes a key without storing it
	IsWellFormed = isWellFormed
)

// PlanName is the pattern of a plan's name.
var PlanName = planName.String()

// Refusals of Authenticate and of invalid options.
var (
	ErrExpired    = errExpired
	ErrExpires    = errExpires
	ErrOutOfRange = errOutOfRange
	ErrOverlap    = errOverlap
	ErrSecret     = errSecret
	ErrSuspended  = errSuspended
	ErrUnknown    = errUnknown
)
