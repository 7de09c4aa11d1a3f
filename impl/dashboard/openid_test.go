package dashboard_test

import (
	"crypto/rand"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"uncial/impl/account/user"
	"uncial/impl/dashboard"
	"uncial/impl/dashboard/openidtest"
)

// provider is what the person and the browser do at the provider.
type provider struct {
	testing.TB
	*openidtest.Provider
}

func newProvider(tb testing.TB) provider {
	tb.Helper()
	return provider{tb, openidtest.New(tb)}
}

// authorize follows the browser to the provider, and returns the query of the way back.
func (p provider) authorize(location string) url.Values {
	p.Helper()
	require.True(p, strings.HasPrefix(location, p.Issuer+"/authorize?"), location)
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	request, err := http.NewRequestWithContext(p.Context(), http.MethodGet, location, http.NoBody)
	require.NoError(p, err)
	answer, err := client.Do(request)
	require.NoError(p, err)
	require.NoError(p, answer.Body.Close())
	back, query, _ := strings.Cut(answer.Header.Get("Location"), "?")
	require.Equal(p, "https://uncial.example.org/dashboard/openid/callback", back)
	values, err := url.ParseQuery(query)
	require.NoError(p, err)
	return values
}

// signIn goes to the provider and back.
func (p provider) signIn(b *browser, start string) page {
	p.Helper()
	away := b.request(http.MethodGet, start, nil)
	require.Equal(p, 303, away.status, away.text())
	return b.get("/openid/callback?" + p.authorize(away.header.Get("Location")).Encode())
}

func withProvider(p provider, mode dashboard.SignUp) func(*dashboard.Options) {
	return func(o *dashboard.Options) {
		id := p.OpenID()
		o.SignUp, o.OpenID = mode, &id
	}
}

// withIssuer configures a provider that does not work.
func withIssuer(url string) func(*dashboard.Options) {
	return func(o *dashboard.Options) {
		o.OpenID = &dashboard.OpenID{Issuer: url, ClientID: "uncial", ClientSecret: "client-secret", Name: "Archive login"}
	}
}

func TestDashboard_OpenID(t *testing.T) {
	t.Parallel()
	p := newProvider(t)
	s := newSite(t, withProvider(p, dashboard.Open))
	b := s.browser()
	require.Contains(t, b.get("/sign-in").text(), "Sign in with Archive login")
	first := p.signIn(b, "/openid")
	require.Equal(t, "/", first.path, first.text())
	require.NotContains(t, b.get("/account").body, "Current password", "the person has none here")

	other := s.browser()
	require.Equal(t, "/", p.signIn(other, "/openid").path)
	require.Contains(t, other.get("/account").text(), "anna@example.org", "the same user signs in again")
	require.Equal(t, 422, s.browser().post("/sign-in", "email", "anna@example.org", "password", "").status)
}

func TestDashboard_OpenID_Refused(t *testing.T) {
	t.Parallel()
	p := newProvider(t)
	s := newSite(t, withProvider(p, dashboard.Open))
	for name, spoil := range map[string]func(b *browser, query url.Values){
		"the state of another browser": func(_ *browser, q url.Values) { q.Set("state", rand.Text()) },
		"no cookie":                    func(b *browser, _ url.Values) { delete(b.cookies, "__Host-uncial-openid") },
		"an unknown code":              func(_ *browser, q url.Values) { q.Set("code", rand.Text()) },
		"a late answer":                func(*browser, url.Values) { s.clock.Advance(11 * time.Minute) },
		"a refusal":                    func(_ *browser, q url.Values) { q.Del("code"); q.Set("error", "access_denied") },
	} {
		b := s.browser()
		query := p.authorize(b.request(http.MethodGet, "/openid", nil).header.Get("Location"))
		spoil(b, query)
		require.Equal(t, 400, b.get("/openid/callback?"+query.Encode()).status, name)
		require.Contains(t, b.get("/keys").path, "/sign-in", name)
		require.NotContains(t, s.log.String(), query.Get("state"), name)
	}
	one, two := s.browser(), s.browser()
	query := p.authorize(one.request(http.MethodGet, "/openid", nil).header.Get("Location"))
	two.request(http.MethodGet, "/openid", nil)
	require.Equal(t, 400, two.get("/openid/callback?"+query.Encode()).status, "a link cannot sign somebody else in")
}

func TestDashboard_OpenID_TokenForAnother(t *testing.T) {
	t.Parallel()
	for claim, value := range map[string]any{"aud": "another client", "iss": "https://elsewhere.example", "nonce": "another nonce", "exp": int64(1)} {
		p := newProvider(t)
		p.Set(claim, value)
		s := newSite(t, withProvider(p, dashboard.Open))
		require.Equal(t, 400, p.signIn(s.browser(), "/openid").status, claim)
	}
}

func TestDashboard_OpenID_SignUp(t *testing.T) {
	t.Parallel()
	p := newProvider(t)
	s := newSite(t, withProvider(p, dashboard.Invite))
	require.Equal(t, 403, p.signIn(s.browser(), "/openid").status, "without an invitation")

	code, err := s.Users.Issue(t.Context(), user.Token{Purpose: user.Invitation})
	require.NoError(t, err)
	b := s.browser()
	require.Contains(t, b.post("/link", "code", code).body, "/dashboard/openid?invitation")
	require.Equal(t, "/", p.signIn(b, "/openid?invitation").path)

	s.signUp("bert@example.org", "Print room")
	p.Set("sub", "person-2")
	p.Set("email", "bert@example.org")
	code, err = s.Users.Issue(t.Context(), user.Token{Purpose: user.Invitation})
	require.NoError(t, err)
	thief := s.browser()
	thief.post("/link", "code", code)
	require.Equal(t, 409, p.signIn(thief, "/openid?invitation").status, "an e-mail address does not give access to its user")
}

func TestDashboard_OpenID_Invitation(t *testing.T) {
	t.Parallel()
	p := newProvider(t)
	p.Set("name", "Anna\u200b") // cannot be shown
	s := newSite(t, withProvider(p, dashboard.Open))
	b := s.browser()
	require.Equal(t, "/", p.signIn(b, "/openid").path)
	require.Contains(t, b.get("/").text(), "anna@example.org", "stands for the name")

	s.signUp("bert@example.org", "Print room")
	for _, email := range []string{"bert@example.org", "anna@example.org"} {
		code, err := s.Users.Issue(t.Context(), user.Token{
			Purpose: user.Invitation, AccountID: s.accountOf("bert@example.org"), Role: user.PlainMember, Email: email,
		})
		require.NoError(t, err)
		other := s.browser()
		other.post("/link", "code", code)
		require.Equal(t, "/", p.signIn(other, "/openid?invitation").path)
		require.Equal(t, email == "anna@example.org", strings.Contains(other.get("/").text(), "Print room"), "an invited person joins")
	}
}

func TestDashboard_OpenID_UnverifiedAddress(t *testing.T) {
	t.Parallel()
	p, mails := newProvider(t), &mailbox{}
	p.Set("email_verified", false)
	s := newSite(t, func(o *dashboard.Options) {
		withProvider(p, dashboard.Open)(o)
		withMail(mails)(o)
	})
	b := s.browser()
	require.Equal(t, "/sent", p.signIn(b, "/openid").path)
	require.Equal(t, "/sent", p.signIn(b, "/openid").path, "a second sign-in does not replace the verification")
	b.post("/verify", "code", mails.code(t, "anna@example.org"))
	require.Equal(t, "/", p.signIn(b, "/openid").path)
}

func TestDashboard_OpenID_ConfirmsBySigningInAgain(t *testing.T) {
	t.Parallel()
	p := newProvider(t)
	s := newSite(t, withProvider(p, dashboard.Open))
	b := s.browser()
	p.signIn(b, "/openid")
	s.clock.Advance(11 * time.Minute)
	refused := b.post("/account/email", "email", "thief@example.org")
	require.Equal(t, 403, refused.status, "a stolen session does not take over the user")
	require.Contains(t, refused.text(), "sign in with the provider again")
	require.Equal(t, 403, b.post("/account/delete-user").status)

	p.signIn(b, "/openid")
	require.Equal(t, 200, b.post("/account/email", "email", "anne@example.org").status)
	require.Contains(t, b.get("/account").text(), "anne@example.org")
}

func TestDashboard_OpenID_ProviderDown(t *testing.T) {
	t.Parallel()
	stopped := httptest.NewServer(http.NotFoundHandler())
	stopped.Close()
	s := newSite(t, withIssuer(stopped.URL))
	require.Equal(t, 502, s.browser().get("/openid").status)
}

func TestDashboard_OpenID_ProviderFails(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64
	failing := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		w.WriteHeader(http.StatusInternalServerError)
	}))
	t.Cleanup(failing.Close)
	s := newSite(t, withIssuer(failing.URL))
	for range 5 {
		require.Equal(t, 502, s.browser().get("/openid").status)
	}
	require.EqualValues(t, 1, asked.Load(), "visitors do not wait for it one after the other")
}

func TestDashboard_OpenID_Link(t *testing.T) {
	t.Parallel()
	p, mails := newProvider(t), &mailbox{}
	s := newSite(t, func(o *dashboard.Options) {
		withProvider(p, dashboard.Closed)(o)
		withMail(mails)(o)
	})
	b := s.browser()
	s.acceptInvitation(b, "anna@example.org")

	require.Equal(t, 403, b.get("/openid?link").status, "not before the password is confirmed")
	require.Equal(t, 422, b.post("/account/openid", "openid-password", "wrong").status)
	require.Contains(t, b.post("/account/openid", "openid-password", password).text(), "Continue with Archive login")
	thief := s.browser()
	thief.cookies["__Host-uncial-link"] = b.cookies["__Host-uncial-link"]
	require.Equal(t, 403, thief.get("/openid?link").status, "the confirmation is good for its user only")
	require.Contains(t, p.signIn(b, "/openid?link").text(), "The provider was linked.")
	require.Contains(t, mails.messages[len(mails.messages)-1].text, "You can now sign in with single sign-on")

	other := s.browser()
	require.Equal(t, "/usage?month=2026-03", p.signIn(other, "/openid?next=%2Fusage%3Fmonth%3D2026-03").path)
	require.Contains(t, other.get("/account").text(), "You can also sign in with Archive login.")
	third := s.browser()
	require.Equal(t, "/", p.signIn(third, "/openid").path)
	require.Contains(t, other.post("/account/openid/remove", "openid-password", password).text(), "The link to the provider was removed.")
	require.Contains(t, third.get("/keys").path, "/sign-in", "the sessions that began with the provider end")
	require.Equal(t, "/keys", b.get("/keys").path, "others stay")
	require.Equal(t, 403, p.signIn(s.browser(), "/openid").status)
	require.Equal(t, 404, other.post("/account/openid/remove", "openid-password", password).status)

	b.post("/account/openid", "openid-password", password)
	away := b.request(http.MethodGet, "/openid?link", nil)
	b.post("/sign-out")
	require.Equal(t, 403, b.get("/openid/callback?"+p.authorize(away.header.Get("Location")).Encode()).status, "a visitor who signed out in the meantime is not linked")
}
