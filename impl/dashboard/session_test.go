package dashboard_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/alexedwards/scs/v2"
	"github.com/stretchr/testify/require"

	"uncial/impl/account/session"
	"uncial/impl/account/user"
	"uncial/impl/dashboard"
	"uncial/impl/store"
)

func TestDashboard_Forget(t *testing.T) {
	t.Parallel()
	var ended []dashboard.Holder
	s := newSite(t, func(o *dashboard.Options) {
		o.Extra = append(o.Extra, dashboard.Extra{Forget: func(h dashboard.Holder) { ended = append(ended, h) }})
	})
	const email = "anna@example.org"
	b := s.signUp(email, "Map room")
	anna, account := s.userOf(email), s.accountOf(email)
	var want []dashboard.Holder
	expect := func(h dashboard.Holder, what string) {
		want = append(want, h)
		require.Equal(t, want, ended, what)
	}
	first := s.sessionOf(b)
	b.post("/sign-out")
	b.post("/sign-out") // nobody is signed in
	expect(dashboard.Holder{User: anna, Session: first}, "signing out")
	b.post("/sign-in", "email", email, "password", password)
	other := s.browser()
	other.post("/sign-in", "email", email, "password", password)
	b.post("/sessions/" + s.sessionOf(other) + "/end")
	expect(dashboard.Holder{User: anna, Session: s.sessionOf(other)}, "the end of another session")
	b.post("/sessions/end")
	expect(dashboard.Holder{User: anna}, "signing out everywhere")
	b.post("/sign-in", "email", email, "password", password)
	before := s.sessionOf(b)
	b.post("/account/password", "current", password, "password", password)
	want = append(want, dashboard.Holder{User: anna})
	expect(dashboard.Holder{User: anna, Session: before}, "a new password")
	code, err := s.Users.Issue(t.Context(), user.Token{Purpose: user.Reset, UserID: anna})
	require.NoError(t, err)
	s.browser().post("/reset", "code", code, "password", password)
	expect(dashboard.Holder{User: anna}, "a reset")
	b.post("/sign-in", "email", email, "password", password)
	guest := s.member("guest@example.org", account)
	b.post("/members/" + s.userOf("guest@example.org") + "/remove")
	expect(dashboard.Holder{Account: account, User: s.userOf("guest@example.org")}, "the removal of a member")
	id := s.userOf("guest@example.org")
	guest.post("/account/delete-user", "user-password", password)
	expect(dashboard.Holder{User: id}, "the deletion of a user")
	b.post("/account/delete", "confirm", "Map room", "delete-password", password)
	expect(dashboard.Holder{Account: account}, "the deletion of the account")
}

func TestHolder_Includes(t *testing.T) {
	t.Parallel()
	one := dashboard.Holder{Account: "a", User: "u", Session: "s"}
	for _, h := range []dashboard.Holder{one, {Account: "a"}, {User: "u"}, {User: "u", Session: "s"}, {}} {
		require.True(t, h.Includes(one), h)
	}
	for _, h := range []dashboard.Holder{{Account: "b"}, {User: "u", Session: "t"}, {Account: "a", User: "v"}} {
		require.False(t, h.Includes(one), h)
	}
}

// A sign-in whose password was changed after it was checked stores its session after the change has ended all others.
func TestDashboard_Session_StoredTooLate(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	thief := s.signUp("anna@example.org", "Map room")
	var data []byte
	digest := s.sessionOf(thief)
	require.NoError(t, s.store.Reader().Get(t.Context(), `SELECT data FROM sessions WHERE digest = $1`, store.Args{digest}, &data))
	u, err := s.Users.SetPassword(t.Context(), s.userOf("anna@example.org"), "another good password")
	require.NoError(t, err)
	n, err := s.store.Writer().Exec(t.Context(), `UPDATE sessions SET user_id = $2, data = $3, expires_at = $4 WHERE digest = $1`,
		digest, u.ID, data, store.At(s.clock.Now().Add(time.Hour)))
	require.NoError(t, err)
	require.EqualValues(t, 1, n)

	require.Contains(t, thief.get("/keys").path, "/sign-in")
	all, err := s.Sessions.List(t.Context(), u.ID, 10)
	require.NoError(t, err)
	require.Empty(t, all, "it is not listed either")
	owner := s.browser()
	require.Equal(t, "/", owner.post("/sign-in", "email", "anna@example.org", "password", "another good password").path)
	require.Equal(t, "/account", owner.post("/account/password", "current", "another good password", "password", password).path)
	require.Equal(t, "/keys", owner.get("/keys").path, "the browser that changed the password stays signed in")
}

func TestDashboard_Session_Bounded(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	first := s.signUp("anna@example.org", "Map room")
	id := s.userOf("anna@example.org")
	for i := range 50 { // as many as a user may have
		s.clock.Advance(time.Second)
		data, err := scs.GobCodec{}.Encode(s.clock.Now().Add(time.Hour), map[string]any{session.UserKey: id})
		require.NoError(t, err)
		require.NoError(t, s.Sessions.CommitCtx(t.Context(), fmt.Sprint("token ", i), data, s.clock.Now().Add(time.Hour)))
	}
	s.clock.Advance(time.Second)
	last := s.browser()
	require.Equal(t, "/", last.post("/sign-in", "email", "anna@example.org", "password", password).path)
	all, err := s.Sessions.List(t.Context(), id, 100)
	require.NoError(t, err)
	require.Len(t, all, 50)
	require.Equal(t, s.sessionOf(last), all[0].ID)
	require.Equal(t, session.ID("token 1"), all[49].ID, "the sessions that were used longest ago have ended")
	require.Contains(t, first.get("/keys").path, "/sign-in")
}
