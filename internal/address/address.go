// Package address tells public IP addresses from all others, and spots hosts that some programs read as numbers. It
// neither resolves names nor connects; impl/fetch does, and its guard asks this package. Start with IsPublic.
package address

import (
	"encoding/binary"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"

	"code.dny.dev/ssrf"
)

// registry returns the special-purpose registries of IANA, made at their first use. They are immutable.
var registry = sync.OnceValue(func() *ssrf.Guardian {
	return ssrf.New(
		ssrf.WithAnyPort(),
		// The wire server of Azure is a public address that reaches the host of the virtual machine.
		ssrf.WithDeniedV4Prefixes(netip.MustParsePrefix("168.63.129.16/32")),
	)
})

// IsPublic reports whether the address is globally reachable. Tunnel addresses that embed an IPv4 address (6to4, Teredo,
// ISATAP) count as not public, because the embedded address may be private. For NAT64 and IPv4-mapped addresses the embedded
// IPv4 address decides, so that it works in IPv6-only networks.
func IsPublic(addr netip.Addr) bool {
	if addr.Zone() != "" {
		return false
	}
	addr = addr.Unmap()
	if ssrf.IPv6NAT64Prefix.Contains(addr) {
		wide := addr.As16()
		addr = netip.AddrFrom4([4]byte(wide[12:]))
	}
	return !isISATAP(addr) && registry().SafeAddr(addr) == nil
}

// isISATAP reports whether the address has an interface identifier of RFC 5214, section 6.1, which can follow any prefix.
// The registry lists prefixes only, so it cannot contain these. The bit that is masked out says whether the IPv4 address is
// globally unique.
func isISATAP(addr netip.Addr) bool {
	if !addr.Is6() {
		return false
	}
	wide := addr.As16()
	identifier := binary.BigEndian.Uint32(wide[8:])
	return identifier&^0x0200_0000 == 0x0000_5efe
}

// EndsInNumber reports whether some programs parse the host as an IPv4 address, such as 127.1 or 0x7f000001 (WHATWG URL,
// section 3.5, "ends in a number checker").
func EndsInNumber(host string) bool {
	host = strings.TrimSuffix(host, ".")
	last := strings.ToLower(host[strings.LastIndexByte(host, '.')+1:])
	if hex, ok := strings.CutPrefix(last, "0x"); ok {
		return strings.Trim(hex, "0123456789abcdef") == ""
	}
	return last != "" && strings.Trim(last, "0123456789") == ""
}

// internalZones are domains that only internal networks use: those that IANA reserves (RFC 6762, section 3; RFC 8375, section
// 4; .internal, reserved by ICANN in 2024), and .lan, which routers use.
var internalZones = []string{".internal", ".local", ".lan", ".home.arpa"}

// IsInternalName reports whether the host of a URL is a name that only internal networks use: one of a single label, or in
// one of internalZones.
func IsInternalName(host string) bool {
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	if _, err := netip.ParseAddr(host); err == nil || host == "" {
		return false
	}
	return !strings.Contains(host, ".") || slices.ContainsFunc(internalZones, func(zone string) bool { return strings.HasSuffix(host, zone) })
}

// NeverPublic reports whether the host of a URL is refused without resolving it: an IP address that is not public, a number
// that is not written as an IP address, or a name of this machine (RFC 6761, section 6.3).
func NeverPublic(host string) bool {
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	if addr, err := netip.ParseAddr(host); err == nil {
		return !IsPublic(addr)
	}
	return EndsInNumber(host) || host == "localhost" || strings.HasSuffix(host, ".localhost")
}

// IsLoopbackHost reports whether a host, as in a URL or a Host header with or without a port, names this machine: localhost or
// a loopback address.
func IsLoopbackHost(host string) bool {
	u := url.URL{Host: host}
	addr, err := netip.ParseAddr(u.Hostname())
	return err == nil && addr.Unmap().IsLoopback() || strings.EqualFold(u.Hostname(), "localhost")
}

// IsLoopbackOrigin reports whether an Origin header names this machine. It is absent where browsers need not send it.
func IsLoopbackOrigin(origin string) bool {
	u, err := url.Parse(origin)
	return origin == "" || err == nil && IsLoopbackHost(u.Host)
}
