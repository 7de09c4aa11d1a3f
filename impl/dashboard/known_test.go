package dashboard_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"uncial/impl/dashboard"
)

// failures returns the largest number of failed sign-ins that the database holds for any user, address or browser.
func (s *site) failures() (n int64) {
	s.Helper()
	require.NoError(s, s.store.Reader().Get(s.Context(), `SELECT COALESCE(MAX(count), 0) FROM attempts`, nil, &n))
	return n
}

// attempts returns the number of users, addresses and browsers whose failed sign-ins the database holds.
func (s *site) attempts() (n int) {
	s.Helper()
	require.NoError(s, s.store.Reader().Get(s.Context(), `SELECT COUNT(*) FROM attempts WHERE count > 0`, nil, &n))
	return n
}

func TestDashboard_KnownBrowser(t *testing.T) {
	t.Parallel()
	s := newSite(t, func(o *dashboard.Options) { o.TrustedProxies = proxies })
	s.signUp("anna@example.org", "Map room")
	known := s.remoteBrowser("192.0.2.7")
	known.post("/sign-in", "email", "anna@example.org", "password", password)
	known.post("/sign-out")
	const guesses = 10 // before the first delay
	for i := range guesses {
		s.remoteBrowser(fmt.Sprintf("198.51.100.%d", i)).post("/sign-in", "email", "anna@example.org", "password", "a guess")
	}
	require.EqualValues(t, guesses, s.failures())
	require.Equal(t, "/", known.post("/sign-in", "email", " Anna@example.org", "password", password).path)
	require.EqualValues(t, guesses, s.failures(), "counted apart from the guesses, which stay")

	known.post("/sign-out")
	s.signUp("bert@example.org", "Print room")
	for range 4 { // a browser is known to its own user only
		known.post("/sign-in", "email", "bert@example.org", "password", "a guess")
	}
	require.EqualValues(t, guesses, s.failures())
	require.Equal(t, "/", s.remoteBrowser("203.0.113.1").post("/sign-in", "email", "anna@example.org", "password", password).path)
	require.EqualValues(t, 4, s.failures(), "a sign-in from elsewhere is counted with the guesses, and clears them")
}

func TestDashboard_KnownBrowser_SeveralUsers(t *testing.T) {
	t.Parallel()
	s := newSite(t, func(o *dashboard.Options) { o.TrustedProxies = proxies })
	shared := s.remoteBrowser("192.0.2.7")
	const users = 9 // one more than a browser is known to
	email := func(i int) string { return fmt.Sprintf("reader%d@example.org", i) }
	for i := range users {
		s.signUp(email(i), "Reading room")
		require.Equal(t, "/", shared.post("/sign-in", "email", email(i), "password", password).path)
		shared.post("/sign-out")
	}
	require.Less(t, len(shared.cookies["__Host-uncial-known"].Value), 2000)
	// Failures of a known browser count for it alone, those of others for user, address and both.
	for i, want := range map[int]int{0: 3, 1: 1, users - 1: 1} {
		before := s.attempts()
		shared.post("/sign-in", "email", email(i), "password", "a mistake")
		require.Equal(t, want, s.attempts()-before, i)
	}
	s.clock.Advance(181 * 24 * time.Hour)
	before := s.attempts()
	shared.post("/sign-in", "email", email(2), "password", "a mistake")
	require.Greater(t, s.attempts()-before, 1, "half a year later")
}

func TestDashboard_KnownBrowser_Reset(t *testing.T) {
	t.Parallel()
	mails := &mailbox{}
	s := newSite(t, func(o *dashboard.Options) { o.Mail, o.TrustedProxies = mails, proxies })
	known := s.remoteBrowser("192.0.2.7")
	s.acceptInvitation(known, "anna@example.org")
	known.post("/sign-out")
	for i := range 10 {
		s.remoteBrowser(fmt.Sprintf("198.51.100.%d", i)).post("/forgot", "email", "anna@example.org")
	}
	require.Len(t, mails.messages, 6, "strangers cannot have more messages sent")
	known.post("/forgot", "email", "anna@example.org")
	require.Len(t, mails.messages, 7, "and do not use up the links of the owner")
	require.Contains(t, known.post("/reset", "code", mails.code(t, "anna@example.org"), "password", "a new password for anna").text(), "The password was changed")
}

func TestDashboard_TellsAboutChanges(t *testing.T) {
	t.Parallel()
	mails := &mailbox{}
	s := newSite(t, withMail(mails))
	b := s.browser()
	s.acceptInvitation(b, "anna@example.org")
	latest := func() message { return mails.messages[len(mails.messages)-1] }

	b.post("/account/password", "current", password, "password", "a new password for anna")
	require.Equal(t, "anna@example.org", latest().to)
	require.Contains(t, latest().text, "Your password was changed")
	require.Contains(t, latest().text, "If this was not you, choose a new password")

	require.Contains(t, b.post("/account/email", "email", "anna@example.net", "email-password", "a new password for anna").text(), "on its way")
	require.Equal(t, "anna@example.net", latest().to)
	require.Contains(t, b.post("/verify", "code", mails.code(t, "anna@example.net")).text(), "The e-mail address is verified.")
	require.Equal(t, "anna@example.org", latest().to, "the old address is told")
	require.Contains(t, latest().text, "Your e-mail address was changed.")
	require.NotContains(t, latest().text, "anna@example.net")

	b.post("/forgot", "email", "anna@example.net")
	b.post("/reset", "code", mails.code(t, "anna@example.net"), "password", password)
	require.Equal(t, "anna@example.net", latest().to)
	require.Contains(t, latest().subject, "Your password for Uncial was changed")
}
