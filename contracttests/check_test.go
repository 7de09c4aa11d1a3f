package contracttests_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/joshdk/go-junit"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"uncial/contracttests"
	"uncial/mock"
)

const minimalRequest = "^extract/200/least-request$"

// unknownKey is a target with a key that no server accepts.
func unknownKey(base string) contracttests.Target {
	return contracttests.Target{BaseURL: base + "/api/v1", Keys: map[string][]string{contracttests.KeyOK: {"ocr_live_nobody"}}}
}

func with(t contracttests.Target, change func(t *contracttests.Target)) contracttests.Target {
	change(&t)
	return t
}

func TestCheck_reportsWhyItCouldNotRun(t *testing.T) {
	t.Parallel()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	down := "http://" + ln.Addr().String()
	require.NoError(t, ln.Close())
	files := MustServe(t, http.FileServer(http.Dir(t.TempDir())))
	slow := MustServe(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-r.Context().Done():
		case <-time.After(10 * time.Second):
		}
	}))
	base := func(url string) func(*contracttests.Target) {
		return func(t *contracttests.Target) { t.BaseURL = url }
	}
	only := func(pattern string) func(*contracttests.Target) {
		return func(t *contracttests.Target) { t.Only = pattern }
	}
	for name, c := range map[string]struct {
		target contracttests.Target
		want   string
	}{
		"a server that is down":          {unknownKey(down), "does not answer"},
		"a static file server":           {unknownKey(files), "does not implement this contract"},
		"keys of another server":         {unknownKey(MustMockServer(t)), `refuses key 1 of the scenario "ok"`},
		"a server that does not answer":  {with(unknownKey(slow), func(t *contracttests.Target) { t.Timeout = 100 * time.Millisecond }), "no complete answer within 100ms"},
		"no place for images":            {with(unknownKey(down), func(t *contracttests.Target) { t.ServeImages = "192.0.2.1:80" }), "--serve-images: 192.0.2.1:80 is not an address of this machine"},
		"images at every address":        {with(unknownKey(down), func(t *contracttests.Target) { t.ServeImages = "0.0.0.0:0" }), "give the URL as well"},
		"a base URL without its path":    {with(unknownKey(""), base("http://127.0.0.1:1")), "must end in /api/v1"},
		"an invalid base URL":            {with(unknownKey(""), base("ocr.example.org")), "invalid base URL"},
		"a password in the base URL":     {with(unknownKey(""), base("http://somebody:secret@127.0.0.1/api/v1")), "must not contain a user name or password"},
		"an invalid pattern":             {with(unknownKey(down), only("(")), "invalid pattern for the names of cases: missing closing )"},
		"a pattern without a match":      {with(unknownKey(down), only("^nothing$")), "; uncial-contract --list shows all names"},
		"a mock's keys at a file server": {with(MustMock(t), base(files+"/api/v1")), "does not implement this contract"},
		"a mock without our key":         {with(MustMock(t), func(m *contracttests.Target) { m.Keys[contracttests.KeyOK] = []string{"ocr_test_none"} }), "refuses key 1"},
	} {
		t.Run("reports "+name, func(t *testing.T) {
			t.Parallel()
			started := time.Now()
			report := contracttests.Check(t.Context(), c.target)
			require.Contains(t, report.Problem, c.want)
			require.NotContains(t, report.Problem, "secret")
			require.False(t, report.OK())
			require.ErrorContains(t, report.Err(), c.want)
			require.Empty(t, report.Results)
			require.Less(t, time.Since(started), 5*time.Second)
		})
	}
}

func TestCheck_endsWithItsContext(t *testing.T) {
	t.Parallel()
	target := MustTarget(t, MustServe(t, mock.New(mock.Options{Latency: mock.Latency{Min: 300 * time.Millisecond, Max: 300 * time.Millisecond}})))
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
	report := contracttests.Check(t.Context(), with(MustMock(t), func(t *contracttests.Target) { t.MaxPoints = 100 }))
	require.NoError(t, report.Err())
	require.LessOrEqual(t, report.Points, int64(100))
	require.Positive(t, report.Points)
	require.Greater(t, report.Count(contracttests.Skipped), 10)
	for _, r := range report.Results {
		require.Equal(t, r.Outcome == contracttests.Skipped, r.Reason != "", r.Case)
	}
}

// mustServeOtherwise starts a mock whose extractions go through another handler.
func mustServeOtherwise(tb testing.TB, extract func(honest http.Handler, w http.ResponseWriter, r *http.Request)) string {
	tb.Helper()
	honest := mock.New(mock.Options{})
	return MustServe(tb, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/api/v1/extract" && r.Header.Get("Authorization") != "" {
			extract(honest, w, r)
			return
		}
		honest.ServeHTTP(w, r)
	}))
}

func TestCheck_stopsWhenTheServerChargesTooMuch(t *testing.T) {
	t.Parallel()
	target := MustTarget(t, mustServeOtherwise(t, func(honest http.Handler, w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		for i := range 10 {
			answer := w
			if i < 9 {
				answer = httptest.NewRecorder()
			}
			again := r.Clone(r.Context())
			again.Body = io.NopCloser(bytes.NewReader(body))
			honest.ServeHTTP(answer, again)
		}
	}))
	target.MaxPoints = 200
	report := contracttests.Check(t.Context(), target)
	require.Positive(t, report.Count(contracttests.Failed))
	assert.Less(t, report.Points, int64(1000), "only one case exceeded the limit")
	last := report.Results[len(report.Results)-1]
	assert.Equal(t, contracttests.Skipped, last.Outcome)
	assert.Contains(t, last.Reason, "more than the limit of 200 for this run")
}

func TestCheck_limitsTheLengthOfAnswers(t *testing.T) {
	t.Parallel()
	target := MustTarget(t, mustServeOtherwise(t, func(_ http.Handler, w http.ResponseWriter, _ *http.Request) {
		for part := make([]byte, 1<<20); ; {
			if _, err := w.Write(part); err != nil {
				return
			}
		}
	}))
	target.Only = minimalRequest
	report := contracttests.Check(t.Context(), target)
	require.Len(t, report.Results, 1, report.Problem)
	require.Contains(t, report.Results[0].Reason, "the answer is longer than 16 MiB")
}

func TestCheck_showsNoKeyAndOneLine(t *testing.T) {
	t.Parallel()
	const key = "ocr_test_ok_Presentable7Q2W4E6R"
	base := mustServeOtherwise(t, func(_ http.Handler, w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/"+key)
		w.WriteHeader(http.StatusInternalServerError)
		_, _ = w.Write([]byte("OCR_TEST_OK_presentable7q2w4e6r\r\n::error::x\n\x1b[2J\u009b31m\u202e" + key[:24]))
	})
	report := contracttests.Check(t.Context(), contracttests.Target{
		BaseURL: base + "/api/v1", Keys: map[string][]string{"ok": {key}}, Simulated: true, Only: minimalRequest,
	})
	require.Len(t, report.Results, 1, report.Problem)
	r := report.Results[0]
	assert.Equal(t, contracttests.Failed, r.Outcome)
	assert.Equal(t, `500 <the key of "ok">\u000d\n::error::x\n\u001b[2J\u009b31m\u202e<the key of "ok">`, r.Answer)
	assert.NotContains(t, r.Reason, "Presentable")
}

func TestCheck_staysWithinAnnouncedCosts(t *testing.T) {
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
		assert.LessOrEqual(t, r.Points, announced[r.Case].Points, "points of %s", r.Case)
		assert.LessOrEqual(t, r.Extractions, announced[r.Case].Extractions, "counted requests of %s", r.Case)
	}
}

func TestCheck_skipsCasesWithoutTheirNeeds(t *testing.T) {
	t.Parallel()
	target := MustMock(t)
	delete(target.Keys, contracttests.KeyEmpty)
	delete(target.Keys, contracttests.KeyRevoked)
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

// TestCheck_withAKeysFile includes a mock with one account, whose window the cases use up: the others are skipped.
func TestCheck_withAKeysFile(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		keys   string
		passed int
	}{
		"runs most cases with many accounts": {`"ok": "ocr_test_ok_f", "spare": ["ocr_test_ok_f2", "ocr_test_archive_f"], "low": "ocr_test_low_f", "empty": "ocr_test_empty_f",
			"expired": "ocr_test_expired_f", "revoked": "ocr_test_revoked_f", "ratelimited": ["ocr_test_ratelimited_f", "ocr_test_free_f"]`, 55},
		"runs some cases with one account": {`"ok": "ocr_test_ok_one"`, 20},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "keys.json")
			require.NoError(t, os.WriteFile(path, []byte(`{"keys": {`+c.keys+`}, "simulated": true}`), 0o600))
			target := contracttests.Target{BaseURL: MustMockServer(t) + "/api/v1"}
			require.NoError(t, target.LoadKeys(path))
			report := contracttests.Check(t.Context(), target)
			require.NoError(t, report.Err())
			require.Greater(t, report.Count(contracttests.Passed), c.passed)
			require.Positive(t, report.Count(contracttests.Skipped))
		})
	}
}

// mustFail returns a report with failures, skips and passes.
func mustFail(t *testing.T) contracttests.Report {
	t.Helper()
	return contracttests.Check(t.Context(), MustTarget(t, MustDefect(t, "names only the body in details")))
}

func TestReport_failuresCanBeRepeated(t *testing.T) {
	t.Parallel()
	report := mustFail(t)
	require.Positive(t, report.Count(contracttests.Failed))
	for _, r := range report.Results {
		if r.Outcome != contracttests.Failed {
			continue
		}
		assert.Regexp(t, `^curl -isS|\| nc `, r.Curl, r.Case)
		assert.Contains(t, r.Curl, "$UNCIAL_KEY", r.Case)
		assert.NotContains(t, r.Curl, "ocr_test_", "a report shows no key")
		assert.NotEmpty(t, r.Reason, r.Case)
		if r.Case == "extract/400/several-rules" {
			assert.Contains(t, r.Reason, "with seed 1, where ")
			assert.NotContains(t, r.Reason, ", and ", "it was reduced to one rule")
		}
	}
}

func TestReport_WriteJUnit(t *testing.T) {
	t.Parallel()
	for name, report := range map[string]contracttests.Report{
		"writes failures":                   mustFail(t),
		"writes passes":                     contracttests.Check(t.Context(), MustMock(t)),
		"writes a run that could not begin": contracttests.Check(t.Context(), unknownKey("http://127.0.0.1:1")),
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

// TestCheck_saysWhatItLeftOut compares a case that tries a few members of its sets with one that tries them all.
func TestCheck_saysWhatItLeftOut(t *testing.T) {
	t.Parallel()
	target := MustMock(t)
	target.Only = "^extract/200/(turned-image|every-turned-image)$"
	results := contracttests.Check(t.Context(), target).Results
	require.Len(t, results, 2)
	require.Len(t, results[0].LeftOut, 1)
	some, all := results[0].LeftOut[0], results[1].LeftOut[0]
	assert.Equal(t, "turned pages", some.Set)
	assert.Equal(t, 32, some.Of)
	assert.Len(t, some.Names, 30)
	assert.Empty(t, all.Names)
}

// TestOutline_costsWhatTheReadmeSays keeps the points that README.md announces equal to those that the suite does.
func TestOutline_costsWhatTheReadmeSays(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)
	var keys []string
	for _, scenario := range []string{"ok", "spare", "sibling", "low", "exact", "empty", "capped", "uncapped", "expired", "revoked", "outside", "ratelimited"} {
		keys = append(keys, fmt.Sprintf("%q: %q", scenario, "ocr_live_"+scenario))
	}
	described := func(member string) (target contracttests.Target) {
		path := filepath.Join(t.TempDir(), "keys.json")
		require.NoError(t, os.WriteFile(path, []byte(`{"keys": {`+strings.Join(keys, ", ")+`}, "enhances": true`+member+`}`), 0o600))
		require.NoError(t, target.LoadKeys(path))
		target.BaseURL = "http://127.0.0.1:1/api/v1"
		return target
	}
	service := described("")
	for sentence, target := range map[string]contracttests.Target{
		"at most %s points":        service,
		"with `--thorough` %s":     with(service, func(t *contracttests.Target) { t.Thorough = true }),
		"on a simulated server %s": described(`, "simulated": true`),
		"on the mock %s":           MustMock(t),
	} {
		plan, err := contracttests.Outline(target)
		require.NoError(t, err)
		var points int64
		for _, p := range plan {
			if p.Skip == "" {
				points += p.Points
			}
		}
		assert.Contains(t, string(readme), fmt.Sprintf(sentence, fmt.Sprintf("%d,%03d", points/1000, points%1000)))
	}
}
