package dashboard_test

import (
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/impl/account"
	"uncial/impl/account/user"
	"uncial/impl/dashboard"
)

// member makes a user who belongs to an account as a plain member, and returns the browser that is signed in.
func (s *site) member(email, accountID string) *browser {
	s.Helper()
	code, err := s.Users.Issue(s.Context(), user.Token{Purpose: user.Invitation, AccountID: accountID, Role: user.PlainMember})
	require.NoError(s, err)
	b := s.browser()
	require.Equal(s, "/", b.post("/accept", "code", code, "email", email, "name", "A member", "password", password).path)
	return b
}

// TestDashboard_Access calls every route as somebody who may not use it. The wildcards name what the caller's own account
// has, so that the access is the only possible reason for a refusal.
func TestDashboard_Access(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	s.signUp("anna@example.org", "Map room")
	id := s.accountOf("anna@example.org")
	k, _, err := s.Accounts.CreateKey(t.Context(), account.NewKey{AccountID: id, Name: "scanner"})
	require.NoError(t, err)
	member, stranger := s.member("bert@example.org", id), s.browser()
	names := strings.NewReplacer("{key}", k.ID, "{account}", id, "{user}", s.userOf("anna@example.org"), "{session}", "x", "{reading}", "x", "{part}", "text", "{$}", "")
	for _, route := range s.Routes() {
		call := func(b *browser) page {
			if route.Method == http.MethodGet {
				return b.request(route.Method, names.Replace(route.Path), nil)
			}
			return b.request(route.Method, names.Replace(route.Path), url.Values{"x": {"y"}})
		}
		name := route.Method + " " + route.Path
		if route.Access != dashboard.Anyone {
			p := call(stranger)
			require.Equal(t, 303, p.status, name)
			require.Contains(t, p.header.Get("Location"), "/dashboard/sign-in", name)
		}
		switch route.Access {
		case dashboard.Owner:
			require.Equal(t, 403, call(member).status, name)
		case dashboard.Operator:
			require.Equal(t, 404, call(member).status, name)
		}
	}
	require.Contains(t, s.browser().get("/keys").path, "/sign-in")
	k, err = s.Accounts.KeyOf(t.Context(), id, k.ID)
	require.NoError(t, err)
	require.Equal(t, account.Active, k.Status, "nothing was changed")
}

// TestDashboard_Links follows every link that an operator sees. Each leads to a page, and none contains a secret.
func TestDashboard_Links(t *testing.T) {
	t.Parallel()
	s := newSite(t, func(o *dashboard.Options) { o.Mail = &mailbox{} })
	b := s.operator()
	token := tokenOf(t, b.post("/keys", "name", "scanner", "lifetime", "90"))
	b.post("/members", "role", "member", "invite-email", "")
	seen, next := map[string]bool{}, []string{"/", "/sign-up", "/forgot", "/sent", "/link"}
	link := regexp.MustCompile(`(?:href|src)="/dashboard([^"#]*)"`)
	for len(next) > 0 {
		path := next[0]
		next = next[1:]
		if seen[path] {
			continue
		}
		seen[path] = true
		p := b.get(path)
		require.Equal(t, 200, p.status, path)
		require.NotContains(t, path, token)
		require.NotContains(t, p.body, "<nil>", path)
		require.NotContains(t, p.body, "ZgotmplZ", path)
		require.NotRegexp(t, ` (style|on[a-z]+)="`, p.body, "%s: the policy forbids inline styles and scripts", path)
		for _, found := range link.FindAllStringSubmatch(p.body, -1) {
			next = append(next, html.UnescapeString(found[1]))
		}
	}
	for _, path := range []string{"/keys/new", "/account", "/admin/log", "/usage", "/playground"} {
		require.True(t, seen[path], "no link leads to %s", path)
	}
}
