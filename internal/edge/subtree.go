package edge

import (
	"fmt"
	"maps"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// subtree is a handler with the prefix of its paths.
type subtree struct {
	prefix  string // such as "/dashboard/"
	handler http.Handler
}

// checkSubtrees returns Options.Subtrees as a list, the longest prefix first.
func checkSubtrees(subtrees map[string]http.Handler) ([]subtree, error) {
	var list []subtree
	for _, prefix := range slices.Backward(slices.Sorted(maps.Keys(subtrees))) {
		if len(prefix) < 2 || !strings.HasPrefix(prefix, "/") || !strings.HasSuffix(prefix, "/") || subtrees[prefix] == nil ||
			strings.HasPrefix(basePath+"/", prefix) || strings.HasPrefix(prefix, basePath+"/") {
			return nil, fmt.Errorf(`edge: invalid subtree %q; expected "/path/" outside %s, and a handler`, prefix, basePath)
		}
		list = append(list, subtree{prefix, subtrees[prefix]})
	}
	return list, nil
}

// serveSubtree passes the request to the subtree of its path, and reports whether there is one. The log and the metrics name
// the pattern that its handler has set in r.Pattern, or else the prefix.
func (h *handler) serveSubtree(x *exchange, r *http.Request) bool {
	i := slices.IndexFunc(h.subtrees, func(s subtree) bool { return strings.HasPrefix(r.URL.Path, s.prefix) })
	if i < 0 {
		return false
	}
	x.route = h.subtrees[i].prefix
	defer func() {
		if _, path, ok := strings.Cut(r.Pattern, " "); ok {
			x.route = path
		}
	}()
	x.servePage(h.subtrees[i].handler, r)
	return true
}

// RequestID returns the id of the request that w answers, for pages that report an error.
func RequestID(w http.ResponseWriter) string { return exchangeOf(w).id }

// NoteError keeps err for the log line of the request. The caller still has to answer.
func NoteError(w http.ResponseWriter, err error) { exchangeOf(w).err = err }

// ClientAddr returns the address of the client, or the zero Addr if the peer has no IP address. trusted are the proxies whose
// X-Forwarded-For counts.
func ClientAddr(r *http.Request, trusted []netip.Prefix) netip.Addr {
	h := handler{Options: Options{TrustedProxies: trusted}}
	return h.clientAddr(r)
}

// IsFromProxy reports whether the peer of the connection is one of the trusted proxies.
func IsFromProxy(r *http.Request, trusted []netip.Prefix) bool {
	h := handler{Options: Options{TrustedProxies: trusted}}
	return h.isTrusted(parseAddr(r.RemoteAddr))
}
