package contracttests_test

import (
	"fmt"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"uncial/contracttests"
	"uncial/contracttests/internal/still"
	"uncial/gen"
	"uncial/impl/app/apptest"
)

func TestCases_coverEveryStatusOfEveryOperation(t *testing.T) {
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
	target := MustService(t, still.NewClock()).target(t)
	delete(target.Images, contracttests.ImageSlow) // takes no time on a clock that stands still
	contracttests.Run(t, target)
}

func TestRun_mockOverTCP(t *testing.T) {
	t.Parallel()
	contracttests.Run(t, MustTarget(t, MustMockBinary(t)))
}

func TestRun_serviceOverTCP(t *testing.T) {
	t.Parallel()
	contracttests.Run(t, MustServiceBinary(t))
}

func TestDiff_mockAgainstService(t *testing.T) {
	t.Parallel()
	report := contracttests.Diff(t.Context(), MustMock(t), MustService(t, still.NewClock()).target(t))
	require.Empty(t, report.Problem)
	assert.Empty(t, report.Skipped)
	assert.Empty(t, report.Differences)
	assert.Greater(t, report.Steps, 200)
}

// TestCheck_mockIsQuick holds the promise that one run on the mock takes less than three seconds.
func TestCheck_mockIsQuick(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector makes everything several times slower")
	}
	best := time.Hour
	for range 3 { // the machine may be busy
		report := contracttests.Check(t.Context(), MustMock(t))
		require.NoError(t, report.Err())
		best = min(best, report.Duration)
	}
	t.Logf("one run on the mock takes %s", best.Round(time.Millisecond))
	assert.Less(t, best, 3*time.Second)
}

// TestWithoutRaceDetector runs what needs many runs of the suite in a process without the race detector, under which they
// take ten times as long. Data races are looked for in a sample of them.
func TestWithoutRaceDetector(t *testing.T) {
	if !raceEnabled {
		t.Skip("the tests that this one runs run by themselves")
	}
	t.Parallel()
	cmd := exec.CommandContext(t.Context(), "go", "test", "-count=1", "-timeout=15m", "-parallel=8", "-v",
		"-run=^(TestCheck_catchesEveryDefect|TestCheck_neverCriesWolf|TestCheck_honestServersNeverFail|TestCheck_mockIsQuick)$", "uncial/contracttests")
	cmd.Dir = apptest.Root(t)
	out, err := cmd.CombinedOutput()
	for line := range strings.Lines(string(out)) {
		if err != nil && !strings.Contains(line, "=== ") && !strings.Contains(line, "--- PASS") {
			fmt.Print(line)
		}
	}
	require.NoError(t, err)
}

func TestCheck_honestServersNeverFail(t *testing.T) {
	t.Parallel()
	mock := MustTarget(t, MustMockServer(t))
	service := MustService(t, nil)
	servers := map[string]func(t *testing.T, run int) contracttests.Target{
		"mock": func(t *testing.T, _ int) contracttests.Target {
			t.Helper()
			target, err := contracttests.Mock(t.Context(), mock.BaseURL, nil)
			require.NoError(t, err)
			return target
		},
		"service": func(t *testing.T, run int) contracttests.Target {
			t.Helper()
			target := service.target(t)
			if run%8 != 0 {
				target.MaxPoints = 200 // pages take time to read: most runs leave some out
			}
			return target
		},
	}
	for name, target := range servers {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			turns := make(chan struct{}, 8)
			runs := 40
			if raceEnabled {
				runs = 8 // TestWithoutRaceDetector makes them all
			}
			for run := range runs {
				t.Run(fmt.Sprint(run), func(t *testing.T) {
					t.Parallel()
					turns <- struct{}{}
					defer func() { <-turns }()
					target := target(t, run)
					target.Seed = uint64(run + 1)
					report := contracttests.Check(t.Context(), target)
					require.NoError(t, report.Err())
					require.Greater(t, report.Count(contracttests.Passed), 40)
				})
			}
		})
	}
}
