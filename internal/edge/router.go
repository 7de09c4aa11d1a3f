package edge

import (
	"maps"
	"net/http"
	"slices"
	"strings"

	"uncial/internal/contract"
)

// router finds the endpoint of a request by its path, with one http.ServeMux. It checks methods and writes errors itself: the
// ServeMux would answer HEAD for every GET, and write errors in a form of its own.
type router struct {
	mux       *http.ServeMux
	endpoints map[string]*endpoint // by path
}

// endpoint is a path and its handlers by method.
type endpoint struct {
	path      string // as registered; a segment may be a wildcard such as {key}
	isLiteral bool   // path has no wildcard
	methods   map[string]http.Handler
}

func newRouter() router {
	return router{mux: http.NewServeMux(), endpoints: map[string]*endpoint{}}
}

// add registers a handler, and reports false if the path has the method already. It panics if path is not a valid pattern
// of http.ServeMux.
func (rt *router) add(method, path string, h http.Handler) bool {
	e := rt.endpoints[path]
	if e == nil {
		e = &endpoint{path: path, isLiteral: !strings.Contains(path, "{"), methods: map[string]http.Handler{}}
		rt.endpoints[path] = e
		rt.mux.Handle(path, e)
	}
	if e.methods[method] != nil {
		return false
	}
	e.methods[method] = h
	return true
}

// find returns the endpoint of the request's path, or nil if there is none. The path must be spelled as it is registered:
// nothing is cleaned, unescaped or redirected, so that a proxy in front and the server never disagree about a path.
//
// A path without wildcards needs only the map: http.ServeMux, too, prefers it to every pattern.
func (rt *router) find(r *http.Request) *endpoint {
	path := r.URL.EscapedPath()
	if e := rt.endpoints[path]; e != nil && e.isLiteral {
		return e
	}
	_, pattern := rt.mux.Handler(r)
	if e := rt.endpoints[pattern]; e != nil && e.isSpelled(path) {
		return e
	}
	return nil
}

// serve calls the endpoint that find returned. The ServeMux sets the values of wildcards.
func (rt *router) serve(e *endpoint, w http.ResponseWriter, r *http.Request) {
	if !e.isLiteral {
		rt.mux.ServeHTTP(w, r)
		return
	}
	r.Pattern = e.path
	e.ServeHTTP(w, r)
}

// isSpelled compares segment by segment. A wildcard stands for any segment but an empty one.
func (e *endpoint) isSpelled(path string) bool {
	if path == e.path {
		return true
	}
	want, got := strings.Split(e.path, "/"), strings.Split(path, "/")
	return slices.EqualFunc(want, got, func(want, got string) bool {
		return want == got || strings.HasPrefix(want, "{") && got != ""
	})
}

// allows returns nil if the endpoint exists and has the method, and otherwise a 404 or 405.
func (e *endpoint) allows(method string) error {
	switch {
	case e == nil:
		return contract.NotFound()
	case e.methods[method] == nil:
		return contract.MethodNotAllowed(slices.Sorted(maps.Keys(e.methods))...)
	default:
		return nil
	}
}

// ServeHTTP implements http.Handler for methods that the endpoint allows.
func (e *endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	e.methods[r.Method].ServeHTTP(w, r)
}
