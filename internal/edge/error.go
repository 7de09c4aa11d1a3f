package edge

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"
)

// Code is the code of an error, which also decides its status.
type Code string

// The codes of the contract.
const (
	InvalidRequest     Code = "INVALID_REQUEST"     // 400; 404 and 405 for paths and methods
	InvalidAPIKey      Code = "INVALID_API_KEY"     // 401
	InsufficientPoints Code = "INSUFFICIENT_POINTS" // 402
	RateLimited        Code = "RATE_LIMITED"        // 429
	ServerError        Code = "SERVER_ERROR"        // 500
)

// Error is a failure as the contract knows it. Both servers return it, and the door alone turns it into the answer's
// envelope. What it carries is for the caller's eyes; the cause, kept by Unwrap, only ever reaches the log.
type Error struct {
	Code    Code
	Summary string            // for people; "" is the sentence of the code
	Message string            // technical, never empty, never internal
	Details map[string]string // field -> what is wrong and what would be right; InvalidRequest only, then never empty

	RemainingPoints int64         // InsufficientPoints, RateLimited
	NextReset       time.Time     // InsufficientPoints
	RetryAfter      time.Duration // RateLimited: until the window resets. ServerError: 0 leaves the header out

	Cause error // nil, or what the log should say

	window *Window  // what the headers report instead of the window that was counted; nil is that one
	status int      // 0 is the status of the code
	allow  []string // the methods of a 405
}

func (e *Error) Error() string {
	if e.Cause != nil {
		return fmt.Sprintf("%s: %s: %v", e.Code, e.Message, e.Cause)
	}
	return fmt.Sprintf("%s: %s", e.Code, e.Message)
}

// Unwrap is the cause.
func (e *Error) Unwrap() error { return e.Cause }

// Invalid is a 400 whose details name each field at fault and say what would be right. It needs at least one.
func Invalid(details map[string]string) *Error {
	faults := make([]string, 0, len(details))
	for _, field := range slices.Sorted(maps.Keys(details)) {
		faults = append(faults, field+": "+details[field])
	}
	return &Error{Code: InvalidRequest, Message: strings.Join(faults, "; "), Details: details}
}

// NotFound is a 404: there is nothing at the path.
func NotFound() *Error {
	e := Invalid(map[string]string{"path": "is not one of this service; /openapi.yaml lists what there is"})
	e.Summary, e.status = "There is nothing at this address.", http.StatusNotFound
	return e
}

// MethodNotAllowed is a 405 that names the methods which the path allows, of which there must be one.
func MethodNotAllowed(allow ...string) *Error {
	e := Invalid(map[string]string{"method": "must be " + strings.Join(allow, " or ")})
	e.Summary, e.status, e.allow = "The method is not allowed at this address.", http.StatusMethodNotAllowed, allow
	return e
}

// BadImage is a 400: the image cannot be fetched or read. The reason says what is wrong and what would be right.
func BadImage(reason string) *Error {
	e := Invalid(map[string]string{"imageUrl": reason})
	e.Summary = "The image could not be read."
	return e
}

// KeyReused is a 400: the Idempotency-Key came with another request before.
func KeyReused() *Error {
	return Invalid(map[string]string{
		"Idempotency-Key": "came with another request within the last 24 hours; repeat that request exactly, or use a new key",
	})
}

// Unauthorized is a 401. It says the same whatever is wrong with the key.
func Unauthorized(cause error) *Error {
	return &Error{
		Code:    InvalidAPIKey,
		Message: `the key is missing, unknown, expired or revoked; send "Authorization: Bearer <API key>"`,
		Cause:   cause,
	}
}

// Insufficient is a 402: an extraction costs more points than are left until nextReset.
func Insufficient(cost, remaining int64, nextReset time.Time) *Error {
	return &Error{
		Code:            InsufficientPoints,
		Message:         fmt.Sprintf("an extraction costs %d points and %d are left; upgrade the plan or wait for the reset", cost, remaining),
		RemainingPoints: remaining,
		NextReset:       nextReset.UTC(),
	}
}

// Limited is a 429: the window is used up. The answer's headers report w.
func Limited(w Window, remainingPoints int64) *Error {
	wait := w.RetryAfter()
	return &Error{
		Code:            RateLimited,
		Message:         fmt.Sprintf("%d requests a minute are allowed; try again in %d seconds", w.Limit, wait/time.Second),
		RemainingPoints: remainingPoints,
		RetryAfter:      wait,
		window:          &w,
	}
}

// Internal is a 500 that tells the caller nothing of the cause.
func Internal(cause error) *Error {
	return &Error{
		Code:    ServerError,
		Message: "an internal error occurred; name the X-Request-Id when asking for support",
		Cause:   cause,
	}
}

// Overloaded is a 500 with Retry-After: the service is only short of capacity.
func Overloaded(retryAfter time.Duration, cause error) *Error {
	return &Error{
		Code:       ServerError,
		Message:    "the service is busy; try again later",
		RetryAfter: retryAfter,
		Cause:      cause,
	}
}

// unready is a 503 for the probe of an orchestrator: the service cannot work at present.
func unready(cause error) *Error {
	return &Error{
		Code:       ServerError,
		Summary:    "The service is not ready.",
		Message:    "the service is starting, stopping or short of something that it needs",
		RetryAfter: time.Second,
		Cause:      cause,
		status:     http.StatusServiceUnavailable,
	}
}
