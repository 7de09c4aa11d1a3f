package contracttests_test

import (
	"fmt"
	"maps"
	"net/http/httptest"
	"regexp"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"uncial/contracttests"
	"uncial/contracttests/liar"
	"uncial/mock"
)

// TestCheck_catchesEveryLie is the suite's own examination: an honest server with one defect at a time. Only the case that
// the defect names is run, and that case must fail. The score is printed; anything below all fails.
func TestCheck_catchesEveryLie(t *testing.T) {
	t.Parallel()
	defects := liar.Defects()
	require.GreaterOrEqual(t, len(defects), 511)
	defects = sample(defects)
	var mu sync.Mutex
	all, caught := map[string]int{}, map[string]int{}
	turns := make(chan struct{}, 4)
	t.Run("defects", func(t *testing.T) {
		for _, d := range defects {
			t.Run(d.Area+"/"+d.Name, func(t *testing.T) {
				t.Parallel()
				turns <- struct{}{}
				defer func() { <-turns }()
				report := examine(t, d)
				mu.Lock()
				defer mu.Unlock()
				all[d.Area]++
				if assert.Equal(t, 1, report.Count(contracttests.Failed), "%s does not catch: %s %s", d.CaughtBy, d.Explanation, report.Problem) {
					caught[d.Area]++
				}
			})
		}
	})
	var sum, total int
	for _, area := range slices.Sorted(maps.Keys(all)) {
		fmt.Printf("%-12s %3d of %3d lies caught\n", area, caught[area], all[area])
		sum, total = sum+caught[area], total+all[area]
	}
	fmt.Printf("%-12s %3d of %3d lies caught\n", "all", sum, total)
	require.Equal(t, total, sum)
}

// sample is every tenth under the race detector: TestWithoutRaceDetector goes through them all.
func sample(all []liar.Defect) (some []liar.Defect) {
	if !raceEnabled {
		return all
	}
	for i := 0; i < len(all); i += 10 {
		some = append(some, all[i])
	}
	return some
}

// examine runs the case that must catch the defect, and no other, against a mock of its own with the defect.
func examine(t *testing.T, d liar.Defect) contracttests.Report {
	t.Helper()
	server := httptest.NewServer(liar.New(mock.New(mock.Options{}), d))
	defer server.Close()
	target := MustTarget(t, server.URL)
	target.Only = "^" + regexp.QuoteMeta(d.CaughtBy) + "$"
	return contracttests.Check(t.Context(), target)
}

// TestCheck_neverCriesWolf runs the suite against honest servers that differ from ours.
func TestCheck_neverCriesWolf(t *testing.T) {
	t.Parallel()
	turns := make(chan struct{}, 2)
	for _, truth := range sample(liar.Truths()) {
		t.Run(truth.Name, func(t *testing.T) {
			t.Parallel()
			turns <- struct{}{}
			defer func() { <-turns }()
			server := httptest.NewServer(liar.New(mock.New(mock.Options{}), truth))
			defer server.Close()
			report := contracttests.Check(t.Context(), MustTarget(t, server.URL))
			require.NoError(t, report.Err())
			require.Greater(t, report.Count(contracttests.Passed), 75)
		})
	}
}

// TestCheck_ofAServerWhoseClockIsOff runs the suite against servers that live a little in the past or the future. Their windows
// are kept by their own clocks.
func TestCheck_ofAServerWhoseClockIsOff(t *testing.T) {
	t.Parallel()
	for _, by := range []time.Duration{-2 * time.Minute, 2 * time.Minute} {
		t.Run(by.String(), func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(liar.Skewed(mock.New(mock.Options{RealClock: true}), by))
			defer server.Close()
			target := MustTarget(t, server.URL)
			target.MaxWait, target.Only = 70*time.Second, "^extract/(402|429/resets)"
			report := contracttests.Check(t.Context(), target)
			require.NoError(t, report.Err())
			require.Zero(t, report.Count(contracttests.Skipped), report.Results)
		})
	}
}

func TestDiff_seesALiarBesideAnHonestServer(t *testing.T) {
	t.Parallel()
	honest := MustMock(t)
	for _, name := range []string{
		"charges-400", "blank-page-is-free", "extraction-counts-twice", "invalid-as-422", "details-name-body-only", "processing-time-missing",
		"conflict-as-409", "idempotency-key-ignored", "no-allow", "document-for-text", "retry-after-on-400", "expired-key-passes",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			i := slices.IndexFunc(liar.Defects(), func(d liar.Defect) bool { return d.Name == name })
			require.GreaterOrEqual(t, i, 0)
			server := httptest.NewServer(liar.New(mock.New(mock.Options{}), liar.Defects()[i]))
			defer server.Close()
			target, err := contracttests.Mock(t.Context(), honest.BaseURL, nil)
			require.NoError(t, err)
			report := contracttests.Diff(t.Context(), target, MustTarget(t, server.URL))
			require.Empty(t, report.Problem)
			require.NotEmpty(t, report.Differences)
			require.Contains(t, report.Differences[0].CurlB, "curl")
		})
	}
}

func TestDiff_skipsAnAccountThatIsUsedUp(t *testing.T) {
	t.Parallel()
	b := MustMock(t)
	b.Keys[contracttests.KeyLow] = []string{b.Keys[contracttests.KeyEmpty][1]}
	report := contracttests.Diff(t.Context(), MustMock(t), b)
	require.Empty(t, report.Problem)
	require.Empty(t, report.Differences)
	require.NotEmpty(t, report.Skipped)
	require.Contains(t, report.Skipped[0], `has no key for "low" in the required state`)
}

func TestDiff_twoMocksAgree(t *testing.T) {
	t.Parallel()
	report := contracttests.Diff(t.Context(), MustMock(t), MustMock(t))
	require.Empty(t, report.Problem)
	require.Empty(t, report.Differences)
}
