package main_test

import (
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"uncial/impl/account"
	"uncial/impl/app"
	"uncial/impl/ledger"
)

// mustUse creates an account with a key of this name that pays for one extraction, and returns the IDs and the secret.
func mustUse(tb testing.TB, db, keyName string, at time.Time) (accountID, keyID, secret string) {
	tb.Helper()
	now := func() time.Time { return at }
	o := app.DataOptions{Database: strings.TrimPrefix(db, "--database=")}
	d, err := app.OpenData(tb.Context(), o, slog.New(slog.DiscardHandler), now)
	require.NoError(tb, err)
	defer func() { require.NoError(tb, d.Close()) }()
	a, err := d.Accounts.Create(tb.Context(), "An archive", "free")
	require.NoError(tb, err)
	k, secret, err := d.Accounts.CreateKey(tb.Context(), account.NewKey{AccountID: a.ID, Name: keyName})
	require.NoError(tb, err)
	h, err := d.Ledger.Hold(tb.Context(), ledger.HoldRequest{AccountID: a.ID, KeyID: k.ID, MeterID: k.MeterID, Points: 10, TTL: time.Minute})
	require.NoError(tb, err)
	_, err = d.Ledger.Settle(tb.Context(), h, nil)
	require.NoError(tb, err)
	return a.ID, k.ID, secret
}

func TestRun_Usage(t *testing.T) {
	t.Parallel()
	db := database(t)
	accountID, keyID, secret := mustUse(t, db, `=HYPERLINK("x")`, time.Date(2026, time.March, 16, 12, 0, 0, 0, time.UTC))
	march := []string{"usage", db, "--month", "2026-03"}
	require.Equal(t, "account,day,extractions,points\n"+accountID+",2026-03-16,1,10\n", must(t, append(march, "--csv")...))
	require.Equal(t, "account,key,name,ends_in,extractions,points\n"+
		accountID+","+keyID+`,"'=HYPERLINK(""x"")",`+secret[len(secret)-4:]+",1,10\n", must(t, append(march, "--by", "key", "--csv")...))
	require.JSONEq(t, `[{"account": "`+accountID+`", "day": "2026-03-16", "extractions": 1, "points": 10}]`, must(t, append(march, "--json")...))
	require.Contains(t, must(t, append(march, "--by", "key", "--account", accountID)...), keyID)
	require.JSONEq(t, `[]`, must(t, "usage", db, "--month", "2026-02", "--json"))
}

func TestRun_KeyRevoke_Secret(t *testing.T) {
	t.Parallel()
	db := database(t)
	_, keyID, secret := mustUse(t, db, "leaked", time.Now())
	require.Equal(t, "Revoked key "+keyID+"\n", must(t, "key", "revoke", secret, db))
	list := must(t, "key", "list", db)
	require.Contains(t, list, "revoked")
	require.Contains(t, list, "…"+secret[len(secret)-4:])
	require.NotContains(t, list, secret)
}

func TestRun_User(t *testing.T) {
	t.Parallel()
	db := database(t)
	link := must(t, "user", "operator", db, "--public-url", "https://uncial.example.org/")
	require.Regexp(t, `^https://uncial\.example\.org/dashboard/link#[A-Z2-7]{26}\n$`, link)
	require.JSONEq(t, `[]`, must(t, "user", "list", db, "--json"))
}
