package app_test

import (
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"uncial/internal/browsertest"
)

// TestBrowser_RareStatesOfPages checks pages in states that the journeys do not reach: keys to rotate, mistakes in forms, and a
// suspended account.
func TestBrowser_RareStatesOfPages(t *testing.T) {
	t.Parallel()
	browsertest.Enable(t)
	v, a, clock := visitOpen(t)
	v.checks = true
	v.signUp("owner@example.org")
	for _, lifetime := range []string{"90", "365", "never"} {
		v.path("/keys/new")
		v.Do(chromedp.Click(`[name="lifetime"][value="`+lifetime+`"]`, chromedp.ByQuery))
		v.fill("name", "Scanner for "+lifetime)
		v.send("/keys")
	}
	const day = 24 * time.Hour
	clock.Advance(80 * day)
	v.signIn("owner@example.org")
	v.path("/keys")
	require.Contains(t, v.Text("main"), "rotate soon")
	v.check("keys-soon")
	clock.Advance(8 * day)
	v.signIn("owner@example.org")
	require.Contains(t, v.Text("main"), "Keys that need attention")
	require.Contains(t, v.Text("main"), "urgent")
	v.check("home-attention")
	v.path("/keys")
	require.Contains(t, v.Text("main"), "rotate now")
	v.check("keys-now")
	v.follow("Scanner for 90")
	v.check("key-attention")
	v.fill("allow", "192.0.2.0/33")
	v.send("/ranges")
	require.Contains(t, v.Text("main"), "Nothing was changed.")
	v.Do(chromedp.Poll(`document.activeElement.name === "allow"`, nil)) // the field that is wrong
	v.check("key-mistake")

	u, err := a.Data().Users.FindByEmail(t.Context(), "owner@example.org")
	require.NoError(t, err)
	memberships, err := a.Data().Users.Memberships(t.Context(), u.ID)
	require.NoError(t, err)
	require.NoError(t, a.Data().Accounts.Suspend(t.Context(), memberships[0].ID))
	v.path("/")
	require.Contains(t, v.Text("main"), "The account is suspended.")
	v.check("home-suspended")

	v.signOut()
	v.path("/sign-up")
	v.fill("email", "owner@example.org", "name", "A. Reader", "password", "correct horse battery staple", "account", "\u200b")
	v.send("/sign-up")
	v.Do(chromedp.Poll(`document.activeElement.name === "account"`, nil)) // the field that is wrong
	v.check("sign-up-mistake")
	v.path("/sign-in")
	v.fill("email", "owner@example.org", "password", "a wrong password")
	v.send("/sign-in")
	require.Contains(t, v.Text("main"), "The e-mail address or the password is wrong.")
	v.check("sign-in-mistake")
}

// signIn signs in as a user who has signed up, and whose session has ended.
func (v *visitor) signIn(email string) {
	v.Helper()
	v.path("/sign-in")
	v.fill("email", email, "password", "correct horse battery staple")
	v.send("/sign-in")
}
