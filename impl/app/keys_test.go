package app_test

import (
	"net/http"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"uncial/impl/account"
	"uncial/impl/app"
	"uncial/impl/app/apptest"
	"uncial/internal/logtest"
)

func TestApp_Keys(t *testing.T) {
	t.Parallel()
	var log logtest.Buffer
	a := apptest.Start(t, app.Options{Logger: log.Logger()})
	id, active := apptest.Key(t, a, "pro")
	registry := a.Data().Accounts
	create := func(n account.NewKey) (account.Key, string) {
		n.AccountID, n.Name = id, "test"
		k, token, err := registry.CreateKey(t.Context(), n)
		require.NoError(t, err)
		return k, token
	}
	_, expired := create(account.NewKey{Lifetime: time.Millisecond})
	time.Sleep(2 * time.Millisecond)
	k, revoked := create(account.NewKey{})
	require.NoError(t, registry.Revoke(t.Context(), k.ID))
	_, elsewhere := create(account.NewKey{Allow: []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")}})
	_, here := create(account.NewKey{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}})
	k, rotated := create(account.NewKey{})
	_, fresh, err := registry.Rotate(t.Context(), k.ID, time.Hour)
	require.NoError(t, err)
	k, replaced := create(account.NewKey{})
	_, _, err = registry.Rotate(t.Context(), k.ID, 0)
	require.NoError(t, err)

	tokens := []struct {
		name, token string
		status      int
	}{
		{"active", active, 200},
		{"expired", expired, 401},
		{"revoked", revoked, 401},
		{"not allowed from here", elsewhere, 401},
		{"allowed from here", here, 200},
		{"rotated, within the overlap", rotated, 200},
		{"its successor", fresh, 200},
		{"rotated without overlap", replaced, 401},
		{"unknown", "ocr_live_000000000000000000000000000000000000", 401},
		{"of the mock server", "ocr_test_ok", 401},
	}
	for _, c := range tokens {
		got, err := call(t.Context(), http.MethodGet, "http://"+a.Addr()+"/api/v1/status", c.token, http.NoBody)
		require.NoError(t, err)
		require.Equal(t, c.status, got.Status, "%s: %s", c.name, got.raw)
		require.NotContains(t, got.raw, c.token)
	}
	for _, c := range tokens {
		require.NotContains(t, log.String(), c.token, "a key is in the log")
	}
}
