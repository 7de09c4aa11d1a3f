// Package remote carries recognition over HTTP: Handler serves any recognizer, and a Client is one, in front of as many
// engines as its host name has addresses.
//
//	POST /recognize?language=TAG[&enhance=true]   the image -> document.Document in JSON
//	GET  /languages                               {"languages": [...]}
//	GET  /load                                    ocr.Load in JSON
//	GET  /healthz, /readyz                        200, or 503
//
// A failure is {"error": {"kind": "...", "message": "..."}}: "image" and "request" with 400, "busy" with 503 and
// Retry-After, "timeout" with 504, "internal" with 500.
package remote

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"uncial/impl/ocr"
)

// Headers of our own.
const (
	deadlineHeader = "Uncial-Deadline" // of a request: milliseconds that the caller will wait
	loadHeader     = "Uncial-Load"     // of an answer: ocr.Load in JSON
)

// failure is the body of an answer that is none.
type failure struct {
	Error struct {
		Kind    string `json:"kind"`
		Message string `json:"message"`
	} `json:"error"`
}

// kinds is the one table of both sides. The first entry whose sentinel matches counts; the last is the rest.
var kinds = []struct {
	kind   string
	status int
	is     error
}{
	{"busy", http.StatusServiceUnavailable, ocr.ErrBusy},
	{"busy", http.StatusServiceUnavailable, context.Canceled}, // the engine stops: if the caller is still there, others may do it
	{"timeout", http.StatusGatewayTimeout, ocr.ErrTimeout},
	{"timeout", http.StatusGatewayTimeout, context.DeadlineExceeded},
	{"internal", http.StatusInternalServerError, nil},
}

const (
	imageKind   = "image"
	requestKind = "request"
)

// describe says how an error travels.
func describe(err error) (status int, f failure) {
	if fault := (*ocr.ImageError)(nil); errors.As(err, &fault) {
		f.Error.Kind, f.Error.Message = imageKind, fault.Reason
		return http.StatusBadRequest, f
	}
	for _, k := range kinds {
		if k.is != nil && errors.Is(err, k.is) {
			f.Error.Kind, f.Error.Message = k.kind, k.is.Error()
			return k.status, f
		}
	}
	f.Error.Kind, f.Error.Message = "internal", "the engine failed"
	return http.StatusInternalServerError, f
}

// restore is the error that travelled. The image's fault is for the caller's eyes, the rest for the log.
func (f failure) restore() error {
	switch f.Error.Kind {
	case imageKind:
		return &ocr.ImageError{Reason: f.Error.Message}
	case requestKind:
		return fmt.Errorf("the engine refused the request: %s", f.Error.Message)
	}
	for _, k := range kinds {
		if k.kind == f.Error.Kind && k.is != nil {
			return k.is
		}
	}
	return errors.New("the engine met an internal error")
}

// setDeadline tells the other side how long ctx will last.
func setDeadline(h http.Header, ctx context.Context) { //nolint:revive // the header is what is changed
	if end, ok := ctx.Deadline(); ok {
		h.Set(deadlineHeader, strconv.FormatInt(max(1, time.Until(end).Milliseconds()), 10))
	}
}

// withDeadline ends ctx when the other side will.
func withDeadline(ctx context.Context, h http.Header) (context.Context, context.CancelFunc, error) {
	value := h.Get(deadlineHeader)
	if value == "" {
		ctx, cancel := context.WithCancel(ctx)
		return ctx, cancel, nil
	}
	ms, err := strconv.ParseUint(value, 10, 31)
	if err != nil || ms == 0 {
		return nil, nil, fmt.Errorf("%s: want milliseconds, at least 1", deadlineHeader)
	}
	ctx, cancel := context.WithTimeout(ctx, time.Duration(ms)*time.Millisecond)
	return ctx, cancel, nil
}

func setLoad(h http.Header, l ocr.Load) {
	if text, err := json.Marshal(l); err == nil {
		h.Set(loadHeader, string(text))
	}
}

func getLoad(h http.Header) (l ocr.Load, ok bool) {
	text := h.Get(loadHeader)
	return l, text != "" && json.Unmarshal([]byte(text), &l) == nil
}
