package fetch

import (
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"uncial/internal/address"
	"uncial/internal/contract"
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
	allow []netip.Prefix
	ports []uint16
}

// newGuard returns a guard that permits the given ranges in addition to public addresses, and the given ports in addition to
// webPorts.
func newGuard(allow []netip.Prefix, ports []uint16) *guard {
	return &guard{allow: allow, ports: slices.Concat(webPorts, ports)}
}

var webPorts = []uint16{80, 443}

// control is the Control function of a net.Dialer, which calls it with each address after the name was resolved and before
// the connection is made. Errors: *Error, which does not say what the name resolved to.
func (g *guard) control(_, to string, _ syscall.RawConn) error {
	target, err := netip.ParseAddrPort(to)
	if err != nil {
		return failed(contract.FetchRefusedAddress, contract.NotPublic)
	}
	return g.check(target)
}

// check returns an *Error unless the address is permitted.
func (g *guard) check(to netip.AddrPort) error {
	switch g.classify(to) {
	case permitted:
		return nil
	case badPort:
		return failed(contract.FetchRefusedAddress, "port %d is not accepted; expected one of %s", to.Port(), g.portList())
	default:
		return failed(contract.FetchRefusedAddress, contract.NotPublic)
	}
}

// portList returns the permitted ports as text, such as "80, 443".
func (g *guard) portList() string {
	var list []string
	for _, p := range g.ports {
		list = append(list, strconv.Itoa(int(p)))
	}
	return strings.Join(list, ", ")
}

// isException reports whether the operator allows the address although it may not be public.
func (g *guard) isException(addr netip.Addr) bool {
	return slices.ContainsFunc(g.allow, func(p netip.Prefix) bool { return p.Contains(addr.Unmap()) })
}

// classify decides whether an address is permitted. Public addresses are permitted on the ports of web servers only, so that a
// caller cannot make the service send requests to mail or database servers. Addresses that the operator allows are
// permitted on every port.
func (g *guard) classify(to netip.AddrPort) verdict {
	switch {
	case g.isException(to.Addr()):
		return permitted
	case !address.IsPublic(to.Addr()):
		return notPublic
	case !slices.Contains(g.ports, to.Port()):
		return badPort
	}
	return permitted
}
