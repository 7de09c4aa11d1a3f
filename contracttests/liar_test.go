package contracttests_test

import (
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"uncial/contracttests"
	"uncial/contracttests/internal/liar"
	"uncial/mock"
)

// TestCheck_catchesEveryDefect examines the suite: it runs each defect against the case that must catch it, and no other.
func TestCheck_catchesEveryDefect(t *testing.T) {
	t.Parallel()
	defects, err := liar.Defects()
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(defects), 1000)
	turns := make(chan struct{}, 4)
	for _, d := range defects {
		t.Run(d.Area+"/"+d.Does, func(t *testing.T) {
			t.Parallel()
			turns <- struct{}{}
			defer func() { <-turns }()
			honest := http.Handler(mock.New(mock.Options{}))
			if d.Area == "fetched" {
				honest = liar.Fetching(honest)
			}
			address, err := d.Connect(t.Context(), MustServe(t, liar.New(honest, d)))
			require.NoError(t, err)
			target := MustTarget(t, address)
			if d.Area == "fetched" {
				target.ServeImages = "127.0.0.1:0"
			}
			target.Only = "^" + regexp.QuoteMeta(d.CaughtBy) + "$"
			report := contracttests.Check(t.Context(), target)
			require.Equal(t, 1, report.Count(contracttests.Failed), "%s does not catch a server that %s %s", d.CaughtBy, d.Does, report.Problem)
		})
	}
}

// mutantCases select the cases that a class of mutants is about.
var mutantCases = map[string]string{
	"authentication": "401", "negotiation": "negotiation", "leaks": "negotiation|401|least|status/|shape-costs|402/empty|500|429/window|elsewhere", "served contract": "elsewhere/document",
	"shapes": "least|each-rule|unusual|400/language|listed|takes-nothing|ways", "contents": "format-|several-pages|faint-page", "images": "every-image|image-formats|every-other-file",
	"repeats": "replay|idempotency-key", "calendar": "clock/(next|month|window)",
}

// TestCheck_catchesMutants examines the suite with those generated defects that were set aside before the cases were written.
// README.md says which of them have no effect on the mock.
func TestCheck_catchesMutants(t *testing.T) {
	t.Parallel()
	const share, minCaught = 4, 0.97
	mutants := mustHeldOut(t)
	var missed []string
	tried := 0
	for i := 0; i < len(mutants); i += share {
		d := mutants[i]
		if strings.HasSuffix(d.Does, liar.ReadsImages) {
			continue
		}
		tried++
		server := httptest.NewServer(liar.New(mock.New(mock.Options{}), d))
		target := MustTarget(t, server.URL)
		target.Only, target.FailFast = mutantCases[d.Area], true
		if contracttests.Check(t.Context(), target).Count(contracttests.Failed) == 0 {
			missed = append(missed, d.Area+": "+d.Does)
		}
		server.Close()
	}
	require.GreaterOrEqual(t, 1-float64(len(missed))/float64(tried), minCaught, missed)
}

// mustHeldOut returns the mutants that were set aside. The digest of their list was committed before the cases.
func mustHeldOut(tb testing.TB) []liar.Defect {
	tb.Helper()
	list, err := os.ReadFile("internal/liar/testdata/heldout.txt")
	require.NoError(tb, err)
	digest, err := os.ReadFile("internal/liar/testdata/heldout.sha256")
	require.NoError(tb, err)
	require.Equal(tb, strings.TrimSpace(string(digest)), fmt.Sprintf("%x", sha256.Sum256(list)))
	mutants, err := liar.Mutants()
	require.NoError(tb, err)
	byName := map[string]liar.Defect{}
	for _, d := range mutants {
		byName[d.Area+"\t"+d.Does] = d
	}
	_, names, _ := strings.Cut(strings.TrimSpace(string(list)), "\n") // after the seed
	var heldOut []liar.Defect
	for name := range strings.SplitSeq(names, "\n") {
		d, ok := byName[name]
		require.True(tb, ok, "no mutant %s", name)
		heldOut = append(heldOut, d)
	}
	return heldOut
}

// MustDefect returns a server with the defect.
func MustDefect(tb testing.TB, does string) (address string) {
	tb.Helper()
	defects, err := liar.Defects()
	require.NoError(tb, err)
	i := slices.IndexFunc(defects, func(d liar.Defect) bool { return d.Does == does })
	require.GreaterOrEqual(tb, i, 0, "no defect %s", does)
	return MustServe(tb, liar.New(mock.New(mock.Options{}), defects[i]))
}

// TestCheck_acceptsEveryTruth runs the suite against correct servers that answer differently from ours: each alone against the
// quick cases, and all of them together, in a few servers, against every case.
func TestCheck_acceptsEveryTruth(t *testing.T) {
	t.Parallel()
	turns := make(chan struct{}, 2)
	accepts := func(truth liar.Defect, only string, minPassed int) {
		t.Run(truth.Does, func(t *testing.T) {
			t.Parallel()
			turns <- struct{}{}
			defer func() { <-turns }()
			target := MustTarget(t, MustServe(t, liar.New(mock.New(mock.Options{}), truth)))
			target.Only = only
			report := contracttests.Check(t.Context(), target)
			require.NoError(t, report.Err())
			require.Greater(t, report.Count(contracttests.Passed), minPassed)
		})
	}
	for _, truth := range liar.TogetherTrue() {
		accepts(truth, "", 75)
	}
	for _, truth := range liar.Truths() {
		accepts(truth, contracttests.QuickCases, 15)
	}
}

// TestCheck_acceptsAServerThatFetches runs the cases of images that the run serves.
func TestCheck_acceptsAServerThatFetches(t *testing.T) {
	t.Parallel()
	target := MustTarget(t, MustServe(t, liar.Fetching(mock.New(mock.Options{}))))
	target.ServeImages, target.Only = "127.0.0.1:0", "address|fetch-reason"
	report := contracttests.Check(t.Context(), target)
	require.NoError(t, report.Err())
	require.Zero(t, report.Count(contracttests.Skipped))
}

// TestCheck_acceptsAServerWhoseClockIsOff runs the suite against servers whose clock is two minutes off. Their windows follow
// that clock.
func TestCheck_acceptsAServerWhoseClockIsOff(t *testing.T) {
	t.Parallel()
	for _, by := range []time.Duration{-2 * time.Minute, 2 * time.Minute} {
		t.Run(by.String(), func(t *testing.T) {
			t.Parallel()
			target := MustTarget(t, MustServe(t, liar.Skewed(mock.New(mock.Options{RealClock: true}), by)))
			target.MaxWait, target.Only = 70*time.Second, "^extract/(402|429/resets)"
			report := contracttests.Check(t.Context(), target)
			require.NoError(t, report.Err())
			require.Zero(t, report.Count(contracttests.Skipped), report.Results)
		})
	}
}

func TestDiff_findsDefects(t *testing.T) {
	t.Parallel()
	honest := MustMock(t)
	for _, name := range []string{
		"charges a malformed request", "charges nothing for a blank page", "counts an extraction twice", "accepts an expired key",
		"names only the body in details", "answers 409 to another request with a used Idempotency-Key", "ignores the Idempotency-Key",
		"leaves Allow out of a 405", "sends a document with text", "extract 400: answers with status 422",
		"extract 200: leaves out /processingTime", "extract 400: adds the header Retry-After",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			target, err := contracttests.Mock(t.Context(), honest.BaseURL)
			require.NoError(t, err)
			report := contracttests.Diff(t.Context(), target, MustTarget(t, MustDefect(t, name)))
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

func TestDiff_findsNothingBetweenTwoMocks(t *testing.T) {
	t.Parallel()
	report := contracttests.Diff(t.Context(), MustMock(t), MustMock(t))
	require.Empty(t, report.Problem)
	require.Empty(t, report.Differences)
}
