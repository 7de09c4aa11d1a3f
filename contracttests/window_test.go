package contracttests_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"uncial/contracttests"
	"uncial/internal/contract"
	"uncial/mock"
)

// TestCheck_limitsAndUsedUpAccountsAreNoDefects runs the suite twice with the same few keys, on a plan of ten requests a minute
// and with no time to wait: the windows and the points run out in the middle of it. Cases that cannot run are skipped with a
// reason; none fails.
func TestCheck_limitsAndUsedUpAccountsAreNoDefects(t *testing.T) {
	skipUnderRaceDetector(t)
	t.Parallel()
	target := contracttests.Target{
		BaseURL: MustServe(t, mock.New(mock.Options{RealClock: true})) + "/api/v1", Simulated: true, Images: MustMock(t).Images,
		Keys: map[string][]string{
			contracttests.KeyOK: {"ocr_test_free_few"}, contracttests.KeyLow: {"ocr_test_low_few"}, contracttests.KeyRateLimited: {"ocr_test_free_fewer"},
		},
	}
	for run := range 2 {
		// Windows begin with the minute of the clock. None may end in the middle of a case that uses it up.
		if left := time.Until(contract.WindowStart(time.Now()).Add(contract.WindowLength)); left < contract.WindowLength/2 {
			time.Sleep(left)
		}
		report := contracttests.Check(t.Context(), target)
		require.Zero(t, report.Count(contracttests.Failed), report.Err())
		assert.Greater(t, report.Count(contracttests.Skipped), 30, "run %d", run+1)
		for _, r := range report.Results {
			assert.Equal(t, r.Outcome == contracttests.Skipped, r.Reason != "", r.Case)
		}
	}
}
