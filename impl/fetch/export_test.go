package fetch

import (
	"crypto/x509"
	"net"
	"net/netip"
	"net/url"
)

// WithResolver resolves names with r.
func (o Options) WithResolver(r *net.Resolver) Options {
	o.resolver = r
	return o
}

// WithRoots trusts the certificates of roots.
func (o Options) WithRoots(roots *x509.CertPool) Options {
	o.roots = roots
	return o
}

// Classify returns the verdict of a guard.
func Classify(allow []netip.Prefix, to netip.AddrPort) string {
	return [...]string{notPublic: "not public", badPort: "bad port", permitted: "permitted"}[newGuard(allow).classify(to)]
}

// ImageURLs returns the image URLs of an info.json that came from a URL.
func ImageURLs(infoJSON []byte, from *url.URL) ([]*url.URL, error) {
	info, err := parseInfo(infoJSON)
	if err != nil {
		return nil, err
	}
	return info.imageURLs(from)
}
