package contracttests_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"uncial/contracttests"
	"uncial/mock"
)

// TestCheck_limitsAndUsedUpAccountsAreNoDefects runs the suite twice with the same few keys, on a plan of ten extractions per
// minute and with no time to wait: the windows and the points run out in the middle of it. Cases that cannot run are skipped
// with a reason; none fails.
func TestCheck_limitsAndUsedUpAccountsAreNoDefects(t *testing.T) {
	t.Parallel()
	target := contracttests.Target{
		BaseURL: MustServe(t, mock.New(mock.Options{RealClock: true})) + "/api/v1", Simulated: true, Images: MustMock(t).Images,
		Keys: map[string][]string{
			contracttests.KeyOK: {"ocr_test_free_few"}, contracttests.KeyLow: {"ocr_test_low_few"}, contracttests.KeyRateLimited: {"ocr_test_free_fewer"},
		},
	}
	const window = time.Minute
	for run := range 2 {
		// Windows begin with the minute of the clock. None may end in the middle of a case that uses it up.
		if left := time.Until(time.Now().Truncate(window).Add(window)); left < window/2 {
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

// TestCheck_concurrentRequestsNeedRoom checks that a case with concurrent requests sends none of them unless all of them fit
// into the rate-limit window.
func TestCheck_concurrentRequestsNeedRoom(t *testing.T) {
	t.Parallel()
	m := MustMock(t)
	m.Control, m.MoreKeys = nil, nil // the clock cannot be moved
	m.Keys = map[string][]string{contracttests.KeyOK: {"ocr_test_free_room"}}
	m.Only = "^extract/(200/caller-hung-up|400/replay-of-another-request-at-once)$"
	for range 8 { // of 10 a minute
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, m.BaseURL+"/extract", http.NoBody)
		require.NoError(t, err)
		r.Header.Set("Authorization", "Bearer ocr_test_free_room")
		res, err := http.DefaultClient.Do(r)
		require.NoError(t, err)
		require.NoError(t, res.Body.Close())
	}
	report := contracttests.Check(t.Context(), m)
	require.Equal(t, 2, report.Count(contracttests.Skipped), report.Err())
	for _, r := range report.Results {
		assert.Contains(t, r.Reason, "is used up", r.Case)
		assert.Zero(t, r.Extractions, r.Case)
	}
}
