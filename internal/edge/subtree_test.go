package edge_test

import (
	"net/http"
	"net/http/httptest"
	"net/netip"
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/internal/edge"
)

func TestHandler_Subtrees(t *testing.T) {
	t.Parallel()
	page := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Pattern = "GET /pages/{name}"
		w.Header().Set("X-Seen", r.Method+" "+r.URL.Path+" "+edge.RequestID(w))
		w.WriteHeader(http.StatusTeapot)
	})
	var routes []string
	h := mustNew(t, func(o *edge.Options) {
		o.Subtrees = map[string]http.Handler{"/pages/": page}
		o.CORSOrigins = []string{"*"}
		o.Answered = func(path string, _ int) { routes = append(routes, path) }
	})
	for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodDelete} {
		req := httptest.NewRequest(method, "/pages/one", http.NoBody)
		req.Header.Set("Origin", "https://elsewhere.example")
		req.Header.Set("X-Request-Id", "id-1")
		res := httptest.NewRecorder()
		h.ServeHTTP(res, req)
		require.Equal(t, http.StatusTeapot, res.Code)
		require.Equal(t, method+" /pages/one id-1", res.Header().Get("X-Seen"))
		require.Equal(t, "no-store", res.Header().Get("Cache-Control"))
		require.Empty(t, res.Header().Get("Access-Control-Allow-Origin"), "pages of other origins may not read a subtree")
	}
	require.Equal(t, []string{"/pages/{name}", "/pages/{name}", "/pages/{name}"}, routes, "the metrics name the pattern")
}

func TestNew_InvalidSubtree(t *testing.T) {
	t.Parallel()
	for _, prefix := range []string{"", "/", "/pages", "pages/", "/api/", "/api/v1/", "/api/v1/more/"} {
		o := edge.Options{Server: &server{}, Gate: &gate{}}
		o.Subtrees = map[string]http.Handler{prefix: http.NotFoundHandler()}
		_, err := edge.New(o)
		require.ErrorContains(t, err, "invalid subtree", prefix)
	}
}

func TestClientAddr(t *testing.T) {
	t.Parallel()
	proxies := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}
	r := httptest.NewRequest(http.MethodGet, "/", http.NoBody)
	r.Header.Set("X-Forwarded-For", "192.0.2.7")
	r.RemoteAddr = "10.1.2.3:4567"
	require.Equal(t, netip.MustParseAddr("192.0.2.7"), edge.ClientAddr(r, proxies))
	require.True(t, edge.IsFromProxy(r, proxies))
	r.RemoteAddr = "198.51.100.1:4567"
	require.Equal(t, netip.MustParseAddr("198.51.100.1"), edge.ClientAddr(r, proxies))
	require.False(t, edge.IsFromProxy(r, proxies))
}
