package edge

import (
	"time"

	rules "uncial/internal/contract"
)

// Errors and windows are those of the contract.
type (
	Error  = rules.Error
	Code   = rules.Code
	Window = rules.Window
)

// The codes of the contract.
const (
	InvalidRequest     = rules.InvalidRequest
	InvalidAPIKey      = rules.InvalidAPIKey
	InsufficientPoints = rules.InsufficientPoints
	RateLimited        = rules.RateLimited
	ServerError        = rules.ServerError
)

// The errors of the contract.
var (
	Invalid          = rules.Invalid
	NotFound         = rules.NotFound
	MethodNotAllowed = rules.MethodNotAllowed
	BadImage         = rules.BadImage
	KeyReused        = rules.KeyReused
	Unauthorized     = rules.Unauthorized
	Limited          = rules.Limited
	Internal         = rules.Internal
	Overloaded       = rules.Overloaded
)

// Insufficient is contract.Insufficient.
func Insufficient(_, remaining int64, nextReset time.Time) *Error {
	return rules.Insufficient(remaining, nextReset)
}
