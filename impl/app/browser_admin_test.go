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

	"github.com/chromedp/chromedp"
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
	v.Do(chromedp.Click("main details summary", chromedp.ByQuery))
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
	v.requireMembers(a.Data().Users, u)
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

// requireMembers invites somebody to the account of an owner, and checks the page with a member and another owner, whose forms
// ask for the password.
func (v *visitor) requireMembers(users *user.Directory, owner user.User) {
	v.Helper()
	memberships, err := users.Memberships(v.Context(), owner.ID)
	require.NoError(v, err)
	for role, email := range map[user.Role]string{user.PlainMember: "reader@example.org", user.Owner: "keeper@example.org"} {
		code, err := users.Issue(v.Context(), user.Token{Purpose: user.Invitation, AccountID: memberships[0].ID, Role: role})
		require.NoError(v, err)
		_, _, err = users.Accept(v.Context(), code, user.NewUser{Email: email, Name: "A. Reader", Password: "correct horse battery staple"})
		require.NoError(v, err)
	}
	v.path("/account")
	v.fill("invite-email", "next@example.org")
	v.send("/members")
	require.Contains(v, v.Text("main"), "next@example.org")
	for range 3 { // make an owner; make a member and remove
		v.Do(chromedp.Click("main details:not([open]) summary", chromedp.ByQuery))
	}
	v.check("account-members")
	v.send("/revoke")
	require.NotContains(v, v.Text("main"), "next@example.org")
}

// A form that is sent after the session has ended is lost, and the page says so, however large the form is.
func TestBrowser_SessionEnded(t *testing.T) {
	t.Parallel()
	browsertest.Enable(t)
	a := apptest.Start(t, app.Options{Dashboard: app.DashboardOptions{SignUp: dashboard.Open}})
	v := newVisitor(t, "http://"+a.Addr())
	v.checks = true
	v.signUp("owner@example.org")
	u, err := a.Data().Users.FindByEmail(t.Context(), "owner@example.org")
	require.NoError(t, err)
	v.path("/playground")
	const size = 19 << 20 // much more than the server reads by itself
	v.Do(chromedp.SetUploadFiles("#try-file", []string{mustWrite(t, "large.png", make([]byte, size))}, chromedp.ByQuery))
	require.NoError(t, a.Data().Sessions.EndAll(t.Context(), u.ID))
	v.send("/playground")
	require.Contains(t, v.Text("main"), "Your session has ended, and nothing was changed.")
	v.check("session-ended")
	v.fill("email", "owner@example.org", "password", "correct horse battery staple")
	v.send("/sign-in")
	require.Contains(t, v.Text("h1"), "Playground", "it leads back to the form")
}

// Anybody may read what passes through a proxy that is not trusted, so the pages show only why they refuse the request.
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

// TestBrowser_CheckEveryPage fails if there is a page that no test in a browser checks for accessibility.
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
