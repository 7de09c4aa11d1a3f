package edge

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// handlerFunc answers a request, or returns the error that the door answers with.
type handlerFunc func(x *exchange, r *http.Request) error

// route is one path and what is done there by method.
type route struct {
	pattern  string
	segments []string // of the pattern; "{name}" stands for any one
	methods  map[string]handlerFunc
}

// routes finds handlers by path. Paths are compared as they were sent: nothing is cleaned, decoded or redirected, so
// that a proxy in front and the door can never read a path differently.
type routes struct{ all []*route }

func (rs *routes) add(method, pattern string, h handlerFunc) {
	i := slices.IndexFunc(rs.all, func(rt *route) bool { return rt.pattern == pattern })
	if i < 0 {
		i = len(rs.all)
		rs.all = append(rs.all, &route{pattern: pattern, segments: strings.Split(pattern, "/"), methods: map[string]handlerFunc{}})
	}
	rs.all[i].methods[method] = h
}

func (rs *routes) addExtra(pattern string, h http.Handler) error {
	method, path, ok := strings.Cut(pattern, " ")
	if !ok || !strings.HasPrefix(path, "/") || strings.HasPrefix(path, basePath+"/") || h == nil {
		return fmt.Errorf(`route %q: must be "METHOD /path" outside %s, with a handler`, pattern, basePath)
	}
	if slices.ContainsFunc(rs.all, func(rt *route) bool { return rt.pattern == path && rt.methods[method] != nil }) {
		return fmt.Errorf("route %q: is there already", pattern)
	}
	rs.add(method, path, func(x *exchange, r *http.Request) error {
		h.ServeHTTP(x, r)
		return nil
	})
	return nil
}

// byPath orders patterns "METHOD /path" so that a name goes before a wildcard in its place.
func byPath(a, b string) int {
	_, pathA, _ := strings.Cut(a, " ")
	_, pathB, _ := strings.Cut(b, " ")
	return cmp.Or(strings.Compare(pathA, pathB), strings.Compare(a, b))
}

// find is the route of the request and the values of its wildcards, or the error that says why there is none.
func (rs *routes) find(r *http.Request) (*route, map[string]string, error) {
	rt, params := rs.at(r)
	if rt == nil {
		return nil, nil, NotFound()
	}
	if rt.methods[r.Method] == nil {
		return nil, nil, MethodNotAllowed(slices.Sorted(maps.Keys(rt.methods))...)
	}
	return rt, params, nil
}

// at is the route of the request's path, whatever its method, or nil.
func (rs *routes) at(r *http.Request) (*route, map[string]string) {
	segments := strings.Split(r.URL.EscapedPath(), "/")
	for _, rt := range rs.all {
		if params, ok := rt.match(segments); ok {
			return rt, params
		}
	}
	return nil, nil
}

func (rt *route) match(segments []string) (params map[string]string, ok bool) {
	if len(segments) != len(rt.segments) {
		return nil, false
	}
	for i, want := range rt.segments {
		if name, wild := wildcard(want); wild && segments[i] != "" {
			if params == nil {
				params = map[string]string{}
			}
			value, err := url.PathUnescape(segments[i])
			if err != nil {
				return nil, false
			}
			params[name] = value
		} else if want != segments[i] {
			return nil, false
		}
	}
	return params, true
}

func wildcard(segment string) (name string, ok bool) {
	if len(segment) > 2 && segment[0] == '{' && segment[len(segment)-1] == '}' {
		return segment[1 : len(segment)-1], true
	}
	return "", false
}
