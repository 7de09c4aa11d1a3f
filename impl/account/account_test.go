package account_test

import (
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"uncial/impl/account"
	"uncial/impl/store"
	"uncial/impl/store/storetest"
)

var (
	noon   = time.Date(2026, time.March, 16, 12, 0, 0, 0, time.UTC)
	secret = []byte("a secret of the server's own")
	home   = netip.MustParseAddr("192.0.2.7")
)

// desk is a registry with one account.
type desk struct {
	*account.Registry
	store   *store.Store
	clock   *storetest.Clock
	account account.Account
}

func mustDesk(tb testing.TB, st *store.Store) desk {
	tb.Helper()
	clock := storetest.NewClock(noon)
	d := desk{Registry: mustNew(tb, st, account.Options{Secret: secret, Now: clock.Now}), store: st, clock: clock}
	var err error
	d.account, err = d.Create(tb.Context(), "An archive", "free")
	require.NoError(tb, err)
	return d
}

func mustNew(tb testing.TB, st *store.Store, o account.Options) *account.Registry {
	tb.Helper()
	r, err := account.New(st, o)
	require.NoError(tb, err)
	return r
}

func (d desk) mustKey(tb testing.TB, lifetime time.Duration, allow ...string) (account.Key, string) {
	tb.Helper()
	prefixes, err := account.ParseAllow(allow)
	require.NoError(tb, err)
	k, token, err := d.CreateKey(tb.Context(), account.NewKey{
		AccountID: d.account.ID, Name: "A key", Lifetime: lifetime, Allow: prefixes,
	})
	require.NoError(tb, err)
	return k, token
}

func (d desk) open(tb testing.TB, token string) error {
	tb.Helper()
	_, _, err := d.Authenticate(tb.Context(), token, home)
	return err
}

func TestRegistry_Create(t *testing.T) {
	t.Parallel()
	for _, db := range databases {
		t.Run(db.Name, func(t *testing.T) {
			t.Parallel()
			d := mustDesk(t, db.MustOpen(t))
			found, err := d.Find(t.Context(), d.account.ID)
			require.NoError(t, err)
			require.Equal(t, d.account, found)
			require.Equal(t, account.Account{ID: d.account.ID, Name: "An archive", Plan: "free", Created: noon}, found)

			_, err = d.Create(t.Context(), "Another", "gold")
			require.ErrorIs(t, err, account.ErrPlan)
			for _, name := range []string{"", "  ", "two\nlines", "a\x00b", "\xff", strings.Repeat("x", 201)} {
				_, err = d.Create(t.Context(), name, "free")
				require.ErrorIs(t, err, account.ErrName, "%q", name)
			}
			_, err = d.Find(t.Context(), "acc_nobody")
			require.ErrorIs(t, err, account.ErrNoAccount)
			_, err = d.Find(t.Context(), strings.ToUpper(d.account.ID))
			require.ErrorIs(t, err, account.ErrNoAccount)
		})
	}
}

func TestRegistry_List_isInTheOrderOfTheirMaking(t *testing.T) {
	t.Parallel()
	for _, db := range databases {
		t.Run(db.Name, func(t *testing.T) {
			t.Parallel()
			d := mustDesk(t, db.MustOpen(t))
			want := []string{"An archive"}
			for _, name := range []string{"zoo", "Zoo", "ábc", "Abc"} {
				d.clock.Advance(time.Microsecond)
				_, err := d.Create(t.Context(), name, "pro")
				require.NoError(t, err)
				want = append(want, name)
			}
			all, err := d.List(t.Context())
			require.NoError(t, err)
			var got []string
			for _, a := range all {
				got = append(got, a.Name)
			}
			require.Equal(t, want, got)
		})
	}
}

func TestRegistry_LostPlans(t *testing.T) {
	t.Parallel()
	for _, db := range databases {
		t.Run(db.Name, func(t *testing.T) {
			t.Parallel()
			d := mustDesk(t, db.MustOpen(t))
			for _, plan := range []string{"pro", "archive", "pro"} {
				_, err := d.Create(t.Context(), "An archive", plan)
				require.NoError(t, err)
			}
			lost, err := d.LostPlans(t.Context())
			require.NoError(t, err)
			require.Empty(t, lost)
			plans, err := account.ParseCatalogue(strings.NewReader(`{"free": {"points": 1, "requestsPerMinute": 1}}`))
			require.NoError(t, err)
			lost, err = mustNew(t, d.store, account.Options{Plans: plans}).LostPlans(t.Context())
			require.NoError(t, err)
			require.Equal(t, []string{"archive", "pro"}, lost)
		})
	}
}

func TestRegistry_CreateKey_refuses(t *testing.T) {
	t.Parallel()
	for _, db := range databases {
		t.Run(db.Name, func(t *testing.T) {
			t.Parallel()
			d := mustDesk(t, db.MustOpen(t))
			good := account.NewKey{AccountID: d.account.ID, Name: "A key"}
			for name, c := range map[string]struct {
				change func(*account.NewKey)
				want   error
			}{
				"an unknown account": {func(n *account.NewKey) { n.AccountID = "acc_nobody" }, account.ErrNoAccount},
				"no name":            {func(n *account.NewKey) { n.Name = "" }, account.ErrName},
				"an end in the past": {func(n *account.NewKey) { n.Lifetime = -time.Second }, account.ErrExpires},
				"an empty prefix":    {func(n *account.NewKey) { n.Allow = make([]netip.Prefix, 1) }, account.ErrAllow},
				"a hundred and one":  {func(n *account.NewKey) { n.Allow = make([]netip.Prefix, 101) }, account.ErrAllow},
			} {
				n := good
				c.change(&n)
				_, _, err := d.CreateKey(t.Context(), n)
				require.ErrorIs(t, err, c.want, name)
			}
			without := mustNew(t, d.store, account.Options{})
			_, _, err := without.CreateKey(t.Context(), good)
			require.ErrorIs(t, err, account.ErrSecret)
			_, _, err = without.Authenticate(t.Context(), account.NewToken(), home)
			require.ErrorIs(t, err, account.ErrSecret)
			_, err = account.New(d.store, account.Options{Secret: []byte("short")})
			require.ErrorIs(t, err, account.ErrSecret)
		})
	}
}

func TestParseAllow(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"192.0.2.0/24":         "192.0.2.0/24",
		"192.0.2.7/24":         "192.0.2.0/24",
		"192.0.2.7":            "192.0.2.7/32",
		"2001:db8::1":          "2001:db8::1/128",
		"2001:DB8::1/32":       "2001:db8::/32",
		"::ffff:192.0.2.7":     "192.0.2.7/32",
		"::ffff:192.0.2.0/120": "192.0.2.0/24",
		"0.0.0.0/0":            "0.0.0.0/0",
	} {
		got, err := account.ParseAllow([]string{text})
		require.NoError(t, err, text)
		require.Equal(t, []netip.Prefix{netip.MustParsePrefix(want)}, got, text)
	}
	for _, text := range []string{"", "here", "192.0.2.0/33", "192.0.2", "192.0.2.0/24,", "fe80::1%eth0", "192.0.2.0/024"} {
		_, err := account.ParseAllow([]string{text})
		require.ErrorIs(t, err, account.ErrAllow, text)
	}
}

func FuzzParseAllow(f *testing.F) {
	f.Add("192.0.2.0/24")
	f.Add("::ffff:192.0.2.0/120")
	f.Fuzz(func(t *testing.T, text string) {
		once, err := account.ParseAllow([]string{text})
		if err != nil {
			return
		}
		again, err := account.ParseAllow([]string{once[0].String()})
		if err != nil || again[0] != once[0] {
			t.Errorf("%q is %v and then %v, %v", text, once, again, err)
		}
	})
}

func TestRegistry_Authenticate(t *testing.T) {
	t.Parallel()
	for _, db := range databases {
		t.Run(db.Name, func(t *testing.T) {
			t.Parallel()
			d := mustDesk(t, db.MustOpen(t))
			made, token := d.mustKey(t, time.Hour)
			a, k, err := d.Authenticate(t.Context(), token, home)
			require.NoError(t, err)
			require.Equal(t, d.account, a)
			require.Equal(t, made, k)
			require.Equal(t, noon.Add(time.Hour), k.Expires)
		})
	}
}

func TestRegistry_Authenticate_deniesWithTheReasonForTheLog(t *testing.T) {
	t.Parallel()
	for _, db := range databases {
		t.Run(db.Name, func(t *testing.T) {
			t.Parallel()
			d := mustDesk(t, db.MustOpen(t))
			_, good := d.mustKey(t, time.Hour)
			revoked, revokedToken := d.mustKey(t, 0)
			require.NoError(t, d.Revoke(t.Context(), revoked.ID))
			_, ranged := d.mustKey(t, 0, "198.51.100.0/24")

			require.ErrorIs(t, d.open(t, ""), account.ErrUnknown)
			require.ErrorIs(t, d.open(t, good[:len(good)-1]+"_"), account.ErrUnknown)
			require.ErrorIs(t, d.open(t, account.NewToken()), account.ErrUnknown)
			require.ErrorIs(t, d.open(t, revokedToken), account.ErrRevoked)
			require.ErrorIs(t, d.open(t, ranged), account.ErrOutOfRange)

			d.clock.Set(noon.Add(time.Hour - time.Microsecond))
			require.NoError(t, d.open(t, good))
			d.clock.Advance(time.Microsecond)
			require.ErrorIs(t, d.open(t, good), account.ErrExpired)
			for _, err := range []error{account.ErrUnknown, account.ErrExpired, account.ErrRevoked, account.ErrOutOfRange} {
				require.ErrorIs(t, err, account.ErrDenied)
			}

			other := mustNew(t, d.store, account.Options{Secret: []byte("the secret of another server"), Now: d.clock.Now})
			_, _, err := other.Authenticate(t.Context(), good, home)
			require.ErrorIs(t, err, account.ErrUnknown)
		})
	}
}

func TestRegistry_Authenticate_fromAnAddress(t *testing.T) {
	t.Parallel()
	for _, db := range databases {
		t.Run(db.Name, func(t *testing.T) {
			t.Parallel()
			d := mustDesk(t, db.MustOpen(t))
			_, token := d.mustKey(t, 0, "192.0.2.0/24", "2001:db8::/32", "203.0.113.5")
			for from, want := range map[string]error{
				"192.0.2.255":       nil,
				"::ffff:192.0.2.1":  nil,
				"2001:db8::1":       nil,
				"203.0.113.5":       nil,
				"203.0.113.6":       account.ErrOutOfRange,
				"192.0.3.0":         account.ErrOutOfRange,
				"2001:db9::1":       account.ErrOutOfRange,
				"::192.0.2.1":       account.ErrOutOfRange,
				"127.0.0.1":         account.ErrOutOfRange,
				"2001:db8::1%lo":    nil,
				"fe80::c000:201%lo": account.ErrOutOfRange,
			} {
				_, _, err := d.Authenticate(t.Context(), token, netip.MustParseAddr(from))
				require.ErrorIs(t, err, want, from)
			}
			_, _, err := d.Authenticate(t.Context(), token, netip.Addr{})
			require.ErrorIs(t, err, account.ErrOutOfRange, "an unknown address")
			_, anywhere := d.mustKey(t, 0)
			_, _, err = d.Authenticate(t.Context(), anywhere, netip.Addr{})
			require.NoError(t, err)
		})
	}
}

func TestRegistry_Authenticate_keepsTheLastUseOnceAMinute(t *testing.T) {
	t.Parallel()
	for _, db := range databases {
		t.Run(db.Name, func(t *testing.T) {
			t.Parallel()
			d := mustDesk(t, db.MustOpen(t))
			_, token := d.mustKey(t, 0)
			lastUsed := func() time.Time {
				keys, err := d.Keys(t.Context(), d.account.ID)
				require.NoError(t, err)
				return keys[0].LastUsed
			}
			require.True(t, lastUsed().IsZero())
			for _, step := range []struct{ at, want time.Duration }{
				{0, 0},
				{time.Second, 0},
				{time.Minute - time.Microsecond, 0},
				{time.Minute, time.Minute},
				{90 * time.Second, time.Minute},
				{30 * time.Second, time.Minute}, // a replica whose clock is behind
				{time.Hour, time.Hour},
			} {
				d.clock.Set(noon.Add(step.at))
				require.NoError(t, d.open(t, token))
				require.Equal(t, noon.Add(step.want), lastUsed(), step.at.String())
			}
		})
	}
}
