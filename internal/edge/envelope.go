package edge

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// envelope is the error of the contract. Which fields are there depends on the code.
type envelope struct {
	Success         bool              `json:"success"`
	Error           string            `json:"error"`
	Code            Code              `json:"code"`
	Message         string            `json:"message"`
	Details         map[string]string `json:"details,omitempty"`
	RemainingPoints *int64            `json:"remainingPoints,omitempty"`
	NextReset       string            `json:"nextReset,omitempty"`
}

// WriteError answers with err as the door would: for the handlers of Options.Routes, which cannot return one. An err
// that is not an *Error is a 500 that tells nothing of it.
func WriteError(w http.ResponseWriter, err error) {
	if x, ok := w.(*exchange); ok {
		x.fail(err)
		return
	}
	(&exchange{ResponseWriter: w, id: randomID()}).fail(err)
}

// fail answers with the error. Where the answer has begun there is nothing to be done but to note it.
func (x *exchange) fail(err error) {
	x.err = err
	if x.status != 0 {
		return
	}
	e := asError(err)
	h := x.Header()
	switch e.Code {
	case InvalidAPIKey:
		h.Set("WWW-Authenticate", "Bearer")
	case RateLimited:
		h.Set("Retry-After", seconds(max(e.RetryAfter, time.Second)))
	case ServerError:
		if e.RetryAfter > 0 {
			h.Set("Retry-After", seconds(e.RetryAfter))
		}
	}
	if len(e.Allow) > 0 {
		h.Set("Allow", strings.Join(e.Allow, ", "))
	}
	if e.Window != nil {
		x.window = e.Window
	}
	if err := x.writeJSON(e.Status, newEnvelope(e)); err != nil {
		x.err = errors.Join(x.err, err)
	}
}

func newEnvelope(e *Error) envelope {
	body := envelope{Error: e.Summary, Code: e.Code, Message: e.Message}
	switch e.Code {
	case InvalidRequest:
		body.Details = e.Details
	case InsufficientPoints:
		body.RemainingPoints, body.NextReset = &e.RemainingPoints, e.NextReset.UTC().Format(time.RFC3339)
	case RateLimited:
		body.RemainingPoints = &e.RemainingPoints
	}
	return body
}

// bodies are buffers for answers; those that grew beyond maxKept are not kept.
var bodies = sync.Pool{New: func() any { return new(bytes.Buffer) }}

const maxKept = 16 << 10 // bytes

// writeJSON answers with v. The error is one of making or sending the JSON.
func (x *exchange) writeJSON(status int, v any) error {
	body := bodies.Get().(*bytes.Buffer)
	defer func() {
		if body.Cap() <= maxKept {
			body.Reset()
			bodies.Put(body)
		}
	}()
	enc := json.NewEncoder(body)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return err
	}
	h := x.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Content-Length", strconv.Itoa(body.Len()))
	x.WriteHeader(status)
	_, err := body.WriteTo(x)
	return err
}
