package app_test

import (
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/impl/account/user"
	"uncial/impl/app"
	"uncial/impl/app/apptest"
	"uncial/impl/dashboard"
	"uncial/internal/browsertest"
)

// TestBrowser_Administration visits the pages that the journey does not: those behind one-time codes, and the operator's.
func TestBrowser_Administration(t *testing.T) {
	t.Parallel()
	browsertest.Enable(t)
	a := apptest.Start(t, app.Options{Dashboard: app.DashboardOptions{SignUp: dashboard.Open}})
	v := newVisitor(t, "http://"+a.Addr())
	v.checks = true
	link, err := a.OperatorLink(t.Context(), "")
	require.NoError(t, err)
	v.Open(link)
	v.check("link")
	v.send("/link")
	require.Contains(t, v.Text("main"), "operator")
	v.check("accept")
	v.fill("email", "operator@example.org", "name", "O. Perator", "password", "correct horse battery staple", "account", "Operations")
	v.send("/accept")

	v.path("/admin")
	v.check("admin")
	v.send("/admin/invitations")
	require.Contains(t, v.Text("#invitation"), "/dashboard/link#")
	v.check("admin-invitation")
	v.follow("Operations")
	v.check("admin-account")
	v.fill("points", "500", "reason", "a test")
	v.send("/grant")
	require.Contains(t, v.Text("main"), "800 of 800")
	v.path("/admin/log")
	require.Contains(t, v.Text("main"), "grant points")
	v.check("log")
	v.path("/admin/audit")
	v.check("audit")

	u, err := a.Data().Users.FindByEmail(t.Context(), "operator@example.org")
	require.NoError(t, err)
	for purpose, page := range map[user.Purpose]string{user.Verification: "verify", user.Reset: "reset"} {
		code, err := a.Data().Users.Issue(t.Context(), user.Token{Purpose: purpose, UserID: u.ID, Email: u.Email})
		require.NoError(t, err)
		v.Open("about:blank") // from one link to another, only the fragment would change
		v.Open(dashboard.Link(v.base, code))
		v.send("/link")
		v.check(page)
	}
	v.path("/forgot")
	v.check("forgot")
	v.path("/sent")
	v.check("sent")
}

// A proxy that nobody trusts may be read by anybody, so the pages refuse to show anything but why.
func TestBrowser_InsecureConnection(t *testing.T) {
	t.Parallel()
	browsertest.Enable(t)
	a := apptest.Start(t, app.Options{})
	proxy := httptest.NewServer(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(&url.URL{Scheme: "http", Host: a.Addr()})
		r.SetXForwarded()
	}})
	t.Cleanup(proxy.Close)
	v := newVisitor(t, proxy.URL)
	v.checks = true
	v.path("/sign-in")
	require.Contains(t, v.Text("main"), "--trusted-proxy")
	v.check("insecure")
}

// TestBrowser_CheckEveryPage finds pages that no test in a browser checks for accessibility.
func TestBrowser_CheckEveryPage(t *testing.T) {
	t.Parallel()
	var tests strings.Builder
	files, err := filepath.Glob("browser*_test.go")
	require.NoError(t, err)
	for _, file := range files {
		source, err := os.ReadFile(file)
		require.NoError(t, err)
		tests.Write(source)
	}
	pages, err := filepath.Glob("../dashboard/templates/*.html")
	require.NoError(t, err)
	more, err := filepath.Glob("../dashboard/*/templates/*.html")
	require.NoError(t, err)
	require.NotEmpty(t, more)
	// The layout is part of every page. The page of errors is checked as "not-found"; those behind codes are in a table.
	elsewhere := []string{"layout", "error", "verify", "reset"}
	for _, page := range append(pages, more...) {
		name := strings.TrimSuffix(filepath.Base(page), ".html")
		if slices.Contains(elsewhere, name) {
			continue
		}
		require.Regexp(t, `[cC]heck\("`+name+`["-]`, tests.String(), "add a check of the page %s", name)
	}
}
