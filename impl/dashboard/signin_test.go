package dashboard_test

import (
	"fmt"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"uncial/impl/account/user"
	"uncial/impl/dashboard"
)

func TestDashboard_SignIn(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	s.signUp("anna@example.org", "Map room")
	b := s.browser()

	t.Run("leads back to the page that was asked for", func(t *testing.T) {
		p := b.get("/keys/new")
		require.Contains(t, p.path, "/sign-in?next=%2Fkeys%2Fnew")
		p = b.post("/sign-in", "email", "Anna@Example.org", "password", password, "next", "/keys/new")
		require.Equal(t, "/keys/new", p.path)
	})
	t.Run("leads back with the query of the page, but not with its message", func(t *testing.T) {
		other := s.browser()
		p := other.get("/usage?month=2026-03&done=welcome")
		require.Contains(t, p.path, "/sign-in?next=%2Fusage%3F")
		next := regexp.MustCompile(`name="next" value="([^"]*)"`).FindStringSubmatch(p.body)
		require.Len(t, next, 2)
		p = other.post("/sign-in", "email", "anna@example.org", "password", password, "next", html.UnescapeString(next[1]))
		require.Equal(t, "/usage?month=2026-03", p.path)
	})
	t.Run("says that a form was lost with its session", func(t *testing.T) {
		p := s.browser().post("/keys", "name", "scanner")
		require.Contains(t, p.text(), "Your session has ended, and nothing was changed.")
		require.Contains(t, p.body, `name="next" value="/keys"`)
		p = s.browser().post("/keys/key_1/revoke")
		require.Contains(t, p.body, `name="next" value="/"`, "there is no such page to lead back to")
	})
	t.Run("replaces the token of the session", func(t *testing.T) {
		before := b.cookies["__Host-uncial-session"].Value
		b.post("/sign-in", "email", "anna@example.org", "password", password)
		require.NotEqual(t, before, b.cookies["__Host-uncial-session"].Value)
		old := s.browser()
		old.cookies["__Host-uncial-session"] = &http.Cookie{Name: "__Host-uncial-session", Value: before}
		require.Contains(t, old.get("/keys").path, "/sign-in")
	})
	t.Run("answers alike to an unknown address and a wrong password", func(t *testing.T) {
		unknown := s.browser().post("/sign-in", "email", "nobody@example.org", "password", "wrong password")
		wrong := s.browser().post("/sign-in", "email", "anna@example.org", "password", "wrong password")
		require.Equal(t, 422, wrong.status)
		require.Equal(t, unknown.status, wrong.status)
		require.Equal(t, strings.ReplaceAll(unknown.body, "nobody@", "anna@"), wrong.body)
		require.NotContains(t, wrong.body, "wrong password\"", "a password is never sent back")
	})
	t.Run("ends with signing out", func(t *testing.T) {
		token := b.cookies["__Host-uncial-session"]
		require.Contains(t, b.post("/sign-out").text(), "You are signed out.")
		b.cookies[token.Name] = token
		require.Contains(t, b.get("/").path, "/sign-in", "the token is worthless afterwards")
	})
}

func TestDashboard_SignIn_Redirect(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	s.signUp("anna@example.org", "Map room")
	for _, next := range []string{"https://elsewhere.example/", "//elsewhere.example/", "/\\elsewhere.example", "keys", "/sign-out", "//elsewhere.example/keys?x=1", "/keys/../../../docs", "/\r\nX: y", "/../docs", "/..//elsewhere.example", "/keys?" + strings.Repeat("x", 500)} {
		b := s.browser()
		b.request(http.MethodPost, "/sign-in", nil)
		p := b.post("/sign-in", "email", "anna@example.org", "password", password, "next", next)
		require.Equal(t, "/", p.path, "stays below /dashboard")
	}
}

func TestDashboard_Session_Expiry(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	b := s.signUp("anna@example.org", "Map room")
	s.clock.Advance(23 * time.Hour)
	require.Equal(t, "/keys", b.get("/keys").path, "a session that is used goes on")
	idle := s.clock.Now()
	s.clock.Set(idle.Add(25 * time.Hour))
	require.Contains(t, b.get("/keys").path, "/sign-in", "a session that is not used for a day ends")

	b = s.browser()
	b.post("/sign-in", "email", "anna@example.org", "password", password)
	for range 14 {
		require.Equal(t, "/keys", b.get("/keys").path)
		s.clock.Advance(23*time.Hour + 59*time.Minute)
	}
	s.clock.Advance(time.Hour)
	require.Contains(t, b.get("/keys").path, "/sign-in", "a session that is used every day ends after 14 days")
}

func TestDashboard_SignOutEverywhere(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	one := s.signUp("anna@example.org", "Map room")
	two, three := s.browser(), s.browser()
	for _, b := range []*browser{two, three} {
		b.post("/sign-in", "email", "anna@example.org", "password", password)
	}
	p := one.get("/account")
	require.Equal(t, 2, strings.Count(p.body, "End<span"), "the other two can be ended")
	id := s.sessionOf(two)
	require.Contains(t, one.post("/sessions/"+id+"/end").text(), "The session was ended.")
	require.Contains(t, two.get("/keys").path, "/sign-in")
	require.Equal(t, "/keys", three.get("/keys").path)

	require.Contains(t, one.post("/sessions/end").text(), "signed out in all browsers")
	require.Contains(t, three.get("/keys").path, "/sign-in")
}

func TestDashboard_ChangePassword(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	one := s.signUp("anna@example.org", "Map room")
	two := s.browser()
	two.post("/sign-in", "email", "anna@example.org", "password", password)

	p := one.post("/account/password", "current", "not the password", "password", "a new password for anna")
	require.Equal(t, 422, p.status)
	require.Contains(t, p.text(), "This is not your current password.")
	p = one.post("/account/password", "current", password, "password", "short")
	require.Equal(t, 422, p.status)
	p = one.post("/account/password", "current", password, "password", "a new password for anna")
	require.Contains(t, p.text(), "The password was changed")
	require.Equal(t, "/keys", one.get("/keys").path, "the browser that changed it stays signed in")
	require.Contains(t, two.get("/keys").path, "/sign-in", "others do not")
	require.Equal(t, 200, two.post("/sign-in", "email", "anna@example.org", "password", "a new password for anna").status)
}

func TestDashboard_Reset(t *testing.T) {
	t.Parallel()
	mails := &mailbox{}
	s := newSite(t, withMail(mails))
	u, _, err := s.Users.SignUp(t.Context(), user.NewUser{Email: "anna@example.org", Name: "Anna", Password: password, Account: "Map room", Plan: "free"})
	require.NoError(t, err)
	b := s.browser()
	known := b.post("/forgot", "email", "anna@example.org")
	began := time.Now()
	unknown := b.post("/forgot", "email", "nobody@example.org")
	require.GreaterOrEqual(t, time.Since(began), 400*time.Millisecond, "the time does not tell either")
	require.Equal(t, known.body, unknown.body, "the answer does not tell who has a user")
	require.Len(t, mails.messages, 1)

	code := mails.code(t, "anna@example.org")
	p := b.post("/link", "code", code)
	require.Contains(t, p.text(), "Choose a new password")
	require.Equal(t, 422, b.post("/reset", "code", code, "password", "short").status, "a bad password does not use up the code")
	require.Contains(t, b.post("/reset", "code", code, "password", "a new password for anna").text(), "The password was changed")
	require.Equal(t, 422, b.post("/reset", "code", code, "password", "another password for anna").status, "a code works once")
	_, err = s.Users.SignIn(t.Context(), u.Email, "a new password for anna", user.Client{})
	require.NoError(t, err)
	require.NotContains(t, s.log.String(), code)
}

func TestDashboard_SignUp_Open(t *testing.T) {
	t.Parallel()
	mails := &mailbox{}
	s := newSite(t, withMail(mails))
	b := s.browser()
	fields := []string{"email", "anna@example.org", "name", "Anna", "password", password, "account", "Map room"}
	require.Equal(t, "/sent", b.post("/sign-up", fields...).path)
	require.Equal(t, "/sent", b.post("/sign-in", "email", "anna@example.org", "password", password).path, "not before the address is verified")
	code := mails.code(t, "anna@example.org")
	require.Contains(t, b.post("/link", "code", code).text(), "Is anna@example.org your address?")
	require.Contains(t, b.post("/verify", "code", code).text(), "The e-mail address is verified.")
	require.Equal(t, "/", b.post("/sign-in", "email", "anna@example.org", "password", password).path)

	again := s.browser().post("/sign-up", fields...)
	require.Equal(t, "/sent", again.path, "the answer does not tell that the address is known")
	require.Contains(t, mails.messages[len(mails.messages)-1].text, "is already registered")
}

func TestDashboard_SignUp_Bound(t *testing.T) {
	t.Parallel()
	s := newSite(t, func(o *dashboard.Options) { o.Mail, o.TrustedProxies = &mailbox{}, proxies })
	statuses := map[int]int{}
	for i := range 8 {
		b := s.remoteBrowser("192.0.2.7")
		statuses[b.post("/sign-up", "email", string(rune('a'+i))+"@example.org", "name", "N", "password", password, "account", "A").status]++
	}
	require.Equal(t, map[int]int{200: 5, 429: 3}, statuses)
}

func TestDashboard_SignUp_Mistyped(t *testing.T) {
	t.Parallel()
	s := newSite(t, func(o *dashboard.Options) { o.Mail, o.TrustedProxies = &mailbox{}, proxies })
	b := s.remoteBrowser("192.0.2.7")
	for range 8 {
		p := b.post("/sign-up", "email", "anna", "name", "", "password", "short", "account", "")
		require.Equal(t, 422, p.status, "a mistyped form does not count as a sign-up")
		for _, field := range []string{"email", "name", "password", "account"} {
			require.Contains(t, p.body, `id="`+field+`-error"`, "all problems are shown at once")
		}
	}
	require.Equal(t, "/sent", b.post("/sign-up", "email", "anna@example.org", "name", "Anna", "password", password, "account", "Map room").path)

	code, err := s.Users.Issue(t.Context(), user.Token{Purpose: user.Invitation, AccountID: s.accountOf("anna@example.org"), Role: user.PlainMember})
	require.NoError(t, err)
	p := b.post("/accept", "code", code, "email", "bert", "name", "Bert", "password", "short")
	require.Contains(t, p.body, `id="email-error"`)
	require.Contains(t, p.body, `id="password-error"`)
}

func TestDashboard_SignUp_Closed(t *testing.T) {
	t.Parallel()
	for _, mode := range []dashboard.SignUp{dashboard.Closed, dashboard.Invite, ""} {
		s := newSite(t, func(o *dashboard.Options) { o.SignUp = mode })
		b := s.browser()
		require.NotContains(t, b.get("/sign-up").body, `name="password"`)
		require.Equal(t, 403, b.post("/sign-up", "email", "anna@example.org", "name", "Anna", "password", password, "account", "Map room").status)
	}
}

func TestDashboard_Replicas(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	replica := s.replica()
	b := s.signUp("anna@example.org", "Map room")
	b.handler = replica
	require.Equal(t, "/keys", b.get("/keys").path, "a session is good for all replicas")
	made := b.request(http.MethodPost, "/keys", url.Values{"name": {"scanner"}, "lifetime": {"90"}})
	require.Equal(t, 303, made.status)
	b.handler = s.Dashboard
	tokenOf(t, b.follow(made)) // another replica shows the token
	b.handler = replica
	b.post("/sign-out")
	b.handler = s.Dashboard
	require.Contains(t, b.get("/keys").path, "/sign-in")
}

func TestDashboard_Invitations_Bounded(t *testing.T) {
	t.Parallel()
	mails := &mailbox{}
	s := newSite(t, withMail(mails))
	b := s.browser()
	s.acceptInvitation(b, "anna@example.org")
	account := s.accountOf("anna@example.org")
	for i := range 50 {
		_, err := s.Users.IssueMail(t.Context(), user.Token{
			Purpose: user.Invitation, AccountID: account, Role: user.PlainMember, Email: fmt.Sprintf("reader%d@example.org", i),
		}, account, user.Client{})
		require.NoError(t, err)
	}
	p := b.post("/members", "invite-email", "one-more@example.org", "role", "member")
	require.Equal(t, 422, p.status)
	require.Contains(t, p.text(), "Too many messages to other addresses; at most 50 are sent within 24 hours; try again tomorrow.")
	require.Empty(t, mails.messages)
	require.Contains(t, b.post("/members", "invite-email", "", "role", "member").text(), "Pass on this link now.", "a link needs no mail")
}
