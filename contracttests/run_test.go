package contracttests_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"uncial/contracttests"
	"uncial/contracttests/internal/realservice"
	"uncial/gen"
	"uncial/impl/app/apptest"
)

func TestCases(t *testing.T) {
	t.Parallel()
	cases, err := contracttests.Cases()
	require.NoError(t, err)
	covered := map[string]bool{}
	for _, c := range cases {
		covered[fmt.Sprintf("%s %d", c.Operation, c.Status)] = true
		assert.NotEmpty(t, c.Explanation, c.Name)
	}
	doc, err := gen.GetSpec()
	require.NoError(t, err)
	for path, item := range doc.Paths.Map() {
		for method, op := range item.Operations() {
			for status := range op.Responses.Map() {
				assert.True(t, covered[op.OperationID+" "+status], "%s %s: %s", method, path, status)
			}
		}
	}
}

func TestCases_order(t *testing.T) {
	t.Parallel()
	names := func() (all []string) {
		cases, err := contracttests.Cases()
		require.NoError(t, err)
		for _, c := range cases {
			all = append(all, c.Name)
		}
		return all
	}
	first := names()
	for range 20 {
		require.Equal(t, first, names(), "every run has the same order")
	}
}

func TestRun_mock(t *testing.T) {
	t.Parallel()
	contracttests.Run(t, MustMock(t))
}

func TestRun_service(t *testing.T) {
	t.Parallel()
	target := MustService(t, nil).target(t)
	target.MaxWait = 70 * time.Second
	contracttests.Run(t, target)
}

func TestRun_serviceWithMovedClock(t *testing.T) {
	t.Parallel()
	target := MustFrozenService(t)
	delete(target.Images, contracttests.ImageSlow) // takes no time on a clock that stands still
	contracttests.Run(t, target)
}

func TestRun_mockProgram(t *testing.T) {
	t.Parallel()
	contracttests.Run(t, MustTarget(t, mustStart(t, apptest.Binary(t, "./mock/cmd/uncial-mock"), "--listen", "127.0.0.1:0")))
}

func TestRun_serviceProgram(t *testing.T) {
	t.Parallel()
	contracttests.Run(t, MustServiceProgram(t))
}

func TestDiff_mockAgainstService(t *testing.T) {
	t.Parallel()
	clock := realservice.NewClock()
	report := contracttests.Diff(t.Context(), MustMock(t), MustService(t, &clock).target(t))
	require.Empty(t, report.Problem)
	assert.Empty(t, report.Skipped)
	for _, d := range report.Differences {
		t.Errorf("%s: %s %q for the mock, %q for the service", d.Step, d.What, d.A, d.B)
	}
	assert.Greater(t, report.Steps, 1200)
}

// BenchmarkCheck_mock measures one run of the suite against the mock; it should take less than 5 s.
func BenchmarkCheck_mock(b *testing.B) {
	for b.Loop() {
		require.NoError(b, contracttests.Check(b.Context(), MustMock(b)).Err())
	}
}

// honestRuns returns how often TestCheck_honestServersNeverFail runs the suite against each server, and the first seed.
// UNCIAL_RUNS asks for more runs against the service, whose readings take most of the time, and for seeds that differ each time
// unless UNCIAL_SEED is set.
func honestRuns(tb testing.TB) (mock, service int, seed uint64) {
	tb.Helper()
	mock, service, seed = 8, 4, 1
	if text := os.Getenv("UNCIAL_RUNS"); text != "" {
		n, err := strconv.Atoi(text)
		require.NoError(tb, err, "UNCIAL_RUNS")
		mock, service, seed = n, n, rand.Uint64N(1_000_000)
	}
	if text := os.Getenv("UNCIAL_SEED"); text != "" {
		n, err := strconv.ParseUint(text, 10, 64)
		require.NoError(tb, err, "UNCIAL_SEED")
		seed = n
	}
	tb.Logf("seeds from %d on; UNCIAL_SEED=%d repeats them", seed, seed)
	return mock, service, seed
}

// TestCheck_honestServersNeverFail runs the suite many times against the mock and the service, each time with a different
// seed, eight runs at a time.
func TestCheck_honestServersNeverFail(t *testing.T) {
	t.Parallel()
	mockRuns, serviceRuns, seed := honestRuns(t)
	honest, service := MustMockServer(t), MustService(t, nil)
	for _, server := range []struct {
		name   string
		runs   int
		target func(t *testing.T, run int) contracttests.Target
	}{
		{"mock", mockRuns, func(t *testing.T, _ int) contracttests.Target { t.Helper(); return MustTarget(t, honest) }},
		{"service", serviceRuns, func(t *testing.T, run int) contracttests.Target {
			t.Helper()
			target := service.target(t)
			if run%8 != 0 {
				target.MaxPoints = 200 // reading takes time: most runs leave some pages out
			}
			return target
		}},
	} {
		t.Run(server.name, func(t *testing.T) {
			t.Parallel()
			turns := make(chan struct{}, 8)
			for run := range server.runs {
				t.Run(fmt.Sprint(run), func(t *testing.T) {
					t.Parallel()
					turns <- struct{}{}
					defer func() { <-turns }()
					target := server.target(t, run)
					target.Seed = seed + uint64(run)
					report := contracttests.Check(t.Context(), target)
					require.NoError(t, report.Err(), "with seed %d", target.Seed)
					require.Greater(t, report.Count(contracttests.Passed), 40)
				})
			}
		})
	}
}
