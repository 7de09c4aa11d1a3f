package fetch

import (
	"crypto/x509"
	"net"
	"net/netip"
	"net/url"
	"time"
)

// WithResolver resolves names with r.
func (o Options) WithResolver(r *net.Resolver) Options {
	o.resolver = r
	return o
}

// WithRoots trusts the certificates of roots.
func (o Options) WithRoots(roots *x509.CertPool) Options {
	o.Config.roots = roots
	return o
}

// Classify returns the verdict of a guard.
func Classify(allow []netip.Prefix, to netip.AddrPort, ports ...uint16) string {
	return [...]string{notPublic: "not public", badPort: "bad port", permitted: "permitted"}[newGuard(allow, ports).classify(to)]
}

// IsOwnFailure reports whether an error comes from the network of this machine. resolved says whether a name was resolved just
// before.
func IsOwnFailure(err error, resolved bool) bool {
	var n network
	if resolved {
		n.resolved.Store(time.Now().UnixNano())
	}
	return n.isOwnFailure(err)
}

func RetryAfter(header string, now time.Time) time.Duration { return retryAfter(header, now) }

// ImageURLs returns the image URLs of an info.json that came from a URL.
func ImageURLs(infoJSON []byte, from *url.URL) ([]*url.URL, error) {
	info, err := parseInfo(infoJSON)
	if err != nil {
		return nil, err
	}
	return info.imageURLs(from)
}

func OriginOf(u *url.URL) string { return originOf(u) }
