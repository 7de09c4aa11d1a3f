// Package remote provides recognition over HTTP: Handler (handler.go) serves any recognizer, and Client (client.go) is a
// recognizer that distributes images among all the engines behind one host name. There is no authentication, so only the
// service must be able to reach an engine. The package does not read images itself. Start with Client.Recognize.
//
//	POST /recognize?language=TAG[&enhance=true][&preview=true][&picture=true]   image -> document.Document in JSON
//	GET  /languages                               {"languages": [...]}
//	GET  /load                                    ocr.Load in JSON
//	GET  /healthz, /readyz                        200, or 503
//
// An error is {"error": {"kind": "...", "message": "..."}}: kinds "image" and "request" with 400, "busy" with 503 and
// Retry-After, "timeout" with 504, "internal" with 500. This file translates between these and the errors of package ocr.
package remote

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"uncial/impl/ocr"
	"uncial/internal/fair"
)

// Headers of this protocol.
const (
	deadlineHeader = "Uncial-Deadline" // of a request: how long the caller will wait, in milliseconds
	accountHeader  = "Uncial-Account"  // of a request: label and weight of a fair.Account, such as "3f5a...;weight=2"
	loadHeader     = "Uncial-Load"     // of an answer: ocr.Load in JSON
)

// deadlineMargin is longer than timers that end at the same moment on two busy machines differ.
const deadlineMargin = 50 * time.Millisecond

// failure is the body of an error.
type failure struct {
	Error struct {
		Kind    string `json:"kind"`
		Message string `json:"message"`
	} `json:"error"`
}

// kinds maps errors to kinds and statuses, for both sides. The first match counts; see also imageKind and requestKind.
var kinds = []struct {
	kind   string
	status int
	is     error
}{
	{"busy", http.StatusServiceUnavailable, ocr.ErrBusy},
	{"busy", http.StatusServiceUnavailable, context.Canceled}, // the engine shuts down: another one may read the image
	{"timeout", http.StatusGatewayTimeout, ocr.ErrTimeout},
	{"timeout", http.StatusGatewayTimeout, context.DeadlineExceeded},
}

// The two kinds that are not in kinds, because their messages vary.
const (
	imageKind   = "image"
	requestKind = "request"
)

// failureOf returns the status and the body for an error. Details of internal errors are only logged, not sent.
func failureOf(err error) (status int, f failure) {
	if invalid := (*ocr.ImageError)(nil); errors.As(err, &invalid) {
		f.Error.Kind, f.Error.Message = imageKind, invalid.Reason
		return http.StatusBadRequest, f
	}
	for _, k := range kinds {
		if errors.Is(err, k.is) {
			f.Error.Kind, f.Error.Message = k.kind, k.is.Error()
			return k.status, f
		}
	}
	f.Error.Kind, f.Error.Message = "internal", "the engine failed"
	return http.StatusInternalServerError, f
}

// toError is the inverse of failureOf. An ImageError is shown to the caller; any other error is for the log.
func (f failure) toError() error {
	switch f.Error.Kind {
	case imageKind:
		return &ocr.ImageError{Reason: f.Error.Message}
	case requestKind:
		return fmt.Errorf("the engine refused the request: %s", f.Error.Message)
	}
	for _, k := range kinds {
		if k.kind == f.Error.Kind {
			return k.is
		}
	}
	return errors.New("the engine reported an internal error")
}

// setDeadline sends the time that is left until the deadline of ctx. It sends a duration, because the clocks of the two
// machines may differ. It adds deadlineMargin, so that the engine does not give up before the caller.
func setDeadline(h http.Header, ctx context.Context) { //nolint:revive // the header is what is changed
	if end, ok := ctx.Deadline(); ok {
		h.Set(deadlineHeader, strconv.FormatInt((max(0, time.Until(end))+deadlineMargin).Milliseconds(), 10))
	}
}

// withDeadline applies the deadline in the header, if there is one.
func withDeadline(ctx context.Context, h http.Header) (context.Context, context.CancelFunc, error) {
	value := h.Get(deadlineHeader)
	if value == "" {
		ctx, cancel := context.WithCancel(ctx)
		return ctx, cancel, nil
	}
	ms, err := strconv.ParseUint(value, 10, 31)
	if err != nil || ms == 0 {
		return nil, nil, fmt.Errorf("%s: expected a number of milliseconds, at least 1", deadlineHeader)
	}
	ctx, cancel := context.WithTimeout(ctx, time.Duration(ms)*time.Millisecond)
	return ctx, cancel, nil
}

const (
	labelBytes = 16  // of the digest that identifies an account
	maxLabel   = 64  // maximum characters of a label
	maxWeight  = 100 // maximum weight of an account
)

// setAccount sends the account of ctx as a digest of its label: an engine needs to distinguish accounts, not to know them. The
// digest is the same on all replicas.
func setAccount(h http.Header, ctx context.Context) { //nolint:revive // the header is what is changed
	if a := fair.FromContext(ctx); a.Label != "" {
		digest := sha256.Sum256([]byte("uncial account " + a.Label))
		h.Set(accountHeader, hex.EncodeToString(digest[:labelBytes])+";weight="+strconv.Itoa(max(a.Weight, 1)))
	}
}

// withAccount returns a context with the account in the header, if there is one.
func withAccount(ctx context.Context, h http.Header) (context.Context, error) {
	value := h.Get(accountHeader)
	if value == "" {
		return ctx, nil
	}
	label, text, _ := strings.Cut(value, ";weight=")
	weight, err := strconv.Atoi(text)
	if err != nil || weight < 1 || weight > maxWeight || label == "" || len(label) > maxLabel {
		return nil, fmt.Errorf("%s: expected a label of 1 to %d characters and a weight of 1 to %d, such as 3f5a;weight=2", accountHeader, maxLabel, maxWeight)
	}
	return fair.NewContext(ctx, fair.Account{Label: label, Weight: weight}), nil
}

// setLoad adds the load to the header of an answer, so that clients need not request it separately.
func setLoad(h http.Header, l ocr.Load) {
	if text, err := json.Marshal(l); err == nil {
		h.Set(loadHeader, string(text))
	}
}

// getLoad returns the load in the header, and whether it is present and valid.
func getLoad(h http.Header) (l ocr.Load, ok bool) {
	text := h.Get(loadHeader)
	return l, text != "" && json.Unmarshal([]byte(text), &l) == nil
}
