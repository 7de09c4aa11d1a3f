package session_test

import (
	"testing"
	"time"

	"github.com/alexedwards/scs/v2"
	"github.com/stretchr/testify/require"

	"uncial/impl/account"
	"uncial/impl/account/session"
	"uncial/impl/account/user"
	"uncial/impl/store"
	"uncial/impl/store/storetest"
	"uncial/testcontainers"
)

var noon = time.Date(2026, time.March, 16, 12, 0, 0, 0, time.UTC)

// fixture is a test of the sessions of one user.
type fixture struct {
	testing.TB
	*session.Store
	raw   *store.Store
	clock *storetest.Clock
	user  string
}

func newFixture(tb testing.TB, url string) fixture {
	tb.Helper()
	f := fixture{TB: tb, raw: storetest.MustMigrate(tb, url), clock: storetest.NewClock(noon)}
	f.Store = session.New(f.raw, f.clock.Now)
	accounts, err := account.New(f.raw, account.Options{Now: f.clock.Now})
	require.NoError(tb, err)
	u, _, err := user.New(f.raw, user.Options{Accounts: accounts, Now: f.clock.Now}).SignUp(tb.Context(), user.NewUser{
		Email: "a@example.org", Name: "A", Password: "correct horse battery", Account: "An archive", Plan: "free",
	})
	require.NoError(tb, err)
	f.user = u.ID
	return f
}

// commit stores a session; userID may be empty.
func (f fixture) commit(token, userID string) []byte {
	f.Helper()
	values := map[string]any{"colour": "dark"}
	if userID != "" {
		values[session.UserKey] = userID
	}
	data, err := scs.GobCodec{}.Encode(f.clock.Now().Add(time.Hour), values)
	require.NoError(f, err)
	require.NoError(f, f.CommitCtx(f.Context(), token, data, f.clock.Now().Add(time.Hour)))
	return data
}

func (f fixture) exists(token string) bool {
	f.Helper()
	_, found, err := f.Find(token)
	require.NoError(f, err)
	return found
}

func TestStore_Find(t *testing.T) {
	storetest.Run(t, testcontainers.Postgres, newFixture, map[string]func(fixture){
		"returns what was stored until it expires": func(t fixture) {
			want := t.commit("a", "")
			got, found, err := t.FindCtx(t.Context(), "a")
			require.NoError(t, err)
			require.True(t, found)
			require.Equal(t, want, got)
			require.False(t, t.exists("b"))
			t.clock.Advance(time.Hour)
			require.False(t, t.exists("a"))
		},
		"does not store the token": func(t fixture) {
			t.commit("secret", t.user)
			var digest string
			require.NoError(t, t.raw.Reader().Get(t.Context(), `SELECT digest FROM sessions`, nil, &digest))
			require.Equal(t, session.ID("secret"), digest)
		},
		"lists and ends the sessions of a user": func(t fixture) {
			t.commit("phone", t.user)
			t.clock.Advance(time.Minute)
			t.commit("desk", t.user)
			t.commit("stranger", "")
			all, err := t.List(t.Context(), t.user, 10)
			require.NoError(t, err)
			require.Len(t, all, 2)
			require.Equal(t, session.Session{
				ID: session.ID("desk"), Created: noon.Add(time.Minute), Used: noon.Add(time.Minute), Expires: noon.Add(61 * time.Minute),
			}, all[0])
			latest, err := t.List(t.Context(), t.user, 1)
			require.NoError(t, err)
			require.Equal(t, all[:1], latest)
			require.NoError(t, t.End(t.Context(), "user_other", all[0].ID))
			require.True(t, t.exists("desk"), "another user cannot end it")
			require.NoError(t, t.End(t.Context(), t.user, all[0].ID))
			require.False(t, t.exists("desk"))
			require.NoError(t, t.EndAll(t.Context(), t.user))
			require.False(t, t.exists("phone"))
			require.True(t, t.exists("stranger"))
		},
	})
}

func TestStore_End(t *testing.T) {
	storetest.Run(t, testcontainers.Postgres, newFixture, map[string]func(fixture){
		"ends the least recently used sessions of a user": func(t fixture) {
			for _, token := range []string{"first", "second", "third", "fourth"} {
				t.commit(token, t.user)
				t.clock.Advance(time.Minute)
			}
			t.commit("stranger", "")
			require.NoError(t, t.EndOldest(t.Context(), t.user, session.ID("second"), 3))
			for token, stays := range map[string]bool{"first": false, "second": true, "third": true, "fourth": true, "stranger": true} {
				require.Equal(t, stays, t.exists(token), token)
			}
		},
		"stays ended although a running request stores it again": func(t fixture) {
			t.commit("a", t.user)
			require.NoError(t, t.Delete("a"))
			t.commit("a", t.user)
			require.False(t, t.exists("a"))
			t.clock.Advance(2 * time.Hour)
			require.NoError(t, t.Sweep(t.Context()))
			var n int
			require.NoError(t, t.raw.Reader().Get(t.Context(), `SELECT COUNT(*) FROM sessions`, nil, &n))
			require.Zero(t, n)
		},
	})
}
