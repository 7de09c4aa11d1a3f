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
	"uncial/testcontainers"
)

var (
	noon   = time.Date(2026, time.March, 16, 12, 0, 0, 0, time.UTC)
	secret = []byte("a test secret that is long enough")
	home   = netip.MustParseAddr("192.0.2.7")
)

// fixture is a test of a registry with one account.
type fixture struct {
	testing.TB
	*account.Registry
	store   *store.Store
	clock   *storetest.Clock
	account account.Account
}

// registryTests maps the names of sub-tests to their functions; each gets its own fixture.
type registryTests map[string]func(fixture)

func (tests registryTests) run(t *testing.T) {
	t.Helper()
	storetest.Run(t, testcontainers.Postgres, newFixture, tests)
}

func newFixture(tb testing.TB, url string) fixture {
	tb.Helper()
	f := fixture{TB: tb, store: storetest.MustMigrate(tb, url), clock: storetest.NewClock(noon)}
	f.Registry = mustNew(tb, f.store, account.Options{Secret: secret, Now: f.clock.Now})
	f.account = f.mustCreate("An archive", "free")
	return f
}

func mustNew(tb testing.TB, st *store.Store, o account.Options) *account.Registry {
	tb.Helper()
	r, err := account.New(st, o)
	require.NoError(tb, err)
	return r
}

func (f fixture) mustCreate(name, plan string) account.Account {
	f.Helper()
	a, err := f.Create(f.Context(), name, plan)
	require.NoError(f, err)
	return a
}

func (f fixture) mustKey(lifetime time.Duration, allow ...string) (account.Key, string) {
	f.Helper()
	prefixes, err := account.ParseAllow(allow)
	require.NoError(f, err)
	k, token, err := f.CreateKey(f.Context(), account.NewKey{
		AccountID: f.account.ID, Name: "A key", Lifetime: lifetime, Allow: prefixes,
	})
	require.NoError(f, err)
	return k, token
}

// mustKeys lists the keys of an account, or of all accounts if id is empty.
func (f fixture) mustKeys(id string) []account.Key {
	f.Helper()
	keys, err := f.Keys(f.Context(), id)
	require.NoError(f, err)
	return keys
}

func (f fixture) authenticate(token string) error {
	f.Helper()
	_, _, err := f.Authenticate(f.Context(), token, home)
	return err
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

func TestRegistry_Create(t *testing.T) {
	registryTests{"stores an account, or names what is wrong with it": func(t fixture) {
		found, err := t.Find(t.Context(), t.account.ID)
		require.NoError(t, err)
		require.Equal(t, t.account, found)
		require.Equal(t, account.Account{ID: t.account.ID, Name: "An archive", Plan: "free", Created: noon}, found)

		_, err = t.Create(t.Context(), "Another", "gold")
		require.ErrorIs(t, err, account.ErrPlan)
		for _, name := range []string{"", "  ", "two\nlines", "a\x00b", "\xff", strings.Repeat("x", 201)} {
			_, err = t.Create(t.Context(), name, "free")
			require.ErrorIs(t, err, account.ErrName, "%q", name)
		}
		_, err = t.Find(t.Context(), "acc_nobody")
		require.ErrorIs(t, err, account.ErrNoAccount)
		_, err = t.Find(t.Context(), strings.ToUpper(t.account.ID))
		require.ErrorIs(t, err, account.ErrNoAccount)
	}}.run(t)
}

func TestRegistry_List(t *testing.T) {
	registryTests{"returns the oldest account first": func(t fixture) {
		want := []string{"An archive"}
		for _, name := range []string{"zoo", "Zoo", "ábc", "Abc"} {
			t.clock.Advance(time.Microsecond)
			t.mustCreate(name, "pro")
			want = append(want, name)
		}
		all, err := t.List(t.Context())
		require.NoError(t, err)
		var got []string
		for _, a := range all {
			got = append(got, a.Name)
		}
		require.Equal(t, want, got)
	}}.run(t)
}

func TestRegistry_UnknownPlans(t *testing.T) {
	registryTests{"names the plans that the catalogue lacks": func(t fixture) {
		for _, plan := range []string{"pro", "archive", "pro"} {
			t.mustCreate("An archive", plan)
		}
		unknown, err := t.UnknownPlans(t.Context())
		require.NoError(t, err)
		require.Empty(t, unknown)
		plans, err := account.ParseCatalogue(strings.NewReader(`{"free": {"points": 1, "requestsPerMinute": 1}}`))
		require.NoError(t, err)
		unknown, err = mustNew(t, t.store, account.Options{Plans: plans}).UnknownPlans(t.Context())
		require.NoError(t, err)
		require.Equal(t, []string{"archive", "pro"}, unknown)
	}}.run(t)
}

func TestRegistry_CreateKey(t *testing.T) {
	registryTests{"refuses invalid keys and short secrets": func(t fixture) {
		good := account.NewKey{AccountID: t.account.ID, Name: "A key"}
		for name, c := range map[string]struct {
			change func(*account.NewKey)
			want   error
		}{
			"an unknown account":  {func(n *account.NewKey) { n.AccountID = "acc_nobody" }, account.ErrNoAccount},
			"no name":             {func(n *account.NewKey) { n.Name = "" }, account.ErrName},
			"a negative lifetime": {func(n *account.NewKey) { n.Lifetime = -time.Second }, account.ErrExpires},
			"an empty prefix":     {func(n *account.NewKey) { n.Allow = make([]netip.Prefix, 1) }, account.ErrAllow},
			"101 prefixes":        {func(n *account.NewKey) { n.Allow = make([]netip.Prefix, 101) }, account.ErrAllow},
		} {
			n := good
			c.change(&n)
			_, _, err := t.CreateKey(t.Context(), n)
			require.ErrorIs(t, err, c.want, name)
		}
		without := mustNew(t, t.store, account.Options{})
		_, _, err := without.CreateKey(t.Context(), good)
		require.ErrorIs(t, err, account.ErrSecret)
		_, _, err = without.Authenticate(t.Context(), account.NewToken(), home)
		require.ErrorIs(t, err, account.ErrSecret)
		_, err = account.New(t.store, account.Options{Secret: []byte(strings.Repeat("ü", account.MinSecret-1))})
		require.ErrorIs(t, err, account.ErrSecret, "characters count, not bytes")
	}}.run(t)
}

func TestRegistry_Authenticate(t *testing.T) { registryAuthenticateTests.run(t) }

var registryAuthenticateTests = registryTests{
	"returns the account and the key": func(t fixture) {
		made, token := t.mustKey(time.Hour)
		a, k, err := t.Authenticate(t.Context(), token, home)
		require.NoError(t, err)
		require.Equal(t, t.account, a)
		require.Equal(t, made, k)
		require.Equal(t, noon.Add(time.Hour), k.Expires)
	},
	"denies with the reason for the log": func(t fixture) {
		_, good := t.mustKey(time.Hour)
		revoked, revokedToken := t.mustKey(0)
		require.NoError(t, t.Revoke(t.Context(), revoked.ID))
		_, ranged := t.mustKey(0, "198.51.100.0/24")

		require.ErrorIs(t, t.authenticate(""), account.ErrUnknown)
		require.ErrorIs(t, t.authenticate(good[:len(good)-1]+"_"), account.ErrUnknown)
		require.ErrorIs(t, t.authenticate(account.NewToken()), account.ErrUnknown)
		require.ErrorIs(t, t.authenticate(revokedToken), account.ErrRevoked)
		require.ErrorIs(t, t.authenticate(ranged), account.ErrOutOfRange)

		t.clock.Set(noon.Add(time.Hour - time.Microsecond))
		require.NoError(t, t.authenticate(good))
		t.clock.Advance(time.Microsecond)
		require.ErrorIs(t, t.authenticate(good), account.ErrExpired)
		for _, err := range []error{account.ErrUnknown, account.ErrExpired, account.ErrRevoked, account.ErrOutOfRange} {
			require.ErrorIs(t, err, account.ErrDenied)
		}

		other := mustNew(t, t.store, account.Options{Secret: []byte("the secret of another server, as long as one must be"), Now: t.clock.Now})
		_, _, err := other.Authenticate(t.Context(), good, home)
		require.ErrorIs(t, err, account.ErrUnknown)
	},
	"admits a key only from its address ranges": func(t fixture) {
		_, token := t.mustKey(0, "192.0.2.0/24", "2001:db8::/32", "203.0.113.5")
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
			_, _, err := t.Authenticate(t.Context(), token, netip.MustParseAddr(from))
			require.ErrorIs(t, err, want, from)
		}
		_, _, err := t.Authenticate(t.Context(), token, netip.Addr{})
		require.ErrorIs(t, err, account.ErrOutOfRange, "an unknown address")
		_, anywhere := t.mustKey(0)
		_, _, err = t.Authenticate(t.Context(), anywhere, netip.Addr{})
		require.NoError(t, err)
	},
	"stores the last use once a minute": func(t fixture) {
		_, token := t.mustKey(0)
		lastUsed := func() time.Time {
			keys, err := t.Keys(t.Context(), t.account.ID)
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
			t.clock.Set(noon.Add(step.at))
			require.NoError(t, t.authenticate(token))
			require.Equal(t, noon.Add(step.want), lastUsed(), step.at.String())
		}
	},
}
