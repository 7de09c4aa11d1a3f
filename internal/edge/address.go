package edge

import (
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// clientAddr returns the address of the client: the peer of the connection or, if that is a trusted proxy, the last address
// in X-Forwarded-For that is not a trusted proxy. Entries that the client itself wrote are ignored. The result is the
// zero Addr if the peer has no IP address.
func (h *handler) clientAddr(r *http.Request) netip.Addr {
	addr := parseAddr(r.RemoteAddr)
	if !h.isTrusted(addr) {
		return addr
	}
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for i := len(hops) - 1; i >= 0 && h.isTrusted(addr); i-- {
		hop := parseAddr(strings.TrimSpace(hops[i]))
		if !hop.IsValid() {
			break
		}
		addr = hop
	}
	return addr
}

// isTrusted reports whether addr is a proxy whose X-Forwarded-For is trusted.
func (h *handler) isTrusted(addr netip.Addr) bool {
	return slices.ContainsFunc(h.TrustedProxies, func(p netip.Prefix) bool { return p.Contains(addr) })
}

// parseAddr reads an address with or without a port and brackets. It returns the zero Addr if there is none.
func parseAddr(s string) netip.Addr {
	if ap, err := netip.ParseAddrPort(s); err == nil {
		return ap.Addr().Unmap().WithZone("")
	}
	addr, err := netip.ParseAddr(strings.Trim(s, "[]"))
	if err != nil {
		return netip.Addr{}
	}
	return addr.Unmap().WithZone("")
}
