package dashboard_test

import (
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

// tokenOf returns the token of a key that a page shows once.
func tokenOf(tb testing.TB, p page) string {
	tb.Helper()
	token := regexp.MustCompile(`ocr_live_[0-9A-Za-z]{36}`).FindString(p.body)
	require.NotEmpty(tb, token, p.text())
	return token
}

// codeOf returns the one-time code in the link that a page shows once.
func codeOf(tb testing.TB, p page) string {
	tb.Helper()
	code := regexp.MustCompile(`/dashboard/link#(\w+)`).FindStringSubmatch(p.body)
	require.Len(tb, code, 2, p.text())
	return code[1]
}

func TestDashboard_Keys(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	b := s.signUp("anna@example.org", "Map room")
	require.Contains(t, b.get("/keys").text(), "There are no keys here.")

	made := b.post("/keys", "name", "scanner", "lifetime", "90", "allow", "192.0.2.0/24\r\n 2001:db8::1", "cap", "500")
	require.Equal(t, 200, made.status, made.text())
	token := tokenOf(t, made)
	require.NotContains(t, b.get(made.path).body, token, "the token is shown once")
	require.Empty(t, b.cookies["__Host-uncial-key"], "and its cookie is gone")
	list := b.get("/keys").text()
	require.Contains(t, list, "ocr_live_…"+token[len(token)-4:])
	require.Contains(t, list, "2 ranges")
	shown := b.get(made.path).text()
	for _, text := range []string{"192.0.2.0/24", "2001:db8::1/128", "500 points", s.clock.Now().UTC().AddDate(0, 0, 90).Format(time.DateOnly)} {
		require.Contains(t, shown, text)
	}

	require.Contains(t, b.post(made.path+"/name", "name", "reading room").text(), "The key was renamed.")
	for _, value := range []string{"\xff", "\x00", "1\x0000"} {
		require.Equal(t, 422, b.post(made.path+"/ranges", "allow", value).status, "%q", value)
		require.Equal(t, 422, b.post(made.path+"/cap", "cap", value).status, "%q", value)
	}
	require.Contains(t, b.get("/keys").text(), "2 ranges")
	require.Contains(t, b.post(made.path+"/ranges", "allow", "").text(), "Addresses any")
	require.Contains(t, b.post(made.path+"/cap", "cap", "").text(), "Monthly cap none")
	rotated := b.post(made.path+"/rotate", "overlap", "1h")
	require.NotEqual(t, token, tokenOf(t, rotated))
	require.Contains(t, rotated.text(), "reading room")
	require.Contains(t, b.get(made.path).text(), "Replaced by")
	again := b.post(made.path+"/rotate", "overlap", "1h")
	require.Equal(t, 409, again.status, "a key is rotated once")
	require.Contains(t, b.post(made.path+"/revoke").text(), "The key was revoked.")
	require.NotContains(t, s.log.String(), token)
	require.NotContains(t, s.dump(), token)
}

func TestDashboard_Keys_Refused(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	b := s.signUp("anna@example.org", "Map room")
	good := map[string]string{"name": "scanner", "lifetime": "90", "allow": "", "cap": ""}
	for field, value := range map[string]string{"name": "  ", "lifetime": "91", "allow": "192.0.2.0/33", "cap": "-1"} {
		form := url.Values{}
		for name, text := range good {
			form.Set(name, text)
		}
		form.Set(field, value)
		p := b.request(http.MethodPost, "/keys", form)
		require.Equal(t, 422, p.status, field)
		require.Contains(t, p.body, `id="`+field+`-error"`)
		if field != "name" {
			require.Contains(t, p.body, `value="scanner"`, "the form keeps its values")
		}
	}
	require.Contains(t, b.get("/keys").text(), "There are no keys here.", "nothing was made")
}

func TestDashboard_Keys_Paged(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	b := s.signUp("anna@example.org", "Map room")
	for i := range 120 {
		s.clock.Advance(time.Microsecond)
		_, _, err := s.Accounts.CreateKey(t.Context(), newKey(s.accountOf("anna@example.org"), i))
		require.NoError(t, err)
	}
	seen := map[string]bool{}
	path := "/keys"
	for range 3 {
		p := b.get(path)
		for _, id := range regexp.MustCompile(`/keys/(key_\w+)`).FindAllStringSubmatch(p.body, -1) {
			seen[id[1]] = true
		}
		next := regexp.MustCompile(`href="/dashboard([^"]*)" rel="next"`).FindStringSubmatch(p.body)
		if next == nil {
			break
		}
		path = strings.ReplaceAll(next[1], "&amp;", "&")
	}
	require.Len(t, seen, 120)
}

func TestDashboard_Account(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	b := s.signUp("anna@example.org", "Map room")
	require.Contains(t, b.post("/account/rename", "account", "Atlas room").text(), "Atlas room")
	require.Contains(t, b.post("/account/name", "name", "Anna B.").body, `value="Anna B."`)
	require.Equal(t, 422, b.post("/account/email", "email", "anna@example.net", "email-password", "wrong").status)
	require.Contains(t, b.post("/account/email", "email", "anna@example.net", "email-password", password).text(), "The e-mail address was changed.")

	require.Equal(t, 422, b.post("/account/delete", "confirm", "Map room", "delete-password", password).status)
	require.Equal(t, 422, b.post("/account/delete", "confirm", "Atlas room", "delete-password", "wrong").status)
	require.Contains(t, b.post("/account/delete", "confirm", "Atlas room", "delete-password", password).text(), "The account was deleted.")
	require.NotContains(t, s.dump(), "Atlas room")
	require.NotContains(t, s.dump(), "anna@example.net")
}

func TestDashboard_Members(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	owner := s.signUp("anna@example.org", "Map room")
	p := owner.post("/members", "role", "member", "invite-email", "")
	code := codeOf(t, p)
	require.NotContains(t, owner.get("/account").body, code, "the link is shown once")

	member := s.browser()
	require.Contains(t, member.post("/link", "code", code).text(), "You are invited to the account “Map room” as a member.")
	require.Equal(t, "/", member.post("/accept", "code", code, "email", "bert@example.org", "name", "Bert", "password", password).path)
	require.Equal(t, 422, s.browser().post("/accept", "code", code, "email", "eve@example.org", "name", "Eve", "password", password).status)
	require.Equal(t, 403, member.post("/keys", "name", "x", "lifetime", "30").status, "members do not make keys")
	require.NotContains(t, member.get("/keys").body, "New key")

	bert := s.userOf("bert@example.org")
	for _, wrong := range []string{"", "wrong"} {
		require.Equal(t, 422, owner.post("/members/"+bert+"/role", "role", "owner", "password-"+bert, wrong).status, "a stolen session makes no owners")
		require.Equal(t, 422, owner.post("/members", "role", "owner", "invite-email", "", "invite-password", wrong).status)
	}
	require.Contains(t, owner.post("/members/"+bert+"/role", "role", "owner", "password-"+bert, password).text(), "The role was changed.")
	require.Equal(t, 200, member.post("/keys", "name", "x", "lifetime", "30").status)
	anna := s.userOf("anna@example.org")
	for _, wrong := range []string{"", "wrong"} {
		require.Equal(t, 422, member.post("/members/"+anna+"/role", "role", "member", "password-"+anna, wrong).status, "a stolen session shuts no owners out")
		require.Equal(t, 422, member.post("/members/"+anna+"/remove", "remove-"+anna, wrong).status)
	}
	require.Contains(t, member.post("/members/"+anna+"/role", "role", "member", "password-"+anna, password).text(), "The role was changed.")
	require.Contains(t, member.post("/members/"+anna+"/role", "role", "owner", "password-"+anna, password).text(), "The role was changed.")
	require.Contains(t, member.post("/members/"+anna+"/remove", "remove-"+anna, password).text(), "The member was removed")
	require.Equal(t, 403, owner.get("/keys").status, "a removed member no longer sees anything")
	require.Equal(t, 409, member.post("/members/leave").status, "the last owner stays")

	require.Equal(t, 422, member.post("/account/delete-user", "user-password", password).status, "nor can they delete themselves")
	require.Equal(t, 422, owner.post("/account/delete-user", "user-password", "wrong").status)
	require.Contains(t, owner.post("/account/delete-user", "user-password", password).text(), "Your profile was deleted.")
	require.NotContains(t, s.dump(), "anna@example.org")

	other := s.signUp("carl@example.org", "Print room")
	s.clock.Advance(time.Second)
	code = codeOf(t, member.post("/members", "role", "owner", "invite-email", "carl@example.org", "invite-password", password))
	require.Equal(t, 422, member.post("/join", "code", code).status, "the invitation is for another address")
	require.Contains(t, other.post("/join", "code", code).text(), "You joined the account.")
	require.Contains(t, other.post("/switch", "account", s.accountOf("carl@example.org")).text(), "Print room")
}

func TestDashboard_Admin(t *testing.T) {
	t.Parallel()
	s := newSite(t, func(o *dashboard.Options) { o.SignUp = dashboard.Invite })
	b := s.signUp("anna@example.org", "Map room")
	id := s.accountOf("anna@example.org")
	for _, path := range []string{"/admin", "/admin/accounts/" + id, "/admin/audit", "/admin/log"} {
		require.Equal(t, 404, b.get(path).status, "to others the pages do not exist")
	}
	op := s.operator()
	require.Contains(t, op.get("/admin").text(), "Map room")
	require.Equal(t, "/admin/accounts/"+id, op.get("/admin?q=anna@example.org").path)
	require.Contains(t, op.get("/admin?q=nobody").text(), "No account has this ID")

	at := "/admin/accounts/" + id
	require.Contains(t, op.post(at+"/plan", "plan", "pro").text(), "The plan was changed.")
	require.Equal(t, 422, op.post(at+"/plan", "plan", "gold").status)
	granted := op.post(at+"/grant", "points", "1,500", "reason", "a lost batch")
	require.Contains(t, granted.text(), "Points left 11,500 of 11,500")
	require.Equal(t, 422, op.post(at+"/grant", "points", "0", "reason", "x").status)
	require.Equal(t, 422, op.post(at+"/grant", "points", "10", "reason", " ").status)
	require.Contains(t, op.post(at+"/suspend").text(), "Suspended since")
	require.Contains(t, b.get("/").text(), "The account is suspended.")
	require.Contains(t, op.post(at+"/resume").text(), "The account was resumed.")

	anna := s.userOf("anna@example.org")
	require.Equal(t, 422, op.post(at+"/users/"+anna+"/reset", "password-"+anna, "wrong").status)
	reset := op.post(at+"/users/"+anna+"/reset", "password-"+anna, password)
	code := codeOf(t, reset)
	require.Contains(t, s.browser().post("/link", "code", code).text(), "Choose a new password")

	invited := op.post("/admin/invitations", "email", "")
	code = codeOf(t, invited)
	fresh := s.browser().post("/accept", "code", code, "email", "dora@example.org", "name", "Dora", "password", password, "account", "Letters")
	require.Equal(t, "/", fresh.path, fresh.text())

	require.Contains(t, op.get("/admin/audit").text(), "Entries, holds and balances agree.")
	log := op.get("/admin/log").text()
	for _, action := range []string{"change plan", "free to pro", "1,500 points: a lost batch", "suspend account", "resume account", "reset password", "invite"} {
		require.Contains(t, log, action)
	}
}

func TestDashboard_FirstOperator(t *testing.T) {
	t.Parallel()
	s := newSite(t, func(o *dashboard.Options) { o.SignUp = dashboard.Closed })
	code, err := s.Users.Issue(t.Context(), user.Token{Purpose: user.Operator})
	require.NoError(t, err)
	b := s.browser()
	require.Contains(t, b.post("/link", "code", code).text(), "This code makes you an operator")
	require.Equal(t, 422, b.post("/accept", "code", code, "email", "not an address", "name", "O", "password", password, "account", "A").status)
	require.Equal(t, "/", b.post("/accept", "code", code, "email", "o@example.org", "name", "O", "password", password, "account", "A").path)
	require.Equal(t, 200, b.get("/admin").status)
}

func TestDashboard_Invitations(t *testing.T) {
	t.Parallel()
	s := newSite(t, func(o *dashboard.Options) { o.SignUp = dashboard.Invite })
	b, op := s.signUp("anna@example.org", "Map room"), s.operator()
	for _, c := range []struct {
		who              *browser
		page, make, path string
	}{
		{b, "/account", "/members", "/members/invitations/"}, {op, "/admin", "/admin/invitations", "/admin/invitations/"},
	} {
		made := c.who.post(c.make, "role", "member", "invite-email", "bert@example.org", "email", "bert@example.org")
		code := codeOf(t, made)
		list := c.who.get(c.page)
		require.Contains(t, list.text(), "Open invitations")
		require.Contains(t, list.text(), "bert@example.org")
		revoke := regexp.MustCompile(`"/dashboard(` + c.path + `\w+/revoke)"`).FindStringSubmatch(list.body)
		require.Len(t, revoke, 2)
		require.Contains(t, c.who.post(revoke[1]).text(), "The invitation was revoked.")
		require.NotContains(t, c.who.get(c.page).text(), "bert@example.org")
		require.Equal(t, 422, s.browser().post("/link", "code", code).status)
		require.Equal(t, 404, c.who.post(revoke[1]).status, "it is no longer open")
	}
	require.Contains(t, op.get("/admin/log").text(), "revoke invitation")
	require.Equal(t, 422, op.post("/admin/invitations", "email", "no address").status)
}

func TestDashboard_OperatorLink(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	s.signUp("bert@example.org", "Demo")
	demo := s.accountOf("bert@example.org")
	for _, token := range []user.Token{{Purpose: user.Operator, AccountID: demo, Role: user.Owner}, {Purpose: user.Operator}} {
		code, err := s.Users.Issue(t.Context(), token)
		require.NoError(t, err)
		require.Contains(t, s.browser().post("/link", "code", code).text(), "Already registered?")
		email := "anna" + token.AccountID + "@example.org"
		b := s.signUp(email, "Map room")
		require.Equal(t, 404, b.get("/admin").status)
		require.Contains(t, b.post("/link", "code", code).text(), "You are signed in as "+email+" . Become an operator")
		p := b.post("/join", "code", code)
		require.Equal(t, "/admin", p.path)
		require.Contains(t, p.text(), "You are an operator now.")
		require.Equal(t, 422, b.post("/join", "code", code).status, "once")
		if token.AccountID != "" {
			require.Contains(t, b.get("/").text(), "Demo")
		}
	}
}

func TestDashboard_NoText(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	b := s.signUp("anna@example.org", "Map room")
	for _, path := range []string{"/keys?after=%00", "/keys?after=%ff", "/keys?%00", "/keys/%00", "/usage?key=k%00", "/nothing%ff"} {
		require.Equal(t, 404, b.get(path).status, path)
	}
	for _, bytes := range []string{"\x00", "\xff"} {
		p := s.browser().post("/sign-in", "email", "anna"+bytes+"@example.org", "password", password)
		require.Equal(t, 422, p.status)
		require.Contains(t, p.body, "anna\ufffd@example.org")
		require.Equal(t, 422, b.post("/account/name", "name", "Anna"+bytes).status)
		require.Equal(t, 404, b.post("/switch", "account", bytes).status)
	}
}
