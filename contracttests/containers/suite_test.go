package containers_test

import (
	"encoding/json"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"uncial/contracttests"
	"uncial/contracttests/internal/origin"
	"uncial/contracttests/internal/still"
	"uncial/impl/account"
	"uncial/impl/app"
	"uncial/impl/app/apptest"
	"uncial/mock"
	"uncial/testcontainers"
)

// catalogue has some plans with so few points that they are nearly exhausted from the start.
const catalogue = `{
	"free": {"points": 300, "requestsPerMinute": 10}, "archive": {"points": 1000000, "requestsPerMinute": 600},
	"dozen": {"points": 12, "requestsPerMinute": 600}, "ten": {"points": 10, "requestsPerMinute": 600},
	"five": {"points": 5, "requestsPerMinute": 600}}`

func mustPlans(tb testing.TB) (file string, plans map[string]contracttests.Plan) {
	tb.Helper()
	file = filepath.Join(tb.TempDir(), "plans.json")
	require.NoError(tb, os.WriteFile(file, []byte(catalogue), 0o644))
	var parsed map[string]struct {
		Points   int64 `json:"points"`
		Requests int64 `json:"requestsPerMinute"`
	}
	require.NoError(tb, json.Unmarshal([]byte(catalogue), &parsed))
	plans = map[string]contracttests.Plan{}
	for name, p := range parsed {
		plans[name] = contracttests.Plan{Points: p.Points, Limit: p.Requests}
	}
	return file, plans
}

// scenarios lists, for each scenario of the suite, the plan of its accounts and the number of keys it needs.
var scenarios = map[string]struct {
	plan string
	keys int
}{
	contracttests.KeyOK: {"archive", 1}, contracttests.KeySpare: {"archive", 3}, contracttests.KeyLow: {"dozen", 3},
	contracttests.KeyExact: {"ten", 1}, contracttests.KeyEmpty: {"five", 1}, contracttests.KeyRateLimited: {"free", 4},
	contracttests.KeyRevoked: {"free", 1}, contracttests.KeyExpired: {"free", 1},
}

// operator creates accounts and keys on a service.
type operator interface {
	account(tb testing.TB, plan string) (id string)
	key(tb testing.TB, accountID string, lifetime time.Duration) (id, token string)
	revoke(tb testing.TB, keyID string)
}

// mustKeys creates the keys of each scenario, each on its own account, and a second key on the account of KeyOK.
func mustKeys(tb testing.TB, o operator) map[string][]string {
	tb.Helper()
	keys := map[string][]string{}
	for scenario, s := range scenarios {
		for range s.keys {
			owner, lifetime := o.account(tb, s.plan), time.Duration(0)
			if scenario == contracttests.KeyExpired {
				lifetime = time.Second
			}
			id, token := o.key(tb, owner, lifetime)
			if scenario == contracttests.KeyRevoked {
				o.revoke(tb, id)
			}
			keys[scenario] = append(keys[scenario], token)
			if scenario == contracttests.KeyOK {
				_, sibling := o.key(tb, owner, 0)
				keys[contracttests.KeySibling] = []string{sibling}
			}
		}
	}
	time.Sleep(time.Second) // until the key of KeyExpired has expired
	return keys
}

// registry is the operator of a service in this process.
type registry struct{ *account.Registry }

func (r registry) account(tb testing.TB, plan string) string {
	tb.Helper()
	a, err := r.Create(tb.Context(), "suite", plan)
	require.NoError(tb, err)
	return a.ID
}

func (r registry) key(tb testing.TB, accountID string, lifetime time.Duration) (id, token string) {
	tb.Helper()
	k, token, err := r.CreateKey(tb.Context(), account.NewKey{AccountID: accountID, Name: "suite", Lifetime: lifetime})
	require.NoError(tb, err)
	return k.ID, token
}

func (r registry) revoke(tb testing.TB, keyID string) {
	tb.Helper()
	require.NoError(tb, r.Revoke(tb.Context(), keyID))
}

// commands is the operator of a service in containers: it runs the commands of uncial there.
type commands struct{ *testcontainers.System }

func (c commands) account(tb testing.TB, plan string) string {
	tb.Helper()
	return c.Account(tb, plan)
}

func (c commands) key(tb testing.TB, accountID string, lifetime time.Duration) (id, token string) {
	tb.Helper()
	var flags []string
	if lifetime > 0 {
		flags = []string{"--expires", lifetime.String()}
	}
	return c.KeyOf(tb, accountID, flags...)
}

func (c commands) revoke(tb testing.TB, keyID string) {
	tb.Helper()
	c.Run(tb, 0, "key", "revoke", keyID)
}

// requireComplete fails if a case was skipped, except those that a real service cannot be asked.
func requireComplete(tb testing.TB, skipped []string) {
	tb.Helper()
	for _, s := range skipped {
		require.Regexp(tb, `is mapped to "(error|faint|enhance|slow)"|clock of the target cannot be moved`, s)
	}
}

// TestRun_Service runs the suite against the service in this process, with Postgres and Tesseract in containers. The
// suite moves its clock, so that months end and stored replies expire.
func TestRun_Service(t *testing.T) {
	t.Parallel()
	file, plans := mustPlans(t)
	clock := still.NewClock()
	a := apptest.Start(t, app.Options{
		Data:       app.DataOptions{Database: testcontainers.Postgres(t), PlansFile: file},
		EngineURL:  testcontainers.Tesseract(t),
		FetchAllow: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")},
		Now:        clock.Time,
	})
	server := httptest.NewServer(origin.Handler(t))
	t.Cleanup(server.Close)
	images := origin.Images(server.URL)
	delete(images, contracttests.ImageSlow) // takes no time on a clock that the suite moves
	keys := mustKeys(t, registry{a.Data().Accounts})
	clock.Advance(time.Second)
	runComplete(t, contracttests.Target{
		BaseURL: "http://" + a.Addr() + "/api/v1", Plans: plans, Enhances: true, Promised: true,
		Images: images, Keys: keys, Control: clock, OneClock: true,
	})
}

// runComplete runs every case that a real service can be asked.
func runComplete(t *testing.T, target contracttests.Target) {
	t.Helper()
	target.MaxWait = 70 * time.Second // for a window to reset
	var skipped []string
	target.Progress = func(r contracttests.Result) {
		if r.Outcome == contracttests.Skipped {
			skipped = append(skipped, r.Case+": "+r.Reason)
		}
	}
	contracttests.Run(t, target)
	requireComplete(t, skipped)
}

// TestRun_ProductionImages runs the suite against the whole service in its production images, and compares its answers
// with those of the mock.
func TestRun_ProductionImages(t *testing.T) {
	t.Parallel()
	file, plans := mustPlans(t)
	s := testcontainers.Service(t, testcontainers.ServiceOptions{Plans: file, Images: origin.Handler(t)})
	mustTarget := func() contracttests.Target {
		return contracttests.Target{
			BaseURL: s.URL + "/api/v1", Plans: plans, Enhances: true, Promised: true,
			Images: origin.Images(s.Images), Keys: mustKeys(t, commands{s}),
		}
	}
	runComplete(t, mustTarget())

	twin := httptest.NewServer(mock.New(mock.Options{}))
	t.Cleanup(twin.Close)
	simulated, err := contracttests.Mock(t.Context(), twin.URL+"/api/v1", nil)
	require.NoError(t, err)
	report := contracttests.Diff(t.Context(), simulated, mustTarget())
	require.Empty(t, report.Problem)
	assert.Empty(t, report.Differences)
	assert.Empty(t, report.Skipped)
	assert.Greater(t, report.Steps, 200)
}
