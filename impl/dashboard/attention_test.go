package dashboard_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"uncial/impl/account"
)

func TestDashboard_Attention(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	s := newSite(t, nil)
	start := time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)
	s.clock.Set(start)
	s.signUp("anna@example.org", "Map room")
	id := s.accountOf("anna@example.org")
	s.clock.Set(start)
	_, _, err := s.Accounts.CreateKey(t.Context(), account.NewKey{AccountID: id, Name: "lasting key"})
	require.NoError(t, err)
	_, _, err = s.Accounts.CreateKey(t.Context(), account.NewKey{AccountID: id, Name: "quarterly key", Lifetime: 90 * day})
	require.NoError(t, err)
	for age, want := range map[int]struct{ lasting, quarterly string }{
		74: {"", ""},
		75: {"rotate soon", "rotate soon"},
		87: {"rotate soon", "rotate now"},
		89: {"rotate soon", "rotate now"},
		90: {"rotate now", "expired"},
		91: {"rotate now", "expired"},
	} {
		s.clock.Set(start.Add(time.Duration(age) * day))
		b := s.browser()
		b.post("/sign-in", "email", "anna@example.org", "password", password)
		list, home := b.get("/keys").text(), b.get("/").text()
		if want.lasting == "" {
			require.NotContains(t, list, "rotate")
			require.NotContains(t, home, "attention")
			continue
		}
		require.Regexp(t, `lasting key \S+ active `+want.lasting, list, age)
		require.Regexp(t, `quarterly key \S+ (active )?`+want.quarterly, list, age)
		require.Contains(t, home, "Keys that need attention", age)
		require.Contains(t, home, "lasting key", age)
	}
}

func TestDashboard_Attention_Cap(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	start := time.Date(2027, 1, 30, 0, 0, 0, 0, time.UTC)
	s.clock.Set(start)
	b := s.signUp("anna@example.org", "Map room")
	points := int64(50)
	k, _, err := s.Accounts.CreateKey(t.Context(), account.NewKey{AccountID: s.accountOf("anna@example.org"), Name: "scanner", Cap: &points})
	require.NoError(t, err)
	for _, want := range []string{"", "", "at least 50 %", "at least 80 %", "It has used its monthly cap: 50 of 50 points."} {
		s.extract(k)
		home := b.get("/").text()
		if want == "" {
			require.NotContains(t, home, "attention")
		} else {
			require.Contains(t, home, want)
			require.Contains(t, b.get("/keys/"+k.ID).text(), want)
		}
	}
	s.clock.Set(start.Add(72 * time.Hour)) // in the next month
	b = s.browser()
	b.post("/sign-in", "email", "anna@example.org", "password", password)
	require.NotContains(t, b.get("/").text(), "attention", "the cap starts over")
}
