package edge

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"net/http"
	"runtime/debug"
	"strconv"
	"time"

	"uncial/internal/contract"
)

// exchange is one request and its answer. As the http.ResponseWriter of everything inside the front end it sets the headers
// that all answers have, so that no handler has to.
type exchange struct {
	http.ResponseWriter
	id        string
	started   time.Time
	route     string           // path of the endpoint, "" if there is none for path and method
	principal Principal        // zero before authentication
	window    *contract.Window // nil until known
	status    int              // 0 until the header is sent
	bytes     int64            // of the body, as sent
	err       error            // the error in the answer, for the log
}

func newExchange(w http.ResponseWriter, id string) *exchange {
	return &exchange{ResponseWriter: w, id: id, started: time.Now()}
}

// exchangeOf returns the exchange that w is or wraps, or a new one if w does not come from this package.
func exchangeOf(w http.ResponseWriter) *exchange {
	for inner := w; ; {
		switch wrapper := inner.(type) {
		case *exchange:
			return wrapper
		case interface{ Unwrap() http.ResponseWriter }:
			inner = wrapper.Unwrap()
		default:
			return newExchange(w, rand.Text())
		}
	}
}

const maxRequestID = 128 // characters

// isRequestID reports whether the id is safe to repeat in a header and a log: visible ASCII characters, not too many.
func isRequestID(id string) bool {
	for i := range len(id) {
		if id[i] < '!' || id[i] > '~' {
			return false
		}
	}
	return id != "" && len(id) <= maxRequestID
}

// requestID returns the id that the request brings, so that one id follows a call through many services, or a new one.
func (h *handler) requestID(r *http.Request) string {
	if ids := r.Header.Values("X-Request-Id"); len(ids) == 1 && isRequestID(ids[0]) {
		return ids[0]
	}
	return h.RequestID(r)
}

// caller returns the identity for the server. The window must be known.
func (x *exchange) caller() Caller {
	return Caller{Principal: x.principal, RequestID: x.id, Window: *x.window}
}

// WriteHeader adds the headers of every answer. Their names have the form that http.Header uses as keys.
func (x *exchange) WriteHeader(status int) {
	if x.status != 0 {
		return
	}
	h := x.Header()
	var values [5]string // one allocation for all headers
	set := func(i int, name, value string) {
		values[i] = value
		h[name] = values[i : i+1 : i+1]
	}
	set(0, "X-Request-Id", x.id)
	set(1, "Cache-Control", "no-store")
	set(2, "Link", `</openapi.yaml>; rel="service-desc"`)
	if x.window != nil && status != http.StatusUnauthorized {
		left, wait, limit := x.window.Remaining, int64(x.window.RetryAfter()/time.Second), x.window.Limit
		set(3, "Ratelimit", rateLimitItem(";r=", left, ";t=", wait))
		set(4, "Ratelimit-Policy", rateLimitItem(";q=", limit, ";w=", int64(contract.WindowLength/time.Second)))
	}
	if status >= http.StatusOK {
		x.status = status
	}
	x.ResponseWriter.WriteHeader(status)
}

// rateLimitItem returns the value of a RateLimit header: the item "account" with two parameters.
func rateLimitItem(first string, a int64, second string, b int64) string {
	var buffer [64]byte // on the stack
	text := strconv.AppendInt(append(append(buffer[:0], `"account"`...), first...), a, 10)
	return string(strconv.AppendInt(append(text, second...), b, 10))
}

// Write implements http.ResponseWriter, and counts the bytes sent.
func (x *exchange) Write(p []byte) (int, error) {
	x.WriteHeader(http.StatusOK)
	n, err := x.ResponseWriter.Write(p) //nolint:gosec // G705: p is JSON, or a page of html/template, which escapes
	x.bytes += int64(n)
	return n, err
}

// Unwrap lets http.ResponseController reach the connection.
func (x *exchange) Unwrap() http.ResponseWriter { return x.ResponseWriter }

// statusGone is the status, in the log and in the metrics, of an answer whose client did not wait for it. It is never sent.
// Common proxies log the same status.
const statusGone = 499

var errLeft = errors.New("the client left before the answer")

// noteDeparture changes the status of an answer that failed only because the client had left.
func (x *exchange) noteDeparture(r *http.Request) {
	if x.status >= http.StatusInternalServerError && r.Context().Err() != nil && errors.Is(x.err, context.Canceled) {
		x.status, x.err = statusGone, errLeft
	}
}

// finish ends the exchange: a panic becomes a 500 or, if the answer has begun, cuts the connection, and the log gets its
// line. It must be deferred directly, because it recovers.
func (h *handler) finish(x *exchange, r *http.Request) {
	cause := recover()
	err, _ := cause.(error)
	deliberate := errors.Is(err, http.ErrAbortHandler)
	abort := cause != nil && (x.status != 0 || deliberate)
	if cause != nil && !deliberate {
		h.Logger.LogAttrs(r.Context(), slog.LevelError, "panic",
			slog.String("request_id", x.id), slog.Any("panic", cause), slog.String("stack", string(debug.Stack())))
		if !abort {
			x.fail(errors.New("panic"))
		}
	}
	x.noteDeparture(r)
	h.log(x, r)
	if h.Answered != nil {
		h.Answered(x.route, x.status)
	}
	if abort {
		panic(http.ErrAbortHandler)
	}
}
