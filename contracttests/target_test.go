package contracttests_test

import (
	"encoding/json"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"uncial/contracttests"
	"uncial/contracttests/internal/origin"
	"uncial/contracttests/internal/still"
	"uncial/impl/account"
	"uncial/impl/app"
	"uncial/impl/app/apptest"
	"uncial/mock"
)

func TestMain(m *testing.M) { apptest.Main(m) }

// MustMock is a mock of the test's own, as a target.
func MustMock(tb testing.TB) contracttests.Target {
	tb.Helper()
	return MustTarget(tb, MustMockServer(tb))
}

// MustMockServer is the address of a mock of the test's own.
func MustMockServer(tb testing.TB) string {
	tb.Helper()
	server := httptest.NewServer(mock.New(mock.Options{}))
	tb.Cleanup(server.Close)
	return server.URL
}

// MustTarget is the mock at an address, as a target with keys of its own.
func MustTarget(tb testing.TB, address string) contracttests.Target {
	tb.Helper()
	target, err := contracttests.Mock(tb.Context(), address+"/api/v1", nil)
	require.NoError(tb, err)
	require.NotNil(tb, target.Control, "the mock can be controlled")
	return target
}

// plans are those of the real service in these tests: beside the usual ones some that are nearly used up.
var plans = map[string]contracttests.Plan{
	"free": {Points: 300, Limit: 10}, "archive": {Points: 1_000_000, Limit: 600},
	"dozen": {Points: 12, Limit: 600}, "ten": {Points: 10, Limit: 600}, "five": {Points: 5, Limit: 600},
}

func mustPlans(tb testing.TB) string {
	tb.Helper()
	type plan struct {
		Points   int64 `json:"points"`
		Requests int64 `json:"requestsPerMinute"`
	}
	file := map[string]plan{}
	for name, p := range plans {
		file[name] = plan{p.Points, p.Limit}
	}
	data, err := json.Marshal(file)
	require.NoError(tb, err)
	path := filepath.Join(tb.TempDir(), "plans.json")
	require.NoError(tb, os.WriteFile(path, data, 0o600))
	return path
}

// service is the real service in this process, with real workers and images to read.
type service struct {
	*app.App
	images map[string]string
	clock  *still.Clock // nil where the time is the world's
}

// MustService starts the real service on SQLite. With a clock, its time stands still until it is moved.
func MustService(tb testing.TB, c *still.Clock) *service {
	tb.Helper()
	s := &service{images: mustImages(tb), clock: c}
	o := app.Options{
		Data:       app.DataOptions{PlansFile: mustPlans(tb)},
		FetchAllow: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")},
	}
	if c != nil {
		o.Now = c.Time
	}
	s.App = apptest.Start(tb, o)
	return s
}

// target has accounts of its own on the service.
func (s *service) target(tb testing.TB) contracttests.Target {
	tb.Helper()
	t := contracttests.Target{
		BaseURL: "http://" + s.Addr() + "/api/v1", Plans: plans, Images: s.images, Enhances: true, Promised: true, Keys: map[string][]string{},
	}
	for scenario, plan := range map[string]string{
		contracttests.KeyOK: "archive", contracttests.KeyLow: "dozen", contracttests.KeyExact: "ten", contracttests.KeyEmpty: "five",
		contracttests.KeyRateLimited: "free", contracttests.KeyExpired: "free", contracttests.KeyRevoked: "free", contracttests.KeySpare: "archive",
	} {
		for range map[string]int{contracttests.KeyLow: 2, contracttests.KeyRateLimited: 3, contracttests.KeySpare: 2}[scenario] + 1 {
			t.Keys[scenario] = append(t.Keys[scenario], s.key(tb, scenario, plan))
		}
	}
	owner, _, err := s.Data().Accounts.Authenticate(tb.Context(), t.Keys[contracttests.KeyOK][0], netip.MustParseAddr("127.0.0.1"))
	require.NoError(tb, err)
	_, sibling, err := s.Data().Accounts.CreateKey(tb.Context(), account.NewKey{AccountID: owner.ID, Name: "sibling"})
	require.NoError(tb, err)
	t.Keys[contracttests.KeySibling] = []string{sibling}
	if s.clock != nil {
		t.Control, t.OneClock = s.clock, true
	}
	return t
}

// key is a key on an account of its own, in the state of the scenario.
func (s *service) key(tb testing.TB, scenario, plan string) string {
	tb.Helper()
	accounts := s.Data().Accounts
	owner, err := accounts.Create(tb.Context(), "suite", plan)
	require.NoError(tb, err)
	k := account.NewKey{AccountID: owner.ID, Name: scenario}
	if scenario == contracttests.KeyExpired {
		k.Lifetime = time.Millisecond
	}
	made, token, err := accounts.CreateKey(tb.Context(), k)
	require.NoError(tb, err)
	if scenario == contracttests.KeyExpired {
		time.Sleep(5 * time.Millisecond)
		if s.clock != nil {
			s.clock.Advance(time.Second)
		}
	}
	if scenario == contracttests.KeyRevoked {
		require.NoError(tb, accounts.Revoke(tb.Context(), made.ID))
	}
	return token
}

// mustImages serves what the real service reads, on this machine.
func mustImages(tb testing.TB) map[string]string {
	tb.Helper()
	server := httptest.NewServer(origin.Handler(tb))
	tb.Cleanup(server.Close)
	return origin.Images(server.URL)
}
