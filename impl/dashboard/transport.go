package dashboard

import (
	"net/http"
	"net/netip"
	"strings"

	"uncial/internal/address"
	"uncial/internal/edge"
)

// securityHeaders are sent with every answer of the dashboard. They allow forms, scripts and styles of this service only.
// "same-origin" keeps paths from other sites, but still lets browsers send Origin, which the check of forms needs.
var securityHeaders = map[string]string{
	"Cache-Control": "no-store",
	"Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; " +
		"form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
	"Cross-Origin-Opener-Policy":   "same-origin",
	"Cross-Origin-Resource-Policy": "same-origin",
	"Permissions-Policy":           "camera=(), geolocation=(), microphone=()",
	"Referrer-Policy":              "same-origin",
	"X-Content-Type-Options":       "nosniff",
	"X-Frame-Options":              "DENY",
}

// forwarding are the headers that proxies add.
var forwarding = []string{"Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Real-Ip", "Via"}

// isSecure reports whether nobody between the browser and this process can read the request: it came over TLS, through a
// trusted proxy that says so, or from this machine. A loopback peer therefore does not count if it forwards for somebody else,
// or if Host does not name this machine (DNS rebinding). The Origin of a form reveals a proxy that adds no header.
func (d *Dashboard) isSecure(r *http.Request) bool {
	if r.TLS != nil {
		return true
	}
	if edge.IsFromProxy(r, d.o.TrustedProxies) && hasForwarded(r) {
		return strings.EqualFold(r.Header.Get("X-Forwarded-Proto"), "https")
	}
	return !hasForwarded(r) && d.clientAddr(r).IsLoopback() && address.IsLoopbackHost(r.Host) && address.IsLoopbackOrigin(r.Header.Get("Origin"))
}

// hasForwarded reports whether a proxy says that it passed the request on.
func hasForwarded(r *http.Request) bool {
	for _, name := range forwarding {
		if r.Header.Get(name) != "" {
			return true
		}
	}
	return false
}

// clientAddr is the address that attempts are counted for, and that "add my address" offers.
func (d *Dashboard) clientAddr(r *http.Request) netip.Addr {
	return edge.ClientAddr(r, d.o.TrustedProxies)
}
