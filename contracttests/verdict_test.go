package contracttests_test

import (
	"bytes"
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/joshdk/go-junit"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"uncial/contracttests"
	"uncial/mock"
)

// anyKeys is a target with keys that nobody has promised anything about.
func anyKeys(base string) contracttests.Target {
	return contracttests.Target{BaseURL: base, Keys: map[string][]string{contracttests.KeyOK: {"ocr_live_nobody"}}}
}

func TestCheck_saysWhyItCouldNotRun(t *testing.T) {
	t.Parallel()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	down := "http://" + ln.Addr().String() + "/api/v1"
	require.NoError(t, ln.Close())

	files := httptest.NewServer(http.FileServer(http.Dir(t.TempDir())))
	t.Cleanup(files.Close)
	slow := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-r.Context().Done():
		case <-time.After(10 * time.Second):
		}
	}))
	t.Cleanup(slow.Close)

	for name, c := range map[string]struct {
		target contracttests.Target
		want   string
	}{
		"a server that is down":            {anyKeys(down), "does not answer"},
		"a static file server":             {anyKeys(files.URL + "/api/v1"), "does not implement this contract"},
		"keys of another server":           {anyKeys(MustMockServer(t) + "/api/v1"), `refuses key 1 of the scenario "ok"`},
		"a server that does not answer":    {with(anyKeys(slow.URL+"/api/v1"), func(t *contracttests.Target) { t.Timeout = 100 * time.Millisecond }), "no complete answer within 100ms"},
		"a base URL without its path":      {anyKeys("http://127.0.0.1:1"), "must end in /api/v1"},
		"a base URL that is none":          {anyKeys("ocr.example.org"), "invalid base URL"},
		"a pattern that is none":           {with(anyKeys(down), func(t *contracttests.Target) { t.Only = "(" }), "invalid regular expression"},
		"a pattern that nothing is like":   {with(anyKeys(down), func(t *contracttests.Target) { t.Only = "^nothing$" }), "no case name matches"},
		"a mock's keys at a file server":   {with(MustMock(t), func(t *contracttests.Target) { t.BaseURL = files.URL + "/api/v1" }), "does not implement this contract"},
		"a mock's keys at another service": {with(MustMock(t), func(m *contracttests.Target) { m.Keys[contracttests.KeyOK] = []string{"ocr_test_none"} }), "refuses key 1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			started := time.Now()
			report := contracttests.Check(t.Context(), c.target)
			require.Contains(t, report.Problem, c.want)
			require.False(t, report.OK())
			require.ErrorContains(t, report.Err(), c.want)
			require.Empty(t, report.Results)
			require.Less(t, time.Since(started), 5*time.Second)
		})
	}
}

func with(t contracttests.Target, change func(*contracttests.Target)) contracttests.Target {
	change(&t)
	return t
}

func TestCheck_endsWithItsContext(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(mock.New(mock.Options{Latency: mock.Latency{Min: 300 * time.Millisecond, Max: 300 * time.Millisecond}}))
	t.Cleanup(server.Close)
	target := MustTarget(t, server.URL)
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
	defer cancel()
	started := time.Now()
	report := contracttests.Check(ctx, target)
	require.Contains(t, report.Problem, "the time limit was reached")
	require.Zero(t, report.Count(contracttests.Failed), "a slow server is not a wrong one")
	require.Less(t, time.Since(started), 8*time.Second)
}

func TestCheck_spendsNoMoreThanAllowed(t *testing.T) {
	t.Parallel()
	target := MustMock(t)
	target.MaxPoints = 100
	report := contracttests.Check(t.Context(), target)
	require.NoError(t, report.Err())
	require.LessOrEqual(t, report.Points, int64(100))
	require.Positive(t, report.Points)
	var reasons int
	for _, r := range report.Results {
		if r.Outcome == contracttests.Skipped {
			require.NotEmpty(t, r.Reason, r.Case)
			reasons++
		}
	}
	require.Greater(t, reasons, 10)
}

func TestCheck_announcesWhatCasesUse(t *testing.T) {
	t.Parallel()
	announced := map[string]contracttests.Case{}
	cases, err := contracttests.Cases()
	require.NoError(t, err)
	for _, c := range cases {
		announced[c.Name] = c
	}
	report := contracttests.Check(t.Context(), MustMock(t))
	require.NoError(t, report.Err())
	for _, r := range report.Results {
		c := announced[r.Case]
		assert.LessOrEqual(t, r.Points, c.Points, "points of %s", r.Case)
		assert.LessOrEqual(t, r.Extractions, c.Extractions, "counted requests of %s", r.Case)
	}
}

func TestCheck_skipsWhatIsNotMapped(t *testing.T) {
	t.Parallel()
	target := MustMock(t)
	for _, scenario := range []string{contracttests.KeyEmpty, contracttests.KeyRevoked} {
		delete(target.Keys, scenario)
	}
	target.Control = nil
	report := contracttests.Check(t.Context(), target)
	require.NoError(t, report.Err())
	reasons := map[string]string{}
	for _, r := range report.Results {
		reasons[r.Case] = r.Reason
	}
	assert.Equal(t, `no key is mapped to "empty"`, reasons["extract/402/empty"])
	assert.Equal(t, `no key is mapped to "revoked"`, reasons["status/401/revoked"])
	assert.Equal(t, "the clock of the target cannot be moved", reasons["clock/month"])
}

// failing is a report with failures, skips and passes.
func failing(t *testing.T) contracttests.Report {
	t.Helper()
	return contracttests.Check(t.Context(), MustTarget(t, MustDefect(t, "names only the body in details").URL))
}

func TestCheck_mockByAKeysFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "keys.json")
	require.NoError(t, os.WriteFile(path, []byte(`{"keys": {"ok": "ocr_test_ok_f", "spare": ["ocr_test_ok_f2", "ocr_test_archive_f"], "low": "ocr_test_low_f",
		"empty": "ocr_test_empty_f", "expired": "ocr_test_expired_f", "revoked": "ocr_test_revoked_f", "ratelimited": ["ocr_test_ratelimited_f", "ocr_test_free_f"]}, "simulated": true}`), 0o600))
	target := contracttests.Target{BaseURL: MustMockServer(t) + "/api/v1"}
	require.NoError(t, target.LoadKeys(path))
	report := contracttests.Check(t.Context(), target)
	require.NoError(t, report.Err())
	require.Greater(t, report.Count(contracttests.Passed), 55)
}

// One account whose window the cases use up: what cannot be run is skipped, nothing fails.
func TestCheck_oneAccountOfAMock(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "keys.json")
	require.NoError(t, os.WriteFile(path, []byte(`{"keys": {"ok": "ocr_test_ok_one"}, "simulated": true}`), 0o600))
	target := contracttests.Target{BaseURL: MustMockServer(t) + "/api/v1"}
	require.NoError(t, target.LoadKeys(path))
	report := contracttests.Check(t.Context(), target)
	require.NoError(t, report.Err())
	require.Greater(t, report.Count(contracttests.Passed), 20)
	require.Positive(t, report.Count(contracttests.Skipped))
}

func TestReport_failuresCanBeRepeated(t *testing.T) {
	t.Parallel()
	report := failing(t)
	require.Positive(t, report.Count(contracttests.Failed))
	for _, r := range report.Results {
		if r.Outcome != contracttests.Failed {
			continue
		}
		assert.Contains(t, r.Curl, "curl -isS", r.Case)
		assert.Contains(t, r.Curl, "$UNCIAL_KEY", r.Case)
		assert.NotContains(t, r.Curl, "ocr_test_", "a report shows no key")
		assert.NotEmpty(t, r.Reason, r.Case)
		if r.Case == "extract/400/several-rules" {
			assert.Contains(t, r.Reason, "with seed 1, where ")
			assert.NotContains(t, r.Reason, ", and ", "it was shrunk to one fault")
		}
	}
}

func TestReport_WriteJUnit_isReadByOthers(t *testing.T) {
	t.Parallel()
	for name, report := range map[string]contracttests.Report{
		"with failures": failing(t),
		"all well":      contracttests.Check(t.Context(), MustMock(t)),
		"not run":       contracttests.Check(t.Context(), anyKeys("http://127.0.0.1:1/api/v1")),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var file bytes.Buffer
			require.NoError(t, report.WriteJUnit(&file))
			suites, err := junit.Ingest(file.Bytes())
			require.NoError(t, err)
			require.Len(t, suites, 1)
			totals := suites[0].Totals
			assert.Equal(t, report.Count(contracttests.Failed), totals.Failed)
			assert.Equal(t, report.Count(contracttests.Skipped), totals.Skipped)
			assert.Equal(t, report.Count(contracttests.Passed), totals.Passed)
			assert.Equal(t, report.Problem != "", totals.Error == 1)
			for i, r := range report.Results {
				assert.Equal(t, r.Case, suites[0].Tests[i].Name)
			}
		})
	}
}
