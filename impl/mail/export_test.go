package mail

// Errors of options and messages.
var (
	ErrFull = errFull
	ErrTo   = errTo
	ErrURL  = errURL
)
