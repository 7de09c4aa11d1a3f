package account

// Internals that tests need.
var (
	NewToken     = newToken // makes a key without storing it
	IsWellFormed = isWellFormed
)

// PlanName is the pattern of a plan's name.
var PlanName = planName.String()
