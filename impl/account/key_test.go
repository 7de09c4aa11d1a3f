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
	"uncial/impl/store/storetest"
)

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

func TestRegistry_UnderOtherSecrets(t *testing.T) {
	t.Parallel()
	for _, db := range databases {
		t.Run(db.Name, func(t *testing.T) {
			t.Parallel()
			st := db.MustOpen(t)
			d := mustDesk(t, st)
			other := mustNew(t, st, account.Options{Secret: []byte("another secret, as long as one must be"), Now: d.clock.Now})
			count := func(r *account.Registry) int64 {
				n, err := r.UnderOtherSecrets(t.Context())
				require.NoError(t, err)
				return n
			}
			require.Zero(t, count(other), "there are no keys yet")
			lasting, _ := d.mustKey(t, 0)
			d.mustKey(t, time.Hour)
			require.Zero(t, count(d.Registry))
			require.Equal(t, int64(2), count(other))
			d.clock.Advance(time.Hour)
			require.Equal(t, int64(1), count(other), "an expired key opens nothing anyway")
			require.NoError(t, d.Revoke(t.Context(), lasting.ID))
			require.Zero(t, count(other))

			_, err := mustNew(t, st, account.Options{}).UnderOtherSecrets(t.Context())
			require.ErrorIs(t, err, account.ErrSecret)
		})
	}
}
