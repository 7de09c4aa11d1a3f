package app_test

import (
	"net/url"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"uncial/impl/account/user"
	"uncial/impl/app"
	"uncial/impl/app/apptest"
	"uncial/impl/dashboard"
	"uncial/impl/dashboard/openidtest"
	"uncial/internal/browsertest"
)

// startWithProvider starts the service with an OpenID Connect provider, which to the browser is another site.
func startWithProvider(t *testing.T) (a *app.App, v *visitor) {
	t.Helper()
	browsertest.Enable(t)
	address, backends := newBalancer(t) // known before the service starts, because the provider needs it
	a = apptest.Start(t, app.Options{Dashboard: app.DashboardOptions{
		SignUp: dashboard.Invite, PublicURL: address, OpenID: openidtest.New(t).OpenID(),
	}})
	for i := range backends {
		backends[i].Store(&url.URL{Scheme: "http", Host: a.Addr()})
	}
	return a, newVisitor(t, address)
}

// The journey of somebody who links a provider to a user with a password, signs in with it, and removes the link.
func TestBrowser_OpenID_Link(t *testing.T) {
	t.Parallel()
	a, v := startWithProvider(t)
	v.checks = true
	v.linkProvider(a.Data().Users)
}

func TestBrowser_OpenID_Link_WithoutScripts(t *testing.T) {
	t.Parallel()
	a, v := startWithProvider(t)
	v.DisableScripts()
	v.linkProvider(a.Data().Users)
}

func (v *visitor) linkProvider(users *user.Directory) {
	v.Helper()
	const password = "correct horse battery staple"
	v.openInvitation(users)
	v.check("accept-openid")
	v.fill("email", "owner@example.org", "name", "O. Wner", "password", password, "account", "Reading room")
	v.send("/accept")

	v.path("/account")
	v.fill("openid-password", "a wrong password")
	v.send("/account/openid")
	require.Contains(v, v.Text("main"), "This is not your current password.")
	v.check("account-openid")
	v.fill("openid-password", password)
	v.send("/account/openid")
	v.check("account-openid-confirmed")
	v.follow("Continue with Archive login")
	require.Contains(v, v.Text("main"), "The provider was linked.")
	require.Contains(v, v.Text("main"), "You can also sign in with Archive login.")
	v.check("account-openid-linked")

	v.signOut()
	v.path("/usage")
	v.check("sign-in-openid")
	v.follow("Sign in with Archive login")
	require.Contains(v, v.Text("h1"), "Usage", "it leads back to the page")
	require.Contains(v, v.Text(".who"), "owner@example.org")

	v.path("/account")
	v.fill("openid-password", password)
	v.send("/account/openid/remove")
	require.Contains(v, v.Text("main"), "The link to the provider was removed.")
	v.signOut()
	v.follow("Sign in with Archive login")
	require.Contains(v, v.Text("h1"), "You are not registered here")
	v.check("openid-refused")
}

// Somebody accepts an invitation with a provider, and has no password.
func TestBrowser_OpenID_SignUp(t *testing.T) {
	t.Parallel()
	a, v := startWithProvider(t)
	v.checks = true
	v.openInvitation(a.Data().Users)
	v.follow("Sign up with Archive login")
	require.Contains(t, v.Text("main"), "Create a key")
	require.Contains(t, v.Text(".who"), "anna@example.org")
	v.path("/account")
	require.NotContains(t, v.Text("main"), "Current password")
	v.check("account-openid-only")
}

// openInvitation follows the link of an invitation to an account of one's own.
func (v *visitor) openInvitation(users *user.Directory) {
	v.Helper()
	code, err := users.Issue(v.Context(), user.Token{Purpose: user.Invitation})
	require.NoError(v, err)
	v.path("/link")
	v.fill("code", code)
	v.send("/link")
}

func (v *visitor) signOut() {
	v.Helper()
	v.Do(browsertest.Follow(chromedp.Click("header form button", chromedp.ByQuery)))
}
