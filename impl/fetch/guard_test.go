package fetch_test

import (
	"net/netip"
	"testing"

	"github.com/stretchr/testify/assert"

	"uncial/impl/fetch"
)

func TestGuard_Classify(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, to, want string }{
		{"a public address over http", "93.184.216.34:80", "permitted"},
		{"a public address over https", "93.184.216.34:443", "permitted"},
		{"a public address on a port of mail", "93.184.216.34:25", "bad port"},
		{"a public address on a high port", "93.184.216.34:8080", "bad port"},
		{"a public IPv6 address", "[2606:2800:220:1::1]:443", "permitted"},
		{"loopback", "127.0.0.1:80", "not public"},
		{"anywhere in loopback", "127.200.3.4:80", "not public"},
		{"this network, which reaches the host itself", "0.0.0.0:80", "not public"},
		{"private, class A", "10.1.2.3:80", "not public"},
		{"private, class B", "172.31.255.255:80", "not public"},
		{"private, class C", "192.168.0.1:80", "not public"},
		{"the address after the private range", "172.32.0.1:80", "permitted"},
		{"carrier-grade NAT", "100.64.0.1:80", "not public"},
		{"link-local, where cloud metadata lives", "169.254.169.254:80", "not public"},
		{"metadata of a cloud in the protocol block", "192.0.0.192:80", "not public"},
		{"metadata of a cloud in shared space", "100.100.100.200:80", "not public"},
		{"the wire server of Azure", "168.63.129.16:80", "not public"},
		{"the address after the wire server", "168.63.129.17:80", "permitted"},
		{"multicast", "224.0.0.1:80", "not public"},
		{"broadcast", "255.255.255.255:80", "not public"},
		{"documentation", "203.0.113.1:80", "not public"},
		{"benchmarking", "198.18.0.1:80", "not public"},
		{"IPv6 loopback", "[::1]:80", "not public"},
		{"IPv6 unspecified", "[::]:80", "not public"},
		{"IPv6 link-local", "[fe80::1]:80", "not public"},
		{"IPv6 with a zone", "[2606:2800:220:1::1%eth0]:80", "not public"},
		{"unique local, where cloud metadata lives", "[fd00:ec2::254]:80", "not public"},
		{"IPv4-mapped loopback", "[::ffff:127.0.0.1]:80", "not public"},
		{"IPv4-mapped public", "[::ffff:93.184.216.34]:80", "permitted"},
		{"IPv4-compatible", "[::93.184.216.34]:80", "not public"},
		{"NAT64 to a public address", "[64:ff9b::93.184.216.34]:80", "permitted"},
		{"NAT64 to a public address on a bad port", "[64:ff9b::93.184.216.34]:22", "bad port"},
		{"NAT64 to loopback", "[64:ff9b::127.0.0.1]:80", "not public"},
		{"NAT64 to private", "[64:ff9b::10.0.0.1]:80", "not public"},
		{"NAT64 to metadata", "[64:ff9b::169.254.169.254]:80", "not public"},
		{"NAT64 to the wire server", "[64:ff9b::168.63.129.16]:80", "not public"},
		{"local-use NAT64", "[64:ff9b:1::93.184.216.34]:80", "not public"},
		{"6to4", "[2002:5db8:d822::1]:80", "not public"},
		{"Teredo", "[2001:0:4136:e378:8000:63bf:3fff:fdd2]:80", "not public"},
		{"ISATAP with a private address", "[2606:2800:220:1:0:5efe:10.0.0.1]:80", "not public"},
		{"ISATAP with a public address", "[2606:2800:220:1:200:5efe:93.184.216.34]:80", "not public"},
		{"documentation in IPv6", "[2001:db8::1]:80", "not public"},
		{"newer documentation in IPv6", "[3fff::1]:80", "not public"},
		{"multicast in IPv6", "[ff02::1]:80", "not public"},
		{"segment routing", "[5f00::1]:80", "not public"},
	} {
		t.Run("classifies "+c.name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, c.want, fetch.Classify(nil, netip.MustParseAddrPort(c.to)))
		})
	}
}

func TestGuard_Classify_Allowed(t *testing.T) {
	t.Parallel()
	allow := []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32"), netip.MustParsePrefix("fd12::/16")}
	for _, c := range []struct{ name, to, want string }{
		{"an exception on any port", "127.0.0.1:8080", "permitted"},
		{"an exception in IPv4-mapped form", "[::ffff:127.0.0.1]:8080", "permitted"},
		{"an exception in IPv6", "[fd12::7]:9000", "permitted"},
		{"the next address", "127.0.0.2:8080", "not public"},
		{"the other loopback", "[::1]:80", "not public"},
		{"no exception for what a translator leads to", "[64:ff9b::127.0.0.1]:80", "not public"},
		{"other addresses as before", "93.184.216.34:8080", "bad port"},
	} {
		t.Run("classifies "+c.name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, c.want, fetch.Classify(allow, netip.MustParseAddrPort(c.to)))
		})
	}
}

func TestGuard_Classify_Ports(t *testing.T) {
	t.Parallel()
	for to, want := range map[string]string{
		"93.184.216.34:8182": "permitted",
		"93.184.216.34:443":  "permitted",
		"93.184.216.34:25":   "bad port",
		"10.1.2.3:8182":      "not public",
	} {
		assert.Equal(t, want, fetch.Classify(nil, netip.MustParseAddrPort(to), 8182), to)
	}
}
