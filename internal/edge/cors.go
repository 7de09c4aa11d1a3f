package edge

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

const (
	// exposedHeaders may be read by pages of other origins, besides the safelisted ones (Fetch Standard, section 3.3).
	exposedHeaders = "Idempotency-Replayed, Link, Preference-Applied, RateLimit, RateLimit-Policy, Retry-After, WWW-Authenticate, X-Request-Id"
	// preflightAge is how many seconds a browser may keep the answer to a preflight.
	preflightAge = "600"
)

// checkOrigin returns an error if no browser ever sends origin (RFC 6454, section 6.2), so that it could never match.
func checkOrigin(origin string) error {
	u, err := url.Parse(origin)
	if origin != "*" && (err != nil || u.Host == "" || origin != u.Scheme+"://"+u.Host || origin != strings.ToLower(origin)) {
		return fmt.Errorf(`invalid origin %q; expected "*" or scheme://host[:port] in lower case, with nothing after it`, origin)
	}
	return nil
}

// Origin is a web origin such as https://example.org, or "*", as the value of a flag or an environment variable.
type Origin string

// UnmarshalText implements encoding.TextUnmarshaler. Spaces around the origin, as in a list, are dropped.
func (o *Origin) UnmarshalText(text []byte) error {
	*o = Origin(strings.TrimSpace(string(text)))
	return checkOrigin(string(*o))
}

// Origins converts the values of a flag for Options.CORSOrigins.
func Origins(list []Origin) []string {
	out := make([]string, len(list))
	for i, o := range list {
		out[i] = string(o)
	}
	return out
}

// cors sets the headers that let pages of the permitted origins call the service, and answers their preflights (Fetch
// Standard, section 3.2). e is the endpoint of the path, or nil. It reports whether the request is answered.
func (h *handler) cors(x *exchange, r *http.Request, e *endpoint) (answered bool) {
	if len(h.CORSOrigins) == 0 {
		return false
	}
	headers, origin := x.Header(), r.Header.Get("Origin")
	everyone := slices.Contains(h.CORSOrigins, "*")
	switch {
	case everyone && origin == "": // not from a browser, and the answer does not depend on the origin
		return false
	case everyone:
		headers.Set("Access-Control-Allow-Origin", "*")
	case origin != "" && slices.Contains(h.CORSOrigins, origin):
		headers.Set("Access-Control-Allow-Origin", origin)
		headers.Add("Vary", "Origin")
	default:
		headers.Add("Vary", "Origin")
		return false
	}
	headers.Set("Access-Control-Expose-Headers", exposedHeaders)
	if e == nil || r.Method != http.MethodOptions || origin == "" || r.Header.Get("Access-Control-Request-Method") == "" {
		return false
	}
	x.route = e.path
	headers.Set("Access-Control-Allow-Methods", strings.Join(slices.Sorted(maps.Keys(e.methods)), ", "))
	if names := r.Header.Get("Access-Control-Request-Headers"); names != "" {
		headers.Set("Access-Control-Allow-Headers", names)
	}
	headers.Set("Access-Control-Max-Age", preflightAge)
	x.WriteHeader(http.StatusNoContent)
	return true
}
