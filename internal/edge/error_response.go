package edge

import (
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"uncial/gen"
	"uncial/internal/contract"
)

// errorBody is the JSON of an error. Which fields it has depends on the code.
type errorBody struct {
	Success         bool              `json:"success"`
	Error           string            `json:"error"`
	Code            contract.Code     `json:"code"`
	Message         string            `json:"message"`
	Details         map[string]string `json:"details,omitempty"`
	Fetch           *fetchFailure     `json:"fetch,omitempty"`
	RemainingPoints *int64            `json:"remainingPoints,omitempty"`
	NextReset       string            `json:"nextReset,omitempty"`
	LimitedBy       contract.Limit    `json:"limitedBy,omitempty"`
}

// fetchFailure is the JSON of a contract.FetchFailure.
type fetchFailure struct {
	Reason     contract.FetchReason `json:"reason"`
	Retryable  bool                 `json:"retryable"`
	RetryAfter int64                `json:"retryAfter,omitempty"`
}

// newErrorBody fills in the fields that openapi.yaml documents for the code, and no others.
func newErrorBody(e *contract.Error) errorBody {
	body := errorBody{Error: e.Summary, Code: e.Code, Message: e.Message}
	switch e.Code {
	case contract.InvalidRequest:
		body.Details = e.Details
		if f := e.Fetch; f != nil {
			body.Fetch = &fetchFailure{f.Reason, f.Reason.IsRetryable(), seconds(f.RetryAfter)}
		}
	case contract.InsufficientPoints:
		body.RemainingPoints, body.NextReset = &e.RemainingPoints, e.NextReset.UTC().Format(time.RFC3339)
		body.LimitedBy = e.LimitedBy
	case contract.RateLimited:
		body.RemainingPoints = &e.RemainingPoints
	}
	return body
}

// WriteError answers with err, as the front end does for its own errors. An err that is not a *contract.Error is a 500 that
// tells the client nothing about it. w may come from outside the front end.
func WriteError(w http.ResponseWriter, err error) { exchangeOf(w).fail(err) }

// fail answers with the error. If the answer has begun, it only keeps the error for the log.
func (x *exchange) fail(err error) {
	x.err = err
	if x.status != 0 {
		return
	}
	e := contract.AsError(err)
	h := x.Header()
	switch e.Code {
	case contract.InvalidAPIKey:
		h.Set("WWW-Authenticate", "Bearer")
	case contract.RateLimited:
		h.Set("Retry-After", wholeSeconds(max(e.RetryAfter, time.Second)))
	case contract.ServerError:
		if e.RetryAfter > 0 {
			h.Set("Retry-After", wholeSeconds(e.RetryAfter))
		}
	}
	if len(e.Allow) > 0 {
		h.Set("Allow", strings.Join(e.Allow, ", "))
	}
	if e.Window != nil {
		x.window = e.Window
	}
	if err := gen.WriteJSON(x, e.Status, newErrorBody(e)); err != nil {
		x.err = errors.Join(x.err, err)
	}
}

// wholeSeconds returns d rounded up to seconds.
func wholeSeconds(d time.Duration) string { return strconv.FormatInt(seconds(d), 10) }

// seconds returns d in seconds, rounded up.
func seconds(d time.Duration) int64 { return int64((d + time.Second - 1) / time.Second) }
