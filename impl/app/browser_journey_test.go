package app_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/netip"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"uncial/impl/app"
	"uncial/impl/app/apptest"
	"uncial/impl/dashboard"
	"uncial/impl/sample"
	"uncial/impl/store/storetest"
	"uncial/internal/browsertest"
	"uncial/testcontainers"
)

// The journey of an account holder: sign up, create a key, extract with it, see it in the usage, rotate it, revoke it.

// visitOpen starts a service that is open for sign-up, and opens a browser for it. The caller moves the clock.
func visitOpen(tb testing.TB) (*visitor, *app.App, *storetest.Clock) {
	tb.Helper()
	clock := storetest.NewClock(time.Now())
	a := apptest.Start(tb, app.Options{Dashboard: app.DashboardOptions{SignUp: dashboard.Open}, Now: clock.Now})
	return newVisitor(tb, "http://"+a.Addr()), a, clock
}

func TestBrowser_Journey_SQLite(t *testing.T) {
	t.Parallel()
	browsertest.Enable(t)
	v, _, clock := visitOpen(t)
	v.checks = true
	v.journey(clock)
}

func TestBrowser_Journey_WithoutScripts(t *testing.T) {
	t.Parallel()
	browsertest.Enable(t)
	v, _, clock := visitOpen(t)
	v.DisableScripts()
	v.journey(clock)
	v.read(mustWrite(t, "page.jpg", sample.Image))
	require.Contains(t, v.Text(".reading .sides .text"), "Christian")
}

func TestBrowser_Journey_TwoReplicas(t *testing.T) {
	t.Parallel()
	browsertest.Enable(t)
	clock := storetest.NewClock(time.Now())
	database := testcontainers.Postgres(t)
	balancer, backends := newBalancer(t)
	for i := range backends {
		a := apptest.Start(t, app.Options{
			Data:      app.DataOptions{Database: database},
			Engine:    app.EngineOptions{Workers: 1},
			Dashboard: app.DashboardOptions{SignUp: dashboard.Open, PublicURL: balancer},
			Now:       clock.Now, TrustedProxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")},
		})
		backends[i].Store(&url.URL{Scheme: "http", Host: a.Addr()})
	}
	newVisitor(t, balancer).journey(clock)
}

// newBalancer starts a proxy that sends requests to two backends in turn, and returns its address.
func newBalancer(tb testing.TB) (address string, backends *[2]atomic.Pointer[url.URL]) {
	tb.Helper()
	backends = new([2]atomic.Pointer[url.URL])
	var turn atomic.Uint64
	srv := httptest.NewServer(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(backends[turn.Add(1)%2].Load())
		r.Out.Host = r.In.Host
	}})
	tb.Cleanup(srv.Close)
	return srv.URL, backends
}

// check checks the open page, if this visitor is to check pages.
func (v *visitor) check(name string) {
	v.Helper()
	if v.checks {
		v.Check(name)
	}
}

// secretKey returns the key that the page shows.
func (v *visitor) secretKey() string {
	v.Helper()
	key := v.Text("#secret")
	require.Regexp(v, `^ocr_live_\w{36}$`, key)
	return key
}

// requireStatus checks the response of GET /status for the key.
func (v *visitor) requireStatus(want int, key, why string) {
	v.Helper()
	got, err := call(v.Context(), http.MethodGet, v.base+"/api/v1/status", key, http.NoBody)
	require.NoError(v, err)
	require.Equal(v, want, got.Status, "%s: %s", why, got.raw)
}

func (v *visitor) journey(clock *storetest.Clock) {
	v.Helper()
	v.Open(v.base + "/")
	require.Contains(v, v.Text("h1"), "Sign in", "/ leads to the dashboard")
	v.check("sign-in")
	v.path("/sign-up")
	v.check("sign-up")
	v.signUp("owner@example.org")
	require.Contains(v, v.Text("main"), "Create a key")
	v.check("home-welcome")

	v.path("/keys/new")
	v.check("key-new")
	v.fill("name", "Scanner", "cap", "200")
	v.send("/keys")
	first := v.secretKey()
	v.check("key-secret")

	ctx, cancel := context.WithTimeout(v.Context(), time.Minute)
	defer cancel()
	got, err := extract(ctx, v.base, first, map[string]any{"imageUrl": inline(sample.Image)})
	require.NoError(v, err)
	requireSample(v, got)
	v.path("/usage")
	require.Contains(v, v.Text("main"), "Scanner")
	require.Regexp(v, `\b10\b`, v.Text("main"))
	v.check("usage")

	v.rotateAndRevoke(first, clock)
	v.path("/account")
	require.Contains(v, v.Text("main"), "Reading room")
	v.check("account")
	v.path("/nothing")
	require.Contains(v, v.Text("main"), "not found")
	require.Contains(v, v.Text("nav"), "Playground", "the menu stays")
	v.check("not-found")
}

// rotateAndRevoke replaces the key of the scanner and revokes the new one.
func (v *visitor) rotateAndRevoke(first string, clock *storetest.Clock) {
	v.Helper()
	v.path("/keys")
	require.Contains(v, v.Text("main"), first[len(first)-4:])
	v.check("keys")
	v.follow("Scanner")
	page := v.location()
	v.check("key")
	v.Do(chromedp.Click(`[name="overlap"][value="1h"]`, chromedp.ByQuery))
	v.send("/rotate")
	second := v.secretKey()
	require.NotEqual(v, first, second)
	v.requireStatus(http.StatusOK, first, "both keys work during the overlap of an hour")
	v.requireStatus(http.StatusOK, second, "both keys work during the overlap of an hour")
	replacement := v.location()
	clock.Advance(61 * time.Minute)
	v.requireStatus(http.StatusUnauthorized, first, "the overlap is over")
	v.requireStatus(http.StatusOK, second, "the new key stays")
	v.Open(page)
	require.Contains(v, v.Text("main"), "expired")
	v.check("key-expired")

	v.Open(replacement)
	v.send("/revoke")
	require.Contains(v, v.Text("main"), "revoked")
	v.requireStatus(http.StatusUnauthorized, second, "the key is revoked")
	v.check("key-revoked")
}

// follow clicks the link with that text in the page.
func (v *visitor) follow(text string) {
	v.Helper()
	v.Do(browsertest.Follow(chromedp.Click(`//main//a[normalize-space()="`+text+`"]`, chromedp.BySearch)))
}

// location returns the address of the open page, without the code of a message.
func (v *visitor) location() string {
	v.Helper()
	var at string
	v.Do(chromedp.Location(&at))
	at, _, _ = strings.Cut(at, "?")
	return at
}
