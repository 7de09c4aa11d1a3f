package dashboard_test

import (
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/impl/dashboard"
)

func TestDashboard_Transport(t *testing.T) {
	t.Parallel()
	s := newSite(t, func(o *dashboard.Options) { o.TrustedProxies = proxies })
	for name, c := range map[string]struct {
		remote, host string
		header       http.Header
		accepted     bool
	}{
		"this machine":                         {"127.0.0.1:5", "127.0.0.1:8080", nil, true},
		"this machine by name":                 {"127.0.0.1:5", "localhost:8080", nil, true},
		"this machine over IPv6":               {"[::1]:5", "[::1]:8080", nil, true},
		"a trusted proxy that terminates TLS":  {"10.0.0.1:5", "uncial.example.org", http.Header{"X-Forwarded-For": {"192.0.2.1"}, "X-Forwarded-Proto": {"https"}}, true},
		"a trusted proxy without TLS":          {"10.0.0.1:5", "uncial.example.org", http.Header{"X-Forwarded-For": {"192.0.2.1"}, "X-Forwarded-Proto": {"http"}}, false},
		"a trusted proxy that does not say":    {"10.0.0.1:5", "uncial.example.org", http.Header{"X-Forwarded-For": {"192.0.2.1"}}, false},
		"another machine":                      {"192.0.2.1:5", "uncial.example.org", nil, false},
		"another machine that claims TLS":      {"192.0.2.1:5", "uncial.example.org", http.Header{"X-Forwarded-Proto": {"https"}, "X-Forwarded-For": {"127.0.0.1"}}, false},
		"a proxy on this machine, not trusted": {"127.0.0.1:5", "127.0.0.1:8080", http.Header{"X-Forwarded-For": {"192.0.2.1"}}, false},
		"a name that leads to this machine":    {"127.0.0.1:5", "rebind.example.com", nil, false},
		"a proxy on this machine, silent":      {"127.0.0.1:5", "uncial.example.org", nil, false},
		"a page of this machine":               {"127.0.0.1:5", "localhost:8080", http.Header{"Origin": {"http://localhost:8080"}}, true},
		"a silent proxy that changes Host": {"127.0.0.1:5", "127.0.0.1:8080", http.Header{
			"Origin": {"https://uncial.example.org"}, "Sec-Fetch-Site": {"same-origin"},
		}, false},
	} {
		for _, method := range []string{http.MethodGet, http.MethodPost} {
			r := httptest.NewRequest(method, "/dashboard/sign-in", strings.NewReader(""))
			r.RemoteAddr, r.Host = c.remote, c.host
			maps.Copy(r.Header, c.header)
			w := httptest.NewRecorder()
			s.ServeHTTP(w, r)
			if c.accepted {
				require.NotEqual(t, 403, w.Code, name)
			} else {
				require.Equal(t, 403, w.Code, name)
				require.Contains(t, w.Body.String(), "--trusted-proxy", name)
				require.Empty(t, w.Header().Values("Set-Cookie"), name)
			}
		}
	}
}

func TestDashboard_Headers(t *testing.T) {
	t.Parallel()
	b := newSite(t, nil).browser()
	for _, path := range []string{"/sign-in", "/assets/style.css", "/nothing", "/keys"} {
		h := b.request(http.MethodGet, path, nil).header
		require.Contains(t, h.Get("Content-Security-Policy"), "default-src 'none'", path)
		require.NotContains(t, h.Get("Content-Security-Policy"), "unsafe", path)
		require.Equal(t, "nosniff", h.Get("X-Content-Type-Options"), path)
		require.Equal(t, "same-origin", h.Get("Referrer-Policy"), path)
	}
}

func TestDashboard_CrossOrigin(t *testing.T) {
	t.Parallel()
	s := newSite(t, func(o *dashboard.Options) { o.TrustedProxies = proxies })
	b := s.signUp("anna@example.org", "Map room")
	for name, header := range map[string]http.Header{
		"another site":             {"Sec-Fetch-Site": {"cross-site"}, "Origin": {"https://elsewhere.example"}},
		"a sibling host":           {"Sec-Fetch-Site": {"same-site"}, "Origin": {"https://other.example.org"}},
		"an old browser":           {"Origin": {"https://elsewhere.example"}},
		"an origin that is hidden": {"Origin": {"null"}},
	} {
		b.header = header
		p := b.post("/keys", "name", "x", "lifetime", "30")
		require.Equal(t, 403, p.status, name)
		require.Contains(t, p.text(), "sent from another site", name)
	}
	proxied := s.remoteBrowser("192.0.2.1")
	proxied.cookies = b.cookies
	proxied.header.Set("Origin", "https://uncial.example.org")
	require.Equal(t, 200, proxied.post("/keys", "name", "x", "lifetime", "30").status, "the public address is the same site")
}

func TestDashboard_Problems(t *testing.T) {
	t.Parallel()
	s := newSite(t, func(o *dashboard.Options) {
		o.Extra = []dashboard.Extra{{Routes: []dashboard.Route{{
			Method: http.MethodGet, Path: "/panic", Access: dashboard.Anyone, Serve: func(*dashboard.Call) error { panic("hunter2") },
		}}}}
	})
	b := s.signUp("anna@example.org", "Map room")
	for request, status := range map[string]int{
		"GET /nothing": 404, "GET /keys/key_unknown": 404, "PUT /keys": 405, "POST /account": 405, "GET /sign-out": 405, "GET /panic": 500,
		"GET /assets/../routes.go": 404, "GET /keys?after=%27": 200,
	} {
		method, path, _ := strings.Cut(request, " ")
		p := b.request(method, path, nil)
		require.Equal(t, status, p.status, request)
		require.Equal(t, "text/html; charset=utf-8", p.header.Get("Content-Type"), request)
		require.NotContains(t, p.body, "hunter2")
	}
	p := b.post("/keys", "name", strings.Repeat("x", 100_000))
	require.Equal(t, 413, p.status)
	require.Contains(t, s.log.String(), "hunter2", "operators learn the cause")
}
