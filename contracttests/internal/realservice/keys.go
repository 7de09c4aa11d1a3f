package realservice

import (
	"context"
	"encoding/json"
	"net/netip"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"uncial/contracttests"
	"uncial/impl/account"
)

// Plans is a catalogue with usual plans and with four that are nearly used up from the start, because the service offers no
// way to set the points of an account. The suite pays 10 points per extraction.
var Plans = map[string]contracttests.Plan{
	"free": {Points: 300, Limit: 10}, "pro": {Points: 10_000, Limit: 60}, "archive": {Points: 1_000_000, Limit: 600},
	"dozen": {Points: 12, Limit: 600}, "ten": {Points: 10, Limit: 600}, "five": {Points: 5, Limit: 60}, "four": {Points: 4, Limit: 600},
}

// MustPlansFile writes the catalogue in the form of the flag --plans and returns its path.
func MustPlansFile(tb testing.TB) string {
	tb.Helper()
	file := map[string]map[string]int64{}
	for name, p := range Plans {
		file[name] = map[string]int64{"points": p.Points, "requestsPerMinute": p.Limit}
	}
	data, err := json.Marshal(file)
	require.NoError(tb, err)
	path := filepath.Join(tb.TempDir(), "plans.json")
	require.NoError(tb, os.WriteFile(path, data, 0o644)) //nolint:gosec // a container reads it as another user
	return path
}

// scenarios are the plans of the accounts that the suite uses. Of those without points, the first has room for cases that send
// much, and the second a window that a case can use up.
var scenarios = map[string][]string{
	contracttests.KeyOK: {"archive"}, contracttests.KeySpare: {"archive", "archive", "archive"}, contracttests.KeyLow: {"dozen", "dozen", "dozen"},
	contracttests.KeyExact: {"ten"}, contracttests.KeyEmpty: {"four", "five"}, contracttests.KeyRateLimited: {"free", "free", "free", "free"},
	contracttests.KeyCapped: {"pro", "pro", "pro", "pro"}, contracttests.KeyRevoked: {"free"}, contracttests.KeyExpired: {"free"},
	contracttests.KeyOutside: {"free"},
}

// outside are addresses that no run has (RFC 5737).
var outside = netip.MustParsePrefix("192.0.2.0/24")

// Keeper creates accounts and keys on a service. A lifetime of 0 means that the key does not expire.
type Keeper interface {
	MustAccount(tb testing.TB, plan string) (id string)
	MustKey(tb testing.TB, accountID string, lifetime time.Duration) (id, token string)
	MustCappedKey(tb testing.TB, accountID string, points int64) (token string)
	MustRestrictedKey(tb testing.TB, accountID string, addresses netip.Prefix) (token string)
	MustRevoke(tb testing.TB, keyID string)
}

// MustKeys creates the keys of all scenarios. It waits until the expired one has expired; lifetime is the shortest that
// the keeper can give a key.
func MustKeys(tb testing.TB, k Keeper, lifetime time.Duration) map[string][]string {
	tb.Helper()
	keys := map[string][]string{}
	for scenario, plans := range scenarios {
		for _, plan := range plans {
			owner, limit := k.MustAccount(tb, plan), time.Duration(0)
			if scenario == contracttests.KeyExpired {
				limit = lifetime
			}
			if scenario == contracttests.KeyCapped {
				keys[scenario] = append(keys[scenario], k.MustCappedKey(tb, owner, 12))
				_, uncapped := k.MustKey(tb, owner, 0)
				keys[contracttests.KeyUncapped] = append(keys[contracttests.KeyUncapped], uncapped)
				continue
			}
			if scenario == contracttests.KeyOutside {
				keys[scenario] = append(keys[scenario], k.MustRestrictedKey(tb, owner, outside))
				continue
			}
			id, token := k.MustKey(tb, owner, limit)
			keys[scenario] = append(keys[scenario], token)
			switch scenario {
			case contracttests.KeyRevoked:
				k.MustRevoke(tb, id)
			case contracttests.KeyOK:
				_, second := k.MustKey(tb, owner, 0)
				keys[contracttests.KeySibling] = []string{second}
			}
		}
	}
	time.Sleep(lifetime + time.Millisecond)
	return keys
}

// AddRevocable gives a target a key that its run revokes, and the means to do so.
func AddRevocable(tb testing.TB, k Keeper, t *contracttests.Target) {
	tb.Helper()
	id, token := k.MustKey(tb, k.MustAccount(tb, "archive"), 0)
	t.Keys[contracttests.KeyRevocable] = []string{token}
	t.Revoke = func(context.Context, string) error {
		k.MustRevoke(tb, id)
		return nil
	}
}

// Accounts is the Keeper of a service in this process.
type Accounts struct{ *account.Registry }

var _ Keeper = Accounts{}

// MustAccount creates an account on the plan.
func (a Accounts) MustAccount(tb testing.TB, plan string) string {
	tb.Helper()
	made, err := a.Create(tb.Context(), "suite", plan)
	require.NoError(tb, err)
	return made.ID
}

// MustKey creates a key of the account.
func (a Accounts) MustKey(tb testing.TB, accountID string, lifetime time.Duration) (id, token string) {
	tb.Helper()
	k, token, err := a.CreateKey(tb.Context(), account.NewKey{AccountID: accountID, Name: "suite", Lifetime: lifetime})
	require.NoError(tb, err)
	return k.ID, token
}

// MustCappedKey creates a key of the account that may use at most this many points a month.
func (a Accounts) MustCappedKey(tb testing.TB, accountID string, points int64) string {
	tb.Helper()
	_, token, err := a.CreateKey(tb.Context(), account.NewKey{AccountID: accountID, Name: "suite", Cap: &points})
	require.NoError(tb, err)
	return token
}

// MustRestrictedKey creates a key of the account that may be used from some addresses only.
func (a Accounts) MustRestrictedKey(tb testing.TB, accountID string, addresses netip.Prefix) string {
	tb.Helper()
	_, token, err := a.CreateKey(tb.Context(), account.NewKey{AccountID: accountID, Name: "suite", Allow: []netip.Prefix{addresses}})
	require.NoError(tb, err)
	return token
}

// MustRevoke revokes the key.
func (a Accounts) MustRevoke(tb testing.TB, keyID string) {
	tb.Helper()
	require.NoError(tb, a.Revoke(tb.Context(), keyID))
}
