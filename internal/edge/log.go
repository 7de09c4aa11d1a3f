package edge

import (
	"log/slog"
	"net/http"
	"regexp"
	"strings"
	"time"

	"uncial/internal/contract"
	"uncial/internal/request"
)

// log writes one line about an exchange that has ended. It names the path only if no route matched; see redact for errors.
func (h *handler) log(x *exchange, r *http.Request) {
	level := x.level()
	if !h.Logger.Enabled(r.Context(), level) {
		return
	}
	attrs := []slog.Attr{
		slog.String("request_id", x.id), slog.String("method", r.Method), slog.String("route", x.route),
		slog.Int("status", x.status), slog.Int64("bytes", x.bytes), slog.Int64("duration_us", time.Since(x.started).Microseconds()),
	}
	if x.principal != (Principal{}) {
		attrs = append(attrs, slog.String("account", x.principal.AccountID), slog.String("key", x.principal.KeyID))
	}
	if x.route == "" {
		attrs = append(attrs, slog.String("path", request.Shorten(r.URL.Path)))
	}
	if x.err != nil {
		attrs = append(attrs, slog.String("error", redact(x.err.Error())))
	}
	h.Logger.LogAttrs(r.Context(), level, "request", attrs...)
}

// level is Error for answers that need an operator's attention, Warn for requests that were refused because the server is busy,
// Debug for successful probes, which come every few seconds, and Info for everything else.
func (x *exchange) level() slog.Level {
	switch {
	case x.status == http.StatusHTTPVersionNotSupported:
		return slog.LevelInfo // the client's mistake
	case x.status >= http.StatusInternalServerError && contract.AsError(x.err).IsOverload:
		return slog.LevelWarn
	case x.status >= http.StatusInternalServerError:
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
	urlPayload = regexp.MustCompile(`(?i)data:[^\s"<]*,[^\s"]*`)
)

const maxLogged = 2048 // bytes of an error's text

// redact removes from an error's text what may be private in its URLs: queries, passwords and inline images.
func redact(text string) string {
	// The text is cut at a space, because the private part of a URL that is cut in the middle would not be recognized.
	if len(text) > maxLogged {
		text = text[:max(0, strings.LastIndexByte(text[:maxLogged], ' '))] + "..."
	}
	text = urlUser.ReplaceAllString(text, "$1")
	text = urlQuery.ReplaceAllString(text, "$1?...")
	return urlPayload.ReplaceAllString(text, "data:...")
}
