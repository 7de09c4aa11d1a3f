package client_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// mustGet asks the mock and decodes the answer.
func mustGet(tb testing.TB, url, key string, into any) {
	tb.Helper()
	r, err := http.NewRequestWithContext(tb.Context(), http.MethodGet, url, nil)
	require.NoError(tb, err)
	r.Header.Set("Authorization", "Bearer "+key)
	response, err := http.DefaultClient.Do(r)
	require.NoError(tb, err)
	defer func() { _ = response.Body.Close() }()
	require.NoError(tb, json.NewDecoder(response.Body).Decode(into))
}

// pointsUsed returns what the key has spent.
func pointsUsed(tb testing.TB, base, key string) (used int) {
	tb.Helper()
	var status struct{ PointsUsed int }
	mustGet(tb, base+"/api/v1/status", key, &status)
	return status.PointsUsed
}

// TestExtractCmd_Run_Faults damages the first answer to an image. The command must repeat the request, print the text, and
// pay once.
func TestExtractCmd_Run_Faults(t *testing.T) {
	t.Parallel()
	base := mustMock(t)
	for fault, notice := range map[string]string{
		"reset":    "lost the connection to the service: ",
		"cut":      "the response was damaged in transit: unexpected EOF; retrying in ",
		"length":   "the response was damaged in transit: incomplete JSON; retrying in ",
		"drip-300": "",
		"late-300": "",
	} {
		t.Run("pays once after "+fault, func(t *testing.T) {
			t.Parallel()
			key := "ocr_test_ok_" + strings.TrimRight(fault, "-0123456789")
			image := "http://mock.invalid/" + fault
			stdout, stderr, status := extract(t.Context(), t, base, "--key", key, image)
			assert.Zero(t, status)
			assert.Greater(t, len(stdout), 50)
			if notice == "" {
				assert.Empty(t, stderr)
			} else {
				assert.Contains(t, stderr, image+": "+notice)
			}
			assert.Equal(t, 10, pointsUsed(t, base, key), "charged once")
		})
	}
}

// TestExtractCmd_Run_LastingFaults damages every answer to a key. The command must end within its time limit, say what
// happened, and have paid at most once.
func TestExtractCmd_Run_LastingFaults(t *testing.T) {
	t.Parallel()
	base := mustMock(t)
	for fault, text := range map[string]string{
		"reset":  "lost the connection to the service: ",
		"cut":    "the response was damaged in transit: unexpected EOF",
		"length": "the response was damaged in transit: incomplete JSON",
		"drip":   "no response within 3s",
		"late":   "no response within 3s",
	} {
		t.Run("gives up on "+fault, func(t *testing.T) {
			t.Parallel()
			key := "ocr_test_" + fault + "_lasting"
			started := time.Now()
			stdout, stderr, status := extract(t.Context(), t, base, "--key", key, "--timeout=3s", "http://mock.invalid/printed")
			assert.Equal(t, 1, status)
			assert.Empty(t, stdout)
			assert.Contains(t, stderr, text)
			assert.Contains(t, stderr, "; the extraction may have been charged")
			assert.Less(t, time.Since(started), 10*time.Second)
			var changed struct{ Balance int }
			mustPut(t, base+"/__mock/keys/"+key, &changed)
			assert.Equal(t, 9990, changed.Balance, "charged once, however often it was sent")
		})
	}
}

// mustPut reads the state of a key by changing nothing.
func mustPut(tb testing.TB, url string, into any) {
	tb.Helper()
	r, err := http.NewRequestWithContext(tb.Context(), http.MethodPut, url, strings.NewReader("{}"))
	require.NoError(tb, err)
	response, err := http.DefaultClient.Do(r)
	require.NoError(tb, err)
	defer func() { _ = response.Body.Close() }()
	require.NoError(tb, json.NewDecoder(response.Body).Decode(into))
}

// TestExtractCmd_Run_FaultRate reads many pages through a network that damages a third of all answers.
func TestExtractCmd_Run_FaultRate(t *testing.T) {
	t.Parallel()
	base := mustMock(t, "--fault-rate=0.3", "--seed=5", "--fault=reset", "--fault=cut", "--fault=length", "--fault=drip-50", "--fault=late-50")
	const key = "ocr_test_ok_soak"
	args := []string{"--key", key, "--jobs=8"}
	for i := range 24 {
		args = append(args, "http://mock.invalid/printed?"+strings.Repeat("x", i))
	}
	stdout, stderr, status := extract(t.Context(), t, base, args...)
	assert.Zero(t, status, stderr)
	assert.GreaterOrEqual(t, strings.Count(stdout, "\n"), 24)
	var journal struct{ Faults map[string]int }
	mustGet(t, base+"/__mock/requests?key="+key, key, &journal)
	for _, fault := range []string{"reset", "cut", "length", "drip", "late"} {
		assert.Positive(t, journal.Faults[fault], "%s in %v", fault, journal.Faults)
	}
	var state struct{ Balance int }
	mustPut(t, base+"/__mock/keys/"+key, &state)
	assert.Equal(t, 10_000-24*10, state.Balance, "each page is charged once")
}
