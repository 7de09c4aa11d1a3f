package account_test

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"net/netip"
	"os"
	"strings"
	"sync"
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

func TestRegistry_Rotate_letsBothKeysWorkForTheOverlap(t *testing.T) {
	t.Parallel()
	for _, db := range databases {
		t.Run(db.Name, func(t *testing.T) {
			t.Parallel()
			d := mustDesk(t, db.MustOpen(t))
			old, oldToken := d.mustKey(t, 90*24*time.Hour, "192.0.2.0/24")
			d.clock.Advance(time.Hour)
			made, token, err := d.Rotate(t.Context(), old.ID, 10*time.Minute)
			require.NoError(t, err)
			require.NotEqual(t, old.ID, made.ID)
			require.NotEqual(t, oldToken, token)
			require.Equal(t, old.Name, made.Name)
			require.Equal(t, old.Allow, made.Allow)
			require.Equal(t, old.AccountID, made.AccountID)
			require.Equal(t, d.clock.Now().Add(90*24*time.Hour), made.Expires, "it lives as long as the old one did")

			require.NoError(t, d.open(t, oldToken))
			require.NoError(t, d.open(t, token))
			d.clock.Advance(10 * time.Minute)
			require.ErrorIs(t, d.open(t, oldToken), account.ErrExpired)
			require.NoError(t, d.open(t, token))

			keys, err := d.Keys(t.Context(), d.account.ID)
			require.NoError(t, err)
			require.Len(t, keys, 2)
			require.Equal(t, account.Expired, keys[0].Status)
			require.Equal(t, made.ID, keys[0].ReplacedBy)
			require.Equal(t, account.Active, keys[1].Status)
		})
	}
}

func TestRegistry_Rotate_refuses(t *testing.T) {
	t.Parallel()
	for _, db := range databases {
		t.Run(db.Name, func(t *testing.T) {
			t.Parallel()
			d := mustDesk(t, db.MustOpen(t))
			rotate := func(id string, overlap time.Duration) error {
				_, _, err := d.Rotate(t.Context(), id, overlap)
				return err
			}
			revoked, _ := d.mustKey(t, 0)
			require.NoError(t, d.Revoke(t.Context(), revoked.ID))
			require.ErrorIs(t, rotate(revoked.ID, 0), account.ErrEnded)
			short, _ := d.mustKey(t, time.Second)
			d.clock.Advance(time.Second)
			require.ErrorIs(t, rotate(short.ID, 0), account.ErrEnded)
			require.ErrorIs(t, rotate("key_unknown", 0), account.ErrNoKey)
			lasting, _ := d.mustKey(t, 0)
			require.ErrorIs(t, rotate(lasting.ID, -1), account.ErrOverlap)
			require.NoError(t, rotate(lasting.ID, time.Hour))
			require.ErrorIs(t, rotate(lasting.ID, time.Hour), account.ErrEnded, "a second time")
			keys, err := d.Keys(t.Context(), "")
			require.NoError(t, err)
			require.Len(t, keys, 4, "what is refused leaves no key behind")
		})
	}
}

func TestRegistry_Rotate_neverProlongsTheOldKey(t *testing.T) {
	t.Parallel()
	for _, db := range databases {
		t.Run(db.Name, func(t *testing.T) {
			t.Parallel()
			d := mustDesk(t, db.MustOpen(t))
			old, token := d.mustKey(t, time.Minute)
			_, _, err := d.Rotate(t.Context(), old.ID, time.Hour)
			require.NoError(t, err)
			d.clock.Advance(time.Minute)
			require.ErrorIs(t, d.open(t, token), account.ErrExpired)
		})
	}
}

func TestRegistry_Rotate_racingMakesOneKey(t *testing.T) {
	t.Parallel()
	for _, db := range databases {
		t.Run(db.Name, func(t *testing.T) {
			t.Parallel()
			d := mustDesk(t, db.MustOpen(t))
			old, _ := d.mustKey(t, 0)
			var wg sync.WaitGroup
			errs := make([]error, 16)
			for i := range errs {
				wg.Go(func() { _, _, errs[i] = d.Rotate(t.Context(), old.ID, time.Hour) })
			}
			wg.Wait()
			made := 0
			for _, err := range errs {
				if err == nil {
					made++
					continue
				}
				require.ErrorIs(t, err, account.ErrEnded)
			}
			require.Equal(t, 1, made)
			keys, err := d.Keys(t.Context(), d.account.ID)
			require.NoError(t, err)
			require.Len(t, keys, 2)
		})
	}
}

func TestRegistry_Revoke_isForEver(t *testing.T) {
	t.Parallel()
	for _, db := range databases {
		t.Run(db.Name, func(t *testing.T) {
			t.Parallel()
			d := mustDesk(t, db.MustOpen(t))
			k, token := d.mustKey(t, 0)
			require.NoError(t, d.Revoke(t.Context(), k.ID))
			d.clock.Advance(time.Hour)
			require.NoError(t, d.Revoke(t.Context(), k.ID))
			keys, err := d.Keys(t.Context(), d.account.ID)
			require.NoError(t, err)
			require.Equal(t, noon, keys[0].Revoked, "the first time counts")
			require.Equal(t, account.Revoked, keys[0].Status)
			require.ErrorIs(t, d.open(t, token), account.ErrRevoked)
			require.ErrorIs(t, d.Revoke(t.Context(), "key_unknown"), account.ErrNoKey)
		})
	}
}

func TestRegistry_Keys_ofOneAccountOrAll(t *testing.T) {
	t.Parallel()
	for _, db := range databases {
		t.Run(db.Name, func(t *testing.T) {
			t.Parallel()
			d := mustDesk(t, db.MustOpen(t))
			first, _ := d.mustKey(t, 0)
			other, err := d.Create(t.Context(), "Another", "pro")
			require.NoError(t, err)
			d.clock.Advance(time.Microsecond)
			second, _, err := d.CreateKey(t.Context(), account.NewKey{AccountID: other.ID, Name: "Its key"})
			require.NoError(t, err)
			for id, want := range map[string][]account.Key{
				"": {first, second}, d.account.ID: {first}, other.ID: {second},
			} {
				keys, err := d.Keys(t.Context(), id)
				require.NoError(t, err)
				require.Equal(t, want, keys, id)
			}
			_, err = d.Keys(t.Context(), "acc_nobody")
			require.ErrorIs(t, err, account.ErrNoAccount)
		})
	}
}

func TestKey_asJSON(t *testing.T) {
	t.Parallel()
	text, err := json.Marshal(account.Key{
		ID: "key_a", AccountID: "acc_b", Name: "A key", Status: account.Active,
		Allow: []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")}, Created: noon,
	})
	require.NoError(t, err)
	require.JSONEq(t, `{"id": "key_a", "account": "acc_b", "name": "A key", "status": "active",
		"allow": ["192.0.2.0/24"], "created": "2026-03-16T12:00:00Z"}`, string(text))
}

func TestRegistry_keysStandNowhere(t *testing.T) {
	t.Parallel()
	path := t.TempDir() + "/test.db"
	st := storetest.MustOpen(t, "sqlite:"+path)
	storetest.MustMigrate(t, st)
	var log bytes.Buffer
	r := mustNew(t, st, account.Options{Secret: secret, Log: slog.New(slog.NewTextHandler(&log, nil))})
	a, err := r.Create(t.Context(), "An archive", "free")
	require.NoError(t, err)
	k, token, err := r.CreateKey(t.Context(), account.NewKey{AccountID: a.ID, Name: "A key"})
	require.NoError(t, err)
	_, rotated, err := r.Rotate(t.Context(), k.ID, time.Hour)
	require.NoError(t, err)
	var errs []string
	for _, token := range []string{token, rotated} {
		_, _, err = r.Authenticate(t.Context(), token, home)
		require.NoError(t, err)
		_, _, err = r.Authenticate(t.Context(), token+"x", home)
		errs = append(errs, err.Error())
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	_, _, err = r.Authenticate(gone, token, home)
	require.ErrorIs(t, err, context.Canceled)
	errs = append(errs, err.Error())

	require.NoError(t, st.Ping(t.Context()))
	places := map[string]string{"errors": strings.Join(errs, "\n"), "log": log.String()}
	for _, suffix := range []string{"", "-wal"} {
		data, err := os.ReadFile(path + suffix)
		require.NoError(t, err)
		places["file"+suffix] = string(data)
	}
	require.Contains(t, places["file-wal"]+places["file"], k.ID, "the place is the right one")
	for place, text := range places {
		for _, token := range []string{token, rotated} {
			require.NotContains(t, text, token[len("ocr_live_"):][:20], place)
		}
	}
}
