package contract

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// Code is the code of an error in an answer, for programs.
type Code string

// Each goes with the HTTP status in byCode, unless Error.Status names another one: a 404 has InvalidRequest, a 503 ServerError.
const (
	InvalidRequest     Code = "INVALID_REQUEST"
	InvalidAPIKey      Code = "INVALID_API_KEY"
	InsufficientPoints Code = "INSUFFICIENT_POINTS"
	RateLimited        Code = "RATE_LIMITED"
	ServerError        Code = "SERVER_ERROR"
)

// byCode has the HTTP status and the summary of an error that sets none of its own.
var byCode = map[Code]struct {
	status  int
	summary string
}{
	InvalidRequest:     {400, "The request is not valid."},
	InvalidAPIKey:      {401, "The API key is not valid."},
	InsufficientPoints: {402, "Not enough points for this extraction."},
	RateLimited:        {429, "Too many requests."},
	ServerError:        {500, "The service could not complete the request."},
}

// Error is a failure as a client sees it. Both servers return it; internal/edge writes it as JSON. Everything in it is
// for the client except Cause, which only the log gets.
type Error struct {
	Code    Code
	Status  int               // HTTP status; 0 stands for the status of Code
	Summary string            // the field "error": a sentence for people; "" stands for the sentence of Code
	Message string            // the field "message": technical, never empty, nothing internal
	Details map[string]string // field -> what is wrong and what is expected; for InvalidRequest, which needs at least one

	Fetch           *FetchFailure // InvalidRequest; nil unless an image could not be fetched
	RemainingPoints int64         // InsufficientPoints and RateLimited
	NextReset       time.Time     // InsufficientPoints
	LimitedBy       Limit         // InsufficientPoints
	RetryAfter      time.Duration // RateLimited and ServerError; 0 sends no Retry-After with a ServerError
	IsOverload      bool          // ServerError; the cause is only that the server has no capacity left
	Allow           []string      // methods of a 405
	Window          *Window       // what the rate-limit headers report; nil stands for the window that was counted

	Cause error // may be nil
}

func (e *Error) Error() string {
	if e.Cause != nil {
		return fmt.Sprintf("%s: %s: %v", e.Code, e.Message, e.Cause)
	}
	return fmt.Sprintf("%s: %s", e.Code, e.Message)
}

func (e *Error) Unwrap() error { return e.Cause }

// AsError returns the *Error in the chain of err, with status and summary filled in. It returns Internal(err) if there is
// none, or if it breaks the contract: an unknown code, or an InvalidRequest without details.
func AsError(err error) *Error {
	e, ok := errors.AsType[*Error](err)
	if !ok || byCode[e.Code].status == 0 || e.Code == InvalidRequest && len(e.Details) == 0 {
		e = Internal(err)
	}
	complete := *e
	complete.Status = cmp.Or(e.Status, byCode[e.Code].status)
	complete.Summary = cmp.Or(e.Summary, byCode[e.Code].summary)
	complete.Message = cmp.Or(e.Message, complete.Summary)
	return &complete
}

// Invalid is a 400. Details must have at least one entry: field -> what is wrong and what is expected. The texts about fields
// are in internal/request.
func Invalid(details map[string]string) *Error {
	problems := make([]string, 0, len(details))
	for _, field := range slices.Sorted(maps.Keys(details)) {
		problems = append(problems, field+": "+details[field])
	}
	return &Error{Code: InvalidRequest, Message: strings.Join(problems, "; "), Details: details}
}

// NotFound is a 404 for a path that does not exist.
func NotFound() *Error {
	e := Invalid(map[string]string{"path": "no such path; see /docs or /openapi.yaml"})
	e.Status, e.Summary = 404, "Not found."
	return e
}

// MethodNotAllowed is a 405. allow lists the methods of the path; it must not be empty.
func MethodNotAllowed(allow ...string) *Error {
	e := Invalid(map[string]string{"method": "must be " + strings.Join(allow, " or ")})
	e.Status, e.Summary, e.Allow = 405, "Method not allowed.", allow
	return e
}

// BadImage is a 400 for an image that cannot be fetched or read. The reason says what is wrong and what is expected; its texts
// are in impl/fetch, package imagefile and impl/ocr.
func BadImage(reason string) *Error {
	e := Invalid(map[string]string{"imageUrl": reason})
	e.Summary = "The image could not be fetched or read."
	return e
}

// IdempotencyKeyReused is a 400 for an Idempotency-Key that was used with a different request before.
func IdempotencyKeyReused() *Error {
	return Invalid(map[string]string{
		"Idempotency-Key": "already used with a different request; repeat that request exactly or use a new Idempotency-Key",
	})
}

// Unauthorized is a 401. Its text does not depend on what is wrong with the key, so that guessing reveals nothing.
func Unauthorized(cause error) *Error {
	return &Error{
		Code:    InvalidAPIKey,
		Message: `the API key is missing, unknown, expired or revoked, its account is suspended, or it is used from outside its IP ranges; send "Authorization: Bearer <API key>"`,
		Cause:   cause,
	}
}

// Insufficient is a 402: fewer than Price points remain until nextReset under the limit.
func Insufficient(remaining int64, nextReset time.Time, limit Limit) *Error {
	advice := "; upgrade the plan or wait for the reset"
	if limit == LimitedByKey {
		advice = " under the monthly cap of the key; raise the cap or wait for the reset"
	}
	return &Error{
		Code:            InsufficientPoints,
		Message:         fmt.Sprintf("an extraction costs %d points; %d remaining%s", Price, remaining, advice),
		RemainingPoints: remaining,
		NextReset:       nextReset.UTC(),
		LimitedBy:       limit,
	}
}

// Limited is a 429: the rate-limit window is used up.
func Limited(w Window, remainingPoints int64) *Error {
	wait := w.RetryAfter()
	seconds := fmt.Sprintf("%d seconds", wait/time.Second)
	if wait == time.Second {
		seconds = "1 second"
	}
	return &Error{
		Code:            RateLimited,
		Message:         fmt.Sprintf("the limit is %d extractions per minute; try again in %s", w.Limit, seconds),
		RemainingPoints: remainingPoints,
		RetryAfter:      wait,
		Window:          &w,
	}
}

// Internal is a 500 that tells the client nothing about the cause.
func Internal(cause error) *Error {
	return &Error{
		Code:    ServerError,
		Message: "internal error; quote the X-Request-Id when you contact support",
		Cause:   cause,
	}
}

// TooSlow is a 500 for an image that was not read before the deadline.
func TooSlow(cause error) *Error {
	e := Internal(cause)
	e.Message = "reading the image took too long; try a smaller image or fewer pages"
	return e
}

// Overloaded is a 500 with Retry-After: the server has no capacity left at the moment.
func Overloaded(retryAfter time.Duration, cause error) *Error {
	return &Error{
		Code:       ServerError,
		Message:    "the service is busy; try again later",
		RetryAfter: retryAfter,
		IsOverload: true,
		Cause:      cause,
	}
}

// Offline is a 500 with Retry-After: this server's own network fails, so that no image can be fetched.
func Offline(retryAfter time.Duration, cause error) *Error {
	return &Error{
		Code:       ServerError,
		Message:    "the service has no working network connection at the moment; try again later",
		RetryAfter: retryAfter,
		Cause:      cause,
	}
}

// Unready is a 503 for the readiness probe of an orchestrator; the two operations never return it.
func Unready(cause error) *Error {
	return &Error{
		Code:       ServerError,
		Status:     503,
		Summary:    "The service is not ready.",
		Message:    "the service is starting, shutting down or waiting for a dependency",
		RetryAfter: time.Second,
		Cause:      cause,
	}
}
