package fetch

import (
	"crypto/x509"
	"net"
	"net/netip"
	"net/url"
)

// WithResolver makes names resolve by r.
func (o Options) WithResolver(r *net.Resolver) Options {
	o.resolver = r
	return o
}

// WithRoots makes the certificates of roots trusted.
func (o Options) WithRoots(roots *x509.CertPool) Options {
	o.roots = roots
	return o
}

// Classify judges an address as the guard does.
func Classify(allow []netip.Prefix, to netip.AddrPort) string {
	return [...]string{notPublic: "not public", badPort: "bad port", permitted: "permitted"}[newGuard(allow).classify(to)]
}

// ImageURLs are the addresses that an info.json which came from one address leads to.
func ImageURLs(infoJSON []byte, from *url.URL) ([]*url.URL, error) {
	described, err := parseInfo(infoJSON)
	if err != nil {
		return nil, err
	}
	return described.imageURLs(from)
}
