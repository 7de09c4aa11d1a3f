package containers_test

import (
	"net/http/httptest"
	"net/netip"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"uncial/contracttests"
	"uncial/contracttests/internal/realservice"
	"uncial/impl/app"
	"uncial/impl/app/apptest"
	"uncial/mock"
	"uncial/testcontainers"
)

// commands is the operator of a service in containers: it runs the commands of uncial there.
type commands struct{ *testcontainers.System }

func (c commands) MustAccount(tb testing.TB, plan string) string {
	tb.Helper()
	return c.CreateAccount(tb, plan)
}

func (c commands) MustKey(tb testing.TB, accountID string, lifetime time.Duration) (id, token string) {
	tb.Helper()
	var flags []string
	if lifetime > 0 {
		flags = []string{"--expires", lifetime.String()}
	}
	return c.CreateKey(tb, accountID, flags...)
}

func (c commands) MustCappedKey(tb testing.TB, accountID string, points int64) string {
	tb.Helper()
	_, token := c.CreateKey(tb, accountID, "--points", strconv.FormatInt(points, 10))
	return token
}

func (c commands) MustRestrictedKey(tb testing.TB, accountID string, addresses netip.Prefix) string {
	tb.Helper()
	_, token := c.CreateKey(tb, accountID, "--allow", addresses.String())
	return token
}

func (c commands) MustRevoke(tb testing.TB, keyID string) {
	tb.Helper()
	c.Run(tb, 0, "key", "revoke", keyID)
}

// requireComplete fails if a case was skipped that could have run. Three kinds may be skipped: cases that cannot be tested on a
// real service, because they need errors, network faults or overload at will, a clock that moves, or images at addresses that
// nobody has; the many images of --thorough; and images by address, where the run serves none.
func requireComplete(tb testing.TB, servesImages bool, skipped []string) {
	tb.Helper()
	expected := `is mapped to "(error|faint|enhance|slow|reset|cut|length|busy|overload|weak|faded|fetch-not-found)"|clock of the target cannot be moved|use --thorough|runs only against simulated servers`
	if !servesImages {
		expected += `|use --serve-images`
	}
	for _, s := range skipped {
		require.Regexp(tb, expected, s)
	}
}

// TestRun_Service runs the suite against the service in this process, with Postgres and Tesseract in containers. The
// suite moves its clock, so that months end and stored replies expire.
func TestRun_Service(t *testing.T) {
	t.Parallel()
	clock := realservice.NewClock()
	a := apptest.Start(t, app.Options{
		Data:       app.DataOptions{Database: testcontainers.Postgres(t), PlansFile: realservice.MustPlansFile(t)},
		EngineURL:  testcontainers.Engine(t),
		FetchAllow: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")},
		Now:        clock.Time,
	})
	server := httptest.NewServer(realservice.Handler(t))
	t.Cleanup(server.Close)
	images := realservice.Images(server.URL)
	delete(images, contracttests.ImageSlow) // takes no time on a clock that the suite moves
	accounts := realservice.Accounts{Registry: a.Data().Accounts}
	target := contracttests.Target{
		BaseURL: "http://" + a.Addr() + "/api/v1", Plans: realservice.Plans, Enhances: true, Promised: true,
		Images: images, Keys: realservice.MustKeys(t, accounts, time.Second), Control: clock, OneClock: true, ServeImages: "127.0.0.1:0",
	}
	realservice.AddRevocable(t, accounts, &target)
	clock.Advance(time.Second)
	runComplete(t, target)
}

// maxWait is enough for a window to reset.
const maxWait = 70 * time.Second

// runComplete runs every case that can run against a real service, and requires all of them to pass.
func runComplete(t *testing.T, target contracttests.Target) {
	t.Helper()
	target.MaxWait = maxWait
	var skipped []string
	target.Progress = func(r contracttests.Result) {
		if r.Outcome == contracttests.Skipped {
			skipped = append(skipped, r.Case+": "+r.Reason)
		}
	}
	contracttests.Run(t, target)
	requireComplete(t, target.ServeImages != "", skipped)
}

// TestRun_ProductionImages runs the suite against the whole service in its production images, and compares its answers
// with those of the mock.
func TestRun_ProductionImages(t *testing.T) {
	t.Parallel()
	s := testcontainers.Service(t, testcontainers.ServiceOptions{Plans: realservice.MustPlansFile(t), Images: realservice.Handler(t)})
	mustTarget := func(tb testing.TB) contracttests.Target {
		tb.Helper()
		target := contracttests.Target{
			BaseURL: s.URL + "/api/v1", Plans: realservice.Plans, Enhances: true, Promised: true,
			Images: realservice.Images(s.Images), Keys: realservice.MustKeys(tb, commands{s}, time.Second), MaxWait: maxWait,
		}
		realservice.AddRevocable(tb, commands{s}, &target)
		return target
	}
	t.Run("passes the suite", func(t *testing.T) {
		t.Parallel()
		runComplete(t, mustTarget(t))
	})
	t.Run("answers as the mock does", func(t *testing.T) {
		t.Parallel()
		// The service in the images allows no CORS origins; by default the mock allows all.
		twin := httptest.NewServer(mock.New(mock.Options{CORSOrigins: []string{}}))
		t.Cleanup(twin.Close)
		simulated, err := contracttests.Mock(t.Context(), twin.URL+"/api/v1")
		require.NoError(t, err)
		report := contracttests.Diff(t.Context(), simulated, mustTarget(t))
		require.Empty(t, report.Problem)
		assert.Empty(t, report.Differences)
		assert.Empty(t, report.Skipped)
		assert.Greater(t, report.Steps, 200)
	})
}
