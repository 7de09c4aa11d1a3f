package account_test

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"net/netip"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"uncial/impl/account"
	"uncial/impl/store/storetest"
)

func TestKey_MarshalJSON(t *testing.T) {
	t.Parallel()
	text, err := json.Marshal(account.Key{
		ID: "key_a", AccountID: "acc_b", Name: "A key", Status: account.Active,
		Allow: []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")}, Created: noon,
	})
	require.NoError(t, err)
	require.JSONEq(t, `{"id": "key_a", "account": "acc_b", "name": "A key", "status": "active",
		"allow": ["192.0.2.0/24"], "created": "2026-03-16T12:00:00Z"}`, string(text))
}

func TestRegistry_Secrecy(t *testing.T) {
	t.Parallel()
	path := t.TempDir() + "/test.db"
	st := storetest.MustMigrate(t, "sqlite:"+path)
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
	texts := map[string]string{"errors": strings.Join(errs, "\n"), "log": log.String()}
	for _, suffix := range []string{"", "-wal"} {
		data, err := os.ReadFile(path + suffix)
		require.NoError(t, err)
		texts["file"+suffix] = string(data)
	}
	require.Contains(t, texts["file-wal"]+texts["file"], k.ID, "the file that was searched is the database")
	for where, text := range texts {
		for _, token := range []string{token, rotated} {
			require.NotContains(t, text, token[len("ocr_live_"):][:20], where)
		}
	}
}

func TestRegistry_Rotate(t *testing.T) { registryRotateTests.run(t) }

var registryRotateTests = registryTests{
	"lets both keys work during the overlap": func(t fixture) {
		old, oldToken := t.mustKey(90*24*time.Hour, "192.0.2.0/24")
		t.clock.Advance(time.Hour)
		made, token, err := t.Rotate(t.Context(), old.ID, 10*time.Minute)
		require.NoError(t, err)
		require.NotEqual(t, old.ID, made.ID)
		require.NotEqual(t, oldToken, token)
		require.Equal(t, old.Name, made.Name)
		require.Equal(t, old.Allow, made.Allow)
		require.Equal(t, old.AccountID, made.AccountID)
		require.Equal(t, t.clock.Now().Add(90*24*time.Hour), made.Expires, "it has the lifetime of the old key")

		require.NoError(t, t.authenticate(oldToken))
		require.NoError(t, t.authenticate(token))
		t.clock.Advance(10 * time.Minute)
		require.ErrorIs(t, t.authenticate(oldToken), account.ErrExpired)
		require.NoError(t, t.authenticate(token))

		keys := t.mustKeys(t.account.ID)
		require.Len(t, keys, 2)
		require.Equal(t, account.Expired, keys[0].Status)
		require.Equal(t, made.ID, keys[0].ReplacedBy)
		require.Equal(t, account.Active, keys[1].Status)
	},
	"refuses keys that have ended and leaves no key behind": func(t fixture) {
		rotate := func(id string, overlap time.Duration) error {
			_, _, err := t.Rotate(t.Context(), id, overlap)
			return err
		}
		revoked, _ := t.mustKey(0)
		require.NoError(t, t.Revoke(t.Context(), revoked.ID))
		require.ErrorIs(t, rotate(revoked.ID, 0), account.ErrEnded)
		short, _ := t.mustKey(time.Second)
		t.clock.Advance(time.Second)
		require.ErrorIs(t, rotate(short.ID, 0), account.ErrEnded)
		require.ErrorIs(t, rotate("key_unknown", 0), account.ErrNoKey)
		lasting, _ := t.mustKey(0)
		require.ErrorIs(t, rotate(lasting.ID, -1), account.ErrOverlap)
		require.NoError(t, rotate(lasting.ID, time.Hour))
		require.ErrorIs(t, rotate(lasting.ID, time.Hour), account.ErrEnded, "a second time")
		keys := t.mustKeys("")
		require.Len(t, keys, 4, "refused rotations leave no key behind")
	},
	"never prolongs the old key": func(t fixture) {
		old, token := t.mustKey(time.Minute)
		_, _, err := t.Rotate(t.Context(), old.ID, time.Hour)
		require.NoError(t, err)
		t.clock.Advance(time.Minute)
		require.ErrorIs(t, t.authenticate(token), account.ErrExpired)
	},
	"makes one key when calls race": func(t fixture) {
		old, _ := t.mustKey(0)
		var wg sync.WaitGroup
		errs := make([]error, 16)
		for i := range errs {
			wg.Go(func() { _, _, errs[i] = t.Rotate(t.Context(), old.ID, time.Hour) })
		}
		wg.Wait()
		failed := slices.DeleteFunc(errs, func(err error) bool { return err == nil })
		require.Len(t, failed, 15)
		for _, err := range failed {
			require.ErrorIs(t, err, account.ErrEnded)
		}
		keys := t.mustKeys(t.account.ID)
		require.Len(t, keys, 2)
	},
}

func TestRegistry_Revoke(t *testing.T) {
	registryTests{"ends a key forever, at the first call": func(t fixture) {
		k, token := t.mustKey(0)
		require.NoError(t, t.Revoke(t.Context(), k.ID))
		t.clock.Advance(time.Hour)
		require.NoError(t, t.Revoke(t.Context(), k.ID))
		keys := t.mustKeys(t.account.ID)
		require.Equal(t, noon, keys[0].Revoked, "the first time counts")
		require.Equal(t, account.Revoked, keys[0].Status)
		require.ErrorIs(t, t.authenticate(token), account.ErrRevoked)
		require.ErrorIs(t, t.Revoke(t.Context(), "key_unknown"), account.ErrNoKey)
	}}.run(t)
}

func TestRegistry_Keys(t *testing.T) {
	registryTests{"lists the keys of one account or of all": func(t fixture) {
		first, _ := t.mustKey(0)
		other := t.mustCreate("Another", "pro")
		t.clock.Advance(time.Microsecond)
		second, _, err := t.CreateKey(t.Context(), account.NewKey{AccountID: other.ID, Name: "Its key"})
		require.NoError(t, err)
		for id, want := range map[string][]account.Key{
			"": {first, second}, t.account.ID: {first}, other.ID: {second},
		} {
			keys, err := t.Keys(t.Context(), id)
			require.NoError(t, err)
			require.Equal(t, want, keys, id)
		}
		_, err = t.Keys(t.Context(), "acc_nobody")
		require.ErrorIs(t, err, account.ErrNoAccount)
	}}.run(t)
}

func TestRegistry_CountUnderOtherSecrets(t *testing.T) {
	registryTests{"counts active keys made with another secret": func(t fixture) {
		other := mustNew(t, t.store, account.Options{Secret: []byte("another secret, as long as one must be"), Now: t.clock.Now})
		count := func(r *account.Registry) int64 {
			n, err := r.CountUnderOtherSecrets(t.Context())
			require.NoError(t, err)
			return n
		}
		require.Zero(t, count(other), "there are no keys yet")
		lasting, _ := t.mustKey(0)
		t.mustKey(time.Hour)
		require.Zero(t, count(t.Registry))
		require.Equal(t, int64(2), count(other))
		t.clock.Advance(time.Hour)
		require.Equal(t, int64(1), count(other), "expired keys do not count")
		require.NoError(t, t.Revoke(t.Context(), lasting.ID))
		require.Zero(t, count(other))

		_, err := mustNew(t, t.store, account.Options{}).CountUnderOtherSecrets(t.Context())
		require.ErrorIs(t, err, account.ErrSecret)
	}}.run(t)
}
