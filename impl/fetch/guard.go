package fetch

import (
	"encoding/binary"
	"net/netip"
	"slices"
	"syscall"

	"code.dny.dev/ssrf"
)

// verdict is what the guard thinks of an address.
type verdict int

const (
	notPublic verdict = iota // inside some network, or of no use as a destination
	badPort                  // public, on a port where no web server is expected
	permitted
)

// guard decides which addresses may be connected to.
type guard struct {
	allow    []netip.Prefix
	registry *ssrf.Guardian // the special purpose registries of IANA, and what no registry has
}

func newGuard(allow []netip.Prefix) *guard {
	return &guard{
		allow: allow,
		registry: ssrf.New(
			ssrf.WithAnyPort(),
			// Azure's wire server: a public address that is answered on the virtual machine's own host.
			ssrf.WithDeniedV4Prefixes(netip.MustParsePrefix("168.63.129.16/32")),
		),
	}
}

// control is a net.Dialer's Control: it sees each address after the name was resolved and before it is connected to.
func (g *guard) control(_, address string, _ syscall.RawConn) error {
	to, err := netip.ParseAddrPort(address)
	if err != nil {
		return blame("the address is not public")
	}
	switch g.classify(to) {
	case permitted:
		return nil
	case badPort:
		return blame("port %d is not accepted; images are fetched from port 80 and 443", to.Port())
	default:
		return blame("the address is not public")
	}
}

// classify judges an address. Public ones may be connected to on port 80 and 443 only: on others wait mail and database
// servers, to whom a stranger's request would seem to come from us. Addresses that the operator allows are his own
// affair, on every port.
func (g *guard) classify(to netip.AddrPort) verdict {
	addr := to.Addr().Unmap()
	switch {
	case slices.ContainsFunc(g.allow, func(p netip.Prefix) bool { return p.Contains(addr) }):
		return permitted
	case !g.public(addr):
		return notPublic
	case to.Port() != 80 && to.Port() != 443:
		return badPort
	}
	return permitted
}

// public says whether anyone on the Internet may mean the same host by this address. IPv6 that carries an IPv4 address
// to a tunnel (6to4, Teredo, ISATAP) never is; what a translator leads to (NAT64) is judged in its place, so that a
// network without IPv4 works.
func (g *guard) public(addr netip.Addr) bool {
	if addr.Zone() != "" {
		return false
	}
	if ssrf.IPv6NAT64Prefix.Contains(addr) {
		wide := addr.As16()
		addr = netip.AddrFrom4([4]byte(wide[12:]))
	}
	return !isISATAP(addr) && g.registry.SafeAddr(addr) == nil
}

// isISATAP recognises the interface identifiers of RFC 5214, section 6.1, which may stand behind any prefix.
func isISATAP(addr netip.Addr) bool {
	if !addr.Is6() {
		return false
	}
	wide := addr.As16()
	identifier := binary.BigEndian.Uint32(wide[8:])
	return identifier&^0x0200_0000 == 0x0000_5efe
}
