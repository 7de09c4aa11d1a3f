// Package edge is the HTTP front end of both servers, the mock and the real service. It adds to the router and handlers
// generated from openapi.yaml everything that cannot be generated: request ids, recovery from panics, authentication, the rate
// limit, bounds on memory, CORS, the form of every error, the response headers, and the log.
//
// A server supplies a Gate, which knows its callers, and a gen.StrictServerInterface, which does the work and finds its
// caller with CallerFrom. What distinguishes operations is read from openapi.yaml, so that a new operation needs no change
// here: an operation that documents a 429 counts against the rate limit; the parameters and the body that it documents are
// checked by internal/request, which also holds the bytes of inline images.
//
// The rules that both servers share are in internal/contract; the page at /docs is in internal/apidocs. Start with New, then
// handler.ServeHTTP and operation.serve, which show the order of all checks.
package edge

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/getkin/kin-openapi/openapi3"

	"uncial/gen"
	"uncial/internal/apidocs"
	"uncial/internal/contract"
	"uncial/internal/tryit"
)

// Options configure the front end.
type Options struct {
	// Server does the work of the operations. Required.
	Server gen.StrictServerInterface
	// Gate knows the callers and counts their requests. Required.
	Gate Gate
	// Logger receives one line for each request. Default: slog.Default().
	Logger *slog.Logger
	// CORSOrigins are the web origins whose pages may call the service, such as "https://example.org", or "*" for all.
	// Default: none, and no CORS header is ever sent.
	CORSOrigins []string
	// Ready returns why the service cannot work at the moment, or nil if it can; it decides /readyz. Default: always ready.
	Ready func(ctx context.Context) error
	// Answered is called after each request with its path as in openapi.yaml, "" if there is no such path or method, and the
	// status, 0 if the connection was cut instead. Default: not called.
	Answered func(path string, status int)
	// Site describes the server for the API reference at /docs. If it has no URL, the examples name the local address of the
	// connection until a script replaces it. Default: the default plans, and no languages.
	Site func(ctx context.Context) apidocs.Site
	// Routes are further routes outside /api/v1, by "METHOD /path" as in http.ServeMux, where a segment may be a wildcard such
	// as "{key}". Anyone may call them. Their handlers report errors with WriteError. Default: none.
	Routes map[string]http.Handler
	// Subtrees serve all paths with a prefix such as "/dashboard/", with any method. They are for browsers: they write their own
	// errors, as pages, and no CORS header is sent. Default: none.
	Subtrees map[string]http.Handler
	// Memory limits the memory, in bytes, of the images of requests in progress, as far as they have arrived. Accounts share it;
	// requests beyond the share of their account get a 500 with Retry-After. Default: 768 MiB, and an eighth more as the reserve.
	Memory int64
	// TrustedProxies are the networks of the proxies whose X-Forwarded-For is trusted. Default: none; the client is the
	// peer of the connection.
	TrustedProxies []netip.Prefix
	// RequestID makes the id of a request that brings no valid one: 1 to 128 visible ASCII characters. Default: 26 random
	// characters.
	RequestID func(r *http.Request) string
}

// basePath is the path of all operations, the server in openapi.yaml.
const basePath = "/api/v1"

// handler is the front end. It does not change after New.
type handler struct {
	Options
	doc      *openapi3.T
	router   router
	memory   *memory              // of images
	subtrees []subtree            // Options.Subtrees
	readings *tryit.Shelf[string] // made by the form "Try it"
}

var _ gen.ServeMux = (*handler)(nil)

// New returns the front end. An error names an option that is missing or malformed.
func New(o Options) (http.Handler, error) {
	if o.Server == nil || o.Gate == nil {
		return nil, errors.New("edge: Options.Server and Options.Gate are required")
	}
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	if o.Memory <= 0 {
		o.Memory = defaultMemory
	}
	if o.Site == nil {
		o.Site = func(context.Context) apidocs.Site { return apidocs.Site{Plans: contract.DefaultPlans()} }
	}
	if o.RequestID == nil {
		o.RequestID = func(*http.Request) string { return rand.Text() }
	}
	for _, origin := range o.CORSOrigins {
		if err := checkOrigin(origin); err != nil {
			return nil, err
		}
	}
	subtrees, err := checkSubtrees(o.Subtrees)
	if err != nil {
		return nil, err
	}
	doc, err := loadContract()
	if err != nil {
		return nil, fmt.Errorf("load openapi.yaml: %w", err)
	}
	h := &handler{
		Options: o, doc: doc, router: newRouter(), memory: newMemory(o.Memory), subtrees: subtrees,
		readings: tryit.NewShelf[string](time.Now),
	}
	h.addOperations()
	h.addTry()
	if err := h.addPages(); err != nil {
		return nil, err
	}
	return h, h.addRoutes()
}

// loadContract parses openapi.yaml once for all servers of the process.
var loadContract = sync.OnceValues(func() (*openapi3.T, error) {
	doc, err := gen.GetSpec()
	if err != nil {
		return nil, err
	}
	return doc, doc.Validate(context.Background())
})

// addRoutes registers Options.Routes.
func (h *handler) addRoutes() error {
	for _, pattern := range slices.Sorted(maps.Keys(h.Routes)) {
		method, path, ok := strings.Cut(pattern, " ")
		if !ok || !strings.HasPrefix(path, "/") || strings.HasPrefix(path, basePath+"/") || h.Routes[pattern] == nil {
			return fmt.Errorf(`edge: invalid route %q; expected "METHOD /path" outside %s, and a handler`, pattern, basePath)
		}
		if !h.router.add(method, path, h.Routes[pattern]) {
			return fmt.Errorf("edge: the route %q exists already", pattern)
		}
	}
	return nil
}

// ServeHTTP answers one request. Whatever happens, the answer has the form of the contract, and the log gets a line.
func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	x := newExchange(w, h.requestID(r))
	defer h.finish(x, r)
	if len(r.TransferEncoding) > 0 {
		// A request may have had a Content-Length too, which net/http removes. The connection must then be closed, because a
		// proxy may have believed it (RFC 9112, section 6.1).
		x.Header().Set("Connection", "close")
	}
	if isHTTP2Preface(r) {
		x.Header().Set("Connection", "close") // frames of HTTP/2 follow
		x.fail(invalidHTTP(http.StatusHTTPVersionNotSupported, "headers", mustFollowHTTP))
		return
	}
	if h.serveSubtree(x, r) {
		return
	}
	e := h.router.find(r)
	if h.cors(x, r, e) {
		return
	}
	if err := e.allows(r.Method); err != nil {
		x.fail(err)
		return
	}
	x.route = e.path
	h.router.serve(e, x, r)
}
