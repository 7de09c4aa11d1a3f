package edge

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"net/http"
	"regexp"
	"runtime/debug"
	"strconv"
	"strings"
	"time"
)

// exchange is one request and its answer on the way through the door. As the http.ResponseWriter of everything inside
// it sets the headers that all answers have, so that no server has to.
type exchange struct {
	http.ResponseWriter
	id        string
	started   time.Time
	route     string    // the pattern, or "" where there is none
	principal Principal // zero until authenticated
	window    *Window   // nil until known
	status    int       // 0 until the headers are sent
	bytes     int64     // of the body, as sent
	err       error     // what the answer was made of, or nil
}

func newExchange(w http.ResponseWriter, id string) *exchange {
	return &exchange{ResponseWriter: w, id: id, started: time.Now()}
}

// usableID tells whether an X-Request-Id can be taken over: 1 to 128 visible ASCII characters.
func usableID(id string) bool {
	for i := range len(id) {
		if id[i] < '!' || id[i] > '~' {
			return false
		}
	}
	return id != "" && len(id) <= 128
}

// requestID is the id that the request brings, so that one id follows a call through many services, or a new one.
func (d *door) requestID(r *http.Request) string {
	if ids := r.Header.Values("X-Request-Id"); len(ids) == 1 && usableID(ids[0]) {
		return ids[0]
	}
	return d.RequestID(r)
}

func randomID() string { return rand.Text() }

func (x *exchange) caller() Caller {
	c := Caller{Principal: x.principal, RequestID: x.id}
	if x.window != nil {
		c.Window = *x.window
	}
	return c
}

// WriteHeader adds the headers of every answer. Their names stand in the form in which http.Header keeps them.
func (x *exchange) WriteHeader(status int) {
	if x.status != 0 {
		return
	}
	h := x.Header()
	h.Set("X-Request-Id", x.id)
	h.Set("Cache-Control", "no-store")
	h.Set("Link", `</openapi.yaml>; rel="service-desc"`)
	if x.window != nil && status != http.StatusUnauthorized {
		left, wait, limit := x.window.Remaining, int64(x.window.RetryAfter()/time.Second), x.window.Limit
		h.Set("Ratelimit", `"account";r=`+strconv.FormatInt(left, 10)+";t="+strconv.FormatInt(wait, 10))
		h.Set("Ratelimit-Policy", `"account";q=`+strconv.FormatInt(limit, 10)+";w=60")
	} else {
		h.Del("Ratelimit")
		h.Del("Ratelimit-Policy")
	}
	if status >= http.StatusOK {
		x.status = status
	}
	x.ResponseWriter.WriteHeader(status)
}

func (x *exchange) Write(p []byte) (int, error) {
	x.WriteHeader(http.StatusOK)
	n, err := x.ResponseWriter.Write(p)
	x.bytes += int64(n)
	return n, err
}

// Unwrap lets http.ResponseController reach the connection.
func (x *exchange) Unwrap() http.ResponseWriter { return x.ResponseWriter }

// finish ends the exchange: a panic becomes a 500, or, where the answer has begun, cuts the connection, and the log
// gets its line.
func (d *door) finish(x *exchange, r *http.Request) {
	cause := recover()
	err, _ := cause.(error)
	wanted := errors.Is(err, http.ErrAbortHandler)
	abort := cause != nil && (x.status != 0 || wanted)
	if cause != nil && !wanted {
		d.Logger.LogAttrs(r.Context(), slog.LevelError, "panic",
			slog.String("request_id", x.id), slog.Any("panic", cause), slog.String("stack", string(debug.Stack())))
		if !abort {
			x.fail(errors.New("panic"))
		}
	}
	d.log(x, r)
	if d.Answered != nil {
		d.Answered(x.route, x.status)
	}
	if abort {
		panic(http.ErrAbortHandler)
	}
}

func (d *door) log(x *exchange, r *http.Request) {
	level := x.level(r.Context())
	if !d.Logger.Enabled(r.Context(), level) {
		return
	}
	attrs := []slog.Attr{
		slog.String("request_id", x.id), slog.String("method", r.Method), slog.String("route", x.route),
		slog.Int("status", x.status), slog.Int64("bytes", x.bytes), slog.Duration("duration", time.Since(x.started)),
	}
	if x.principal != (Principal{}) {
		attrs = append(attrs, slog.String("account", x.principal.AccountID), slog.String("key", x.principal.KeyID))
	}
	if x.route == "" {
		attrs = append(attrs, slog.String("path", short(r.URL.Path)))
	}
	if x.err != nil {
		attrs = append(attrs, slog.String("error", redact(x.err.Error())))
	}
	d.Logger.LogAttrs(r.Context(), level, "request", attrs...)
}

// level is Error for what needs someone's attention, which a client that went away does not, and Debug for the probes
// that come every few seconds.
func (x *exchange) level(ctx context.Context) slog.Level {
	switch {
	case x.status >= http.StatusInternalServerError && (ctx.Err() == nil || !errors.Is(x.err, context.Canceled)):
		return slog.LevelError
	case x.status < http.StatusBadRequest && (x.route == healthPath || x.route == readyPath):
		return slog.LevelDebug
	default:
		return slog.LevelInfo
	}
}

var (
	urlUser    = regexp.MustCompile(`(?i)(https?://)[^\s/?#"@]*@`)
	urlQuery   = regexp.MustCompile(`(?i)(https?://[^\s?#"]*)[?#][^\s"]*`)
	urlPayload = regexp.MustCompile(`(?i)data:[^\s"]*`)
)

const maxLogged = 2048 // bytes of an error's text

// redact takes out of an error's text what may be private in the URLs in it: queries, passwords and inline images.
func redact(text string) string {
	if len(text) > maxLogged { // at a blank, so that no URL is cut where its private part is no longer seen as one
		text = text[:max(0, strings.LastIndexByte(text[:maxLogged], ' '))] + "..."
	}
	text = urlUser.ReplaceAllString(text, "$1")
	text = urlQuery.ReplaceAllString(text, "$1?...")
	return urlPayload.ReplaceAllString(text, "data:...")
}

// seconds is d in whole seconds, rounded up.
func seconds(d time.Duration) string {
	return strconv.FormatInt(int64((d+time.Second-1)/time.Second), 10)
}
