package fetch

import (
	"encoding/binary"
	"net/netip"
	"slices"
	"syscall"

	"code.dny.dev/ssrf"
)

// verdict is the result of classifying an address.
type verdict int

const (
	notPublic verdict = iota // private, reserved or local
	badPort                  // public, but not a port of web servers
	permitted
)

// guard decides which addresses the fetcher may connect to. It is immutable and safe for concurrent use.
type guard struct {
	allow    []netip.Prefix
	registry *ssrf.Guardian // the special-purpose registries of IANA and additional ranges
}

// newGuard returns a guard that permits the given ranges in addition to public addresses.
func newGuard(allow []netip.Prefix) *guard {
	return &guard{
		allow: allow,
		registry: ssrf.New(
			ssrf.WithAnyPort(),
			// The wire server of Azure is a public address that reaches the host of the virtual machine.
			ssrf.WithDeniedV4Prefixes(netip.MustParsePrefix("168.63.129.16/32")),
		),
	}
}

// control is the Control function of a net.Dialer, which calls it with each address after the name was resolved and before
// the connection is made. Errors: *ocr.ImageError, which does not say what the name resolved to.
func (g *guard) control(_, address string, _ syscall.RawConn) error {
	to, err := netip.ParseAddrPort(address)
	if err != nil {
		return imageError("the address is not public")
	}
	switch g.classify(to) {
	case permitted:
		return nil
	case badPort:
		return imageError("port %d is not accepted; images are fetched from ports 80 and 443 only", to.Port())
	default:
		return imageError("the address is not public")
	}
}

// classify decides whether an address is permitted. Public addresses are permitted on ports 80 and 443 only, so that a
// caller cannot make the service send requests to mail or database servers. Addresses that the operator allows are
// permitted on every port.
func (g *guard) classify(to netip.AddrPort) verdict {
	addr := to.Addr().Unmap()
	switch {
	case slices.ContainsFunc(g.allow, func(p netip.Prefix) bool { return p.Contains(addr) }):
		return permitted
	case !g.isPublic(addr):
		return notPublic
	case to.Port() != 80 && to.Port() != 443:
		return badPort
	}
	return permitted
}

// isPublic reports whether the address is globally reachable. Tunnel addresses that embed an IPv4 address (6to4, Teredo,
// ISATAP) count as not public, because the embedded address may be private. For NAT64 the embedded IPv4 address decides,
// so that the service works in IPv6-only networks.
func (g *guard) isPublic(addr netip.Addr) bool {
	if addr.Zone() != "" {
		return false
	}
	if ssrf.IPv6NAT64Prefix.Contains(addr) {
		wide := addr.As16()
		addr = netip.AddrFrom4([4]byte(wide[12:]))
	}
	return !isISATAP(addr) && g.registry.SafeAddr(addr) == nil
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
