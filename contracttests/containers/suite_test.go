package containers_test

import (
	"encoding/json"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"uncial/contracttests"
	"uncial/impl/account"
	"uncial/impl/app"
	"uncial/impl/app/apptest"
	"uncial/mock"
	"uncial/testcontainers"
)

// catalogue has, beside the usual plans, some that are nearly used up from the start.
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

// scenarios are the plans of the accounts that the suite uses, and how many it wants.
var scenarios = map[string]struct {
	plan string
	keys int
}{
	contracttests.KeyOK: {"archive", 1}, contracttests.KeySpare: {"archive", 3}, contracttests.KeyLow: {"dozen", 3},
	contracttests.KeyExact: {"ten", 1}, contracttests.KeyEmpty: {"five", 1}, contracttests.KeyRateLimited: {"free", 4},
	contracttests.KeyRevoked: {"free", 1},
}

// TestRun_ServiceOnPostgresAndEngine runs the suite against the service in this process, with Postgres and Tesseract in
// containers.
func TestRun_ServiceOnPostgresAndEngine(t *testing.T) {
	file, plans := mustPlans(t)
	a := apptest.Start(t, app.Options{
		Data:       app.DataOptions{Database: testcontainers.Postgres(t), PlansFile: file},
		EngineURL:  testcontainers.Tesseract(t),
		FetchAllow: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")},
	})
	target := contracttests.Target{
		BaseURL: "http://" + a.Addr() + "/api/v1", Plans: plans, Enhances: true, Promised: true, Keys: map[string][]string{},
	}
	book := a.Data().Accounts
	for scenario, s := range scenarios {
		for range s.keys {
			owner, err := book.Create(t.Context(), "suite", s.plan)
			require.NoError(t, err)
			k, token, err := book.CreateKey(t.Context(), account.NewKey{AccountID: owner.ID, Name: scenario})
			require.NoError(t, err)
			if scenario == contracttests.KeyRevoked {
				require.NoError(t, book.Revoke(t.Context(), k.ID))
			}
			target.Keys[scenario] = append(target.Keys[scenario], token)
		}
	}
	contracttests.Run(t, target)
}

// TestRun_ProductionImages runs the suite against the production images talking to each other, and holds the mock
// beside them.
func TestRun_ProductionImages(t *testing.T) {
	file, plans := mustPlans(t)
	s := testcontainers.Service(t, testcontainers.ServiceOptions{Plans: file})
	mustTarget := func() contracttests.Target {
		target := contracttests.Target{
			BaseURL: s.URL + "/api/v1", Plans: plans, Enhances: true, Promised: true, Keys: map[string][]string{},
		}
		for scenario, want := range scenarios {
			for range want.keys {
				id, token := s.Key(t, want.plan)
				if scenario == contracttests.KeyRevoked {
					s.RevokeKeys(t, id)
				}
				target.Keys[scenario] = append(target.Keys[scenario], token)
			}
		}
		return target
	}
	contracttests.Run(t, mustTarget())

	twin := httptest.NewServer(mock.New(mock.Options{}))
	t.Cleanup(twin.Close)
	simulated, err := contracttests.Mock(t.Context(), twin.URL+"/api/v1", nil)
	require.NoError(t, err)
	report := contracttests.Diff(t.Context(), simulated, mustTarget())
	require.Empty(t, report.Problem)
	assert.Empty(t, report.Differences)
	assert.Positive(t, report.Steps)
}
