package edge

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// exposed are the headers of an answer that a page of another origin may read beyond the safelisted ones
// (Fetch Standard, section 3.3).
const exposed = "Link, Preference-Applied, RateLimit, RateLimit-Policy, Retry-After, WWW-Authenticate, X-Request-Id"

// CheckOrigin refuses what no browser ever sends as an origin (RFC 6454, section 6.2) and what could never match.
func CheckOrigin(origin string) error {
	u, err := url.Parse(origin)
	if origin != "*" && (err != nil || u.Host == "" || origin != u.Scheme+"://"+u.Host || origin != strings.ToLower(origin)) {
		return fmt.Errorf(`origin %q: must be "*" or scheme://host[:port] in lower case, with nothing after it`, origin)
	}
	return nil
}

// Origin is a web origin such as https://example.org, or "*", as a flag or an environment variable takes it.
type Origin string

// UnmarshalText takes what CheckOrigin does not refuse; blanks around it, as in a list, are no part of it.
func (o *Origin) UnmarshalText(text []byte) error {
	*o = Origin(strings.TrimSpace(string(text)))
	return CheckOrigin(string(*o))
}

// Origins are the origins for Options.CORSOrigins.
func Origins(list []Origin) []string {
	out := make([]string, len(list))
	for i, o := range list {
		out[i] = string(o)
	}
	return out
}

// cors sets the headers that let pages of the permitted origins call the service, and answers their preflights
// (Fetch Standard, section 3.2). It is true where the request is answered.
func (d *door) cors(x *exchange, r *http.Request) (answered bool) {
	if len(d.CORSOrigins) == 0 {
		return false
	}
	h, origin := x.Header(), r.Header.Get("Origin")
	everyone := slices.Contains(d.CORSOrigins, "*")
	switch {
	case everyone && origin == "": // no browser asks, and the answer does not depend on who does
		return false
	case everyone:
		h.Set("Access-Control-Allow-Origin", "*")
	case origin != "" && slices.Contains(d.CORSOrigins, origin):
		h.Set("Access-Control-Allow-Origin", origin)
		h.Add("Vary", "Origin")
	default:
		h.Add("Vary", "Origin")
		return false
	}
	h.Set("Access-Control-Expose-Headers", exposed)
	if r.Method != http.MethodOptions || origin == "" || r.Header.Get("Access-Control-Request-Method") == "" {
		return false
	}
	rt, _ := d.routes.at(r)
	if rt == nil {
		return false
	}
	x.route = rt.pattern
	h.Set("Access-Control-Allow-Methods", strings.Join(slices.Sorted(maps.Keys(rt.methods)), ", "))
	if names := r.Header.Get("Access-Control-Request-Headers"); names != "" {
		h.Set("Access-Control-Allow-Headers", names)
	}
	h.Set("Access-Control-Max-Age", "600")
	x.WriteHeader(http.StatusNoContent)
	return true
}
