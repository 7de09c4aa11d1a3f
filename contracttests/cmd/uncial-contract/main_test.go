package main_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/joshdk/go-junit"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"uncial/contracttests"
	"uncial/contracttests/internal/liar"
	"uncial/contracttests/internal/realservice"
	"uncial/impl/app/apptest"
	"uncial/mock"
)

func TestMain(m *testing.M) { apptest.Main(m) }

// outcome is the exit status and output of a run.
type outcome struct {
	status      int
	out, errout string
}

func mustRun(tb testing.TB, args ...string) outcome {
	tb.Helper()
	ctx, cancel := context.WithTimeout(tb.Context(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, apptest.Binary(tb, "./contracttests/cmd/uncial-contract"), args...)
	var out, errout bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errout
	err := cmd.Run()
	if _, exited := errors.AsType[*exec.ExitError](err); err != nil && !exited {
		require.NoError(tb, err)
	}
	return outcome{cmd.ProcessState.ExitCode(), out.String(), errout.String()}
}

func mustServe(tb testing.TB, h http.Handler) string {
	tb.Helper()
	return realservice.MustServe(tb, h) + "/api/v1"
}

func honest() http.Handler { return mock.New(mock.Options{}) }

func lying(tb testing.TB, does string) http.Handler {
	tb.Helper()
	defects, err := liar.Defects()
	require.NoError(tb, err)
	for _, d := range defects {
		if d.Does == does {
			return liar.New(honest(), d)
		}
	}
	tb.Fatalf("no defect %q", does)
	return nil
}

func mustKeysFile(tb testing.TB, text string) string {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), "keys.json")
	require.NoError(tb, os.WriteFile(path, []byte(text), 0o600))
	return path
}

func TestCheck_honestServer(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "report.xml")
	o := mustRun(t, "--mock", "--base-url", mustServe(t, honest()), "--seed", "5", "--junit", file)
	require.Equal(t, 0, o.status, "%s%s", o.out, o.errout)
	assert.Contains(t, o.out, "They may cost ")
	assert.Contains(t, o.out, "PASS   extract/402/empty")
	assert.Contains(t, o.out, `SKIP   extract/200/keys-share                   skipped: no key is mapped to "sibling"`)
	assert.Contains(t, o.out, "The server conforms to the contract in all checked cases.")
	suites, err := junit.IngestFile(file)
	require.NoError(t, err)
	assert.Zero(t, suites[0].Totals.Failed)
	assert.Greater(t, suites[0].Totals.Passed, 60)
}

func TestCheck_defectiveServer(t *testing.T) {
	t.Parallel()
	o := mustRun(t, "--mock", "--base-url", mustServe(t, lying(t, "reports fewer points in a 402 than are left")), "--only", "^extract/402/low$")
	require.Equal(t, 1, o.status, "%s%s", o.out, o.errout)
	assert.Contains(t, o.out, "FAIL   extract/402/low")
	assert.Contains(t, o.out, "what is wrong")
	assert.Contains(t, o.out, `UNCIAL_KEY=<the key of "low">`)
	assert.Contains(t, o.out, "curl -isS")
	assert.Contains(t, o.out, "The server breaks the contract. 0 passed, 1 failed, 0 skipped")
	assert.NotContains(t, o.out, "ocr_test_", "a report shows no key")
}

func TestCheck_reportsAsJSON(t *testing.T) {
	t.Parallel()
	o := mustRun(t, "--mock", "--base-url", mustServe(t, lying(t, "extract 400: answers with status 422")), "--only", "400", "--json", "--fail-fast")
	require.Equal(t, 1, o.status)
	var report struct {
		BaseURL string
		Seed    uint64
		Results []struct{ Case, Result, Reason, Curl, Answer string }
	}
	require.NoError(t, json.Unmarshal([]byte(o.out), &report))
	last := report.Results[len(report.Results)-1]
	assert.Equal(t, "fail", last.Result)
	assert.Contains(t, last.Reason, "must be 400, not 422")
	assert.Contains(t, last.Answer, "422 ")
}

func TestCheck_couldNotRun(t *testing.T) {
	t.Parallel()
	const files = "http://127.0.0.1:1/api/v1" // never asked
	never := mustServe(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-r.Context().Done():
		case <-time.After(30 * time.Second):
		}
	}))
	late := mustServe(t, mock.New(mock.Options{Latency: mock.Latency{Min: time.Second, Max: time.Second}}))
	secure := httptest.NewTLSServer(honest())
	t.Cleanup(secure.Close)
	keys := mustKeysFile(t, `{"keys": {"ok": "ocr_live_nobody"}}`)
	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"a server that is down":            {[]string{"--mock", "--base-url", "http://127.0.0.1:1/api/v1"}, "does not answer"},
		"a missing keys file":              {[]string{"--keys", keys + ".none", "--base-url", files}, "cannot read the keys file"},
		"an invalid keys file":             {[]string{"--keys", mustKeysFile(t, `{"ok": "k"}`), "--base-url", files}, "invalid keys file"},
		"a server that does not answer":    {[]string{"--keys", keys, "--base-url", never, "--patience", "1s"}, "no complete answer within 1s"},
		"a server too slow for the time":   {[]string{"--mock", "--base-url", late, "--timeout", "4s"}, "the time limit was reached"},
		"neither keys nor mock":            {[]string{"--base-url", files}, "keys are missing"},
		"an invalid base URL, before keys": {[]string{"--base-url", "nonsense"}, `invalid base URL "nonsense"`},
		"another version of the API":       {[]string{"--mock", "--base-url", "http://127.0.0.1:1/api/v2"}, "as in http://127.0.0.1:1/api/v1"},
		"both keys and mock":               {[]string{"--mock", "--keys", keys}, "cannot be combined with --keys"},
		"images served to a mock":          {[]string{"--mock", "--serve-images", "127.0.0.1:0"}, "the mock fetches nothing"},
		"images at a URL, but not served":  {[]string{"--keys", keys, "--images-url", "http://a.test"}, "--images-url needs --serve-images"},
		"no base URL":                      {[]string{"--keys", keys}, "--base-url is missing"},
		"a negative limit of points":       {[]string{"--mock", "--max-points=-1"}, "must be 0 or more"},
		"only skipped cases":               {[]string{"--mock", "--base-url", mustServe(t, honest()), "--only", "keys-share"}, "nothing was checked: the case extract/200/keys-share was skipped because"},
		"no case of several that can run":  {[]string{"--mock", "--base-url", mustServe(t, honest()), "--only", "401/outside"}, "nothing was checked: all 2 cases were skipped, status/401/outside because no key"},
		"TLS of a server without it":       {[]string{"--mock", "--base-url", strings.Replace(mustServe(t, honest()), "http:", "https:", 1)}, "begin the base URL with http://"},
		"no TLS of a server that needs it": {[]string{"--mock", "--base-url", strings.Replace(secure.URL, "https:", "http:", 1) + "/api/v1"}, "begin the base URL with https://"},
		"a JUnit file on a full disk":      {[]string{"--mock", "--base-url", mustServe(t, honest()), "--only", "^status/200/record$", "--junit", "/dev/full"}, "--junit: cannot write to /dev/full: no space left on device"},
		"an archive on a full disk":        {[]string{"--mock", "--base-url", mustServe(t, honest()), "--only", "^status/200/record$", "--har", "/dev/full"}, "--har: cannot write to /dev/full: no space left on device"},
		"--quick with --thorough":          {[]string{"--mock", "--quick", "--thorough"}, "--quick chooses the cases"},
		"a port that does not exist":       {[]string{"--mock", "--base-url", "http://127.0.0.1:99999/api/v1"}, "must be at most 65535, not 99999"},
		"no patience":                      {[]string{"--mock", "--patience=1ms"}, "--patience must be at least 1s"},
		"a path in front of the API":       {[]string{"--mock", "--base-url", strings.Replace(mustServe(t, honest()), "/api/v1", "/x/api/v1", 1)}, "GET /status with a key gets a 404; check the path of the base URL"},
		"no generated requests":            {[]string{"--mock", "--generated", "0"}, "--generated must be 1 or more"},
		"one file for two reports":         {[]string{"--mock", "--junit", "report", "--har", filepath.Join(mustGetwd(t), "report")}, "--junit and --har must be different files"},
		"a negative seed":                  {[]string{"--mock", "--seed", "-5"}, "--seed: must not be negative, got \"-5\"\nSee 'uncial-contract --help'."},
		"images served at no address":      {[]string{"--keys", keys, "--base-url", files, "--serve-images", "nonsense"}, "--serve-images: invalid address \"nonsense\"; expected HOST:PORT"},
		"a comparison with nonsense":       {[]string{"diff", "--a", mustServe(t, honest()), "--b", "nonsense"}, "--b: invalid base URL \"nonsense\""},
		"an unknown flag of a comparison":  {[]string{"diff", "--x"}, "See 'uncial-contract diff --help'."},
		"no time at all":                   {[]string{"--mock", "--base-url", mustServe(t, honest()), "--timeout", "1ns"}, "the time limit was reached"},
		"a query in the base URL":          {[]string{"--mock", "--base-url", "http://a.test/api/v1?x=1"}, "it must end with its path"},
		"an invalid pattern":               {[]string{"--mock", "--base-url", mustServe(t, honest()), "--only", "("}, "invalid pattern for the names of cases: missing closing"},
		"a report of a list":               {[]string{"--list", "--junit", "report.xml"}, "--list sends nothing"},
		"an unknown flag":                  {[]string{"--moc"}, "unknown flag"},
		"a comparison with a server down":  {[]string{"diff", "--a", mustServe(t, honest()), "--b", "http://127.0.0.1:1/api/v1"}, "does not answer"},
		"a report that cannot be written":  {[]string{"--mock", "--base-url", mustServe(t, honest()), "--only", "record", "--junit", "/nowhere/report.xml"}, "--junit"},
	} {
		t.Run("reports "+name, func(t *testing.T) {
			t.Parallel()
			started := time.Now()
			o := mustRun(t, c.args...)
			require.Equal(t, 2, o.status, "%s%s", o.out, o.errout)
			require.Contains(t, o.out+o.errout, c.want)
			require.Less(t, time.Since(started), 30*time.Second)
		})
	}
}

func TestCheck_spendsNothingWithALimitOfZero(t *testing.T) {
	t.Parallel()
	o := mustRun(t, "--mock", "--base-url", mustServe(t, honest()), "--max-points", "0", "--json")
	require.Equal(t, 0, o.status, "%s%s", o.out, o.errout)
	assert.Contains(t, o.errout, "They may cost 0 points", "announced on the standard error")
	var report contracttests.Report
	require.NoError(t, json.Unmarshal([]byte(o.out), &report))
	assert.Zero(t, report.Points)
	assert.Greater(t, report.Count(contracttests.Passed), 20)
}

// TestCheck_isInterrupted sends the signal of Ctrl-C. The results so far must be reported, also in the JUnit file.
func TestCheck_isInterrupted(t *testing.T) {
	t.Parallel()
	late := mustServe(t, mock.New(mock.Options{Latency: mock.Latency{Min: 300 * time.Millisecond, Max: 300 * time.Millisecond}}))
	file := filepath.Join(t.TempDir(), "report.xml")
	cmd := exec.CommandContext(t.Context(), apptest.Binary(t, "./contracttests/cmd/uncial-contract"), "--mock", "--base-url", late, "--junit", file)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	var text strings.Builder
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if text.WriteString(lines.Text() + "\n"); strings.HasPrefix(lines.Text(), "PASS") {
			_ = cmd.Process.Signal(os.Interrupt) // again with each case that still passes
		}
	}
	require.Error(t, cmd.Wait())
	assert.Equal(t, 2, cmd.ProcessState.ExitCode(), text.String())
	assert.Contains(t, text.String(), "interrupted after ")
	suites, err := junit.IngestFile(file)
	require.NoError(t, err)
	assert.Equal(t, 1, suites[0].Totals.Error)
	assert.Positive(t, suites[0].Totals.Passed)
}

// TestCheck_overHTTP2 checks a server with TLS and HTTP/2, which most deployments have in front.
func TestCheck_overHTTP2(t *testing.T) {
	t.Parallel()
	var newest atomic.Int32
	api := honest()
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		newest.Store(max(newest.Load(), int32(r.ProtoMajor)))
		api.ServeHTTP(w, r)
	}))
	server.EnableHTTP2 = true
	server.StartTLS()
	t.Cleanup(server.Close)
	authority := filepath.Join(t.TempDir(), "authority.pem")
	require.NoError(t, os.WriteFile(authority, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}), 0o600))
	keys := mustKeysFile(t, `{"keys": {"ok": "ocr_test_ok_h2", "spare": "ocr_test_archive_h2", "empty": "ocr_test_empty_h2"}, "simulated": true}`)
	cmd := exec.CommandContext(t.Context(), apptest.Binary(t, "./contracttests/cmd/uncial-contract"), "--base-url", server.URL+"/api/v1", "--keys", keys)
	cmd.Env = append(os.Environ(), "SSL_CERT_FILE="+authority)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Equal(t, int32(2), newest.Load())
}

func TestCheck_makesTheJUnitFileFirst(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	base := mustServe(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Add(1) }))
	keys := mustKeysFile(t, `{"keys": {"ok": "ocr_live_somebody"}}`)
	o := mustRun(t, "--keys", keys, "--base-url", base, "--junit", "/nowhere/report.xml")
	require.Equal(t, 2, o.status)
	require.Contains(t, o.errout, "--junit: cannot write to /nowhere/report.xml: no such file or directory")
	require.Zero(t, asked.Load())

	dir := t.TempDir()
	o = mustRun(t, "--mock", "--base-url", mustServe(t, honest()), "--only", "record", "--junit", filepath.Join(dir, "report.xml"))
	require.Equal(t, 0, o.status, "%s%s", o.out, o.errout)
	files, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, files, 1, "no temporary file remains")
	o = mustRun(t, "--mock", "--base-url", mustServe(t, honest()), "--only", "record", "--junit", "/dev/stdout")
	require.Contains(t, o.out, "<testsuites")
}

func TestCheck_ListsCases(t *testing.T) {
	t.Parallel()
	o := mustRun(t, "--list")
	require.Equal(t, 0, o.status, o.errout)
	assert.Contains(t, o.out, "extract/402/low")
	assert.Contains(t, o.out, "needs a server, key:low; at most")
	o = mustRun(t, "--list", "--json", "--only", "^extract/402/low$")
	var cases []struct {
		Name   string
		Needs  []string
		Points int64
	}
	require.NoError(t, json.Unmarshal([]byte(o.out), &cases))
	require.Len(t, cases, 1)
	assert.Equal(t, []string{"key:low"}, cases[0].Needs)
	assert.Equal(t, int64(10), cases[0].Points)
}

func TestDiff(t *testing.T) {
	t.Parallel()
	a := mustServe(t, honest())
	o := mustRun(t, "diff", "--a", a, "--b", mustServe(t, honest()))
	require.Equal(t, 0, o.status, "%s%s", o.out, o.errout)
	assert.Contains(t, o.out, "The servers agree.")
	o = mustRun(t, "diff", "--a", a, "--b", mustServe(t, lying(t, "charges nothing for a blank page")), "--json")
	require.Equal(t, 1, o.status)
	var report contracttests.DiffReport
	require.NoError(t, json.Unmarshal([]byte(o.out), &report))
	require.NotEmpty(t, report.Differences)
	assert.Equal(t, "the change of points", report.Differences[0].What)
}

func TestHelp(t *testing.T) {
	t.Parallel()
	o := mustRun(t, "--help")
	require.Equal(t, 0, o.status)
	for _, want := range []string{"--base-url", "--max-points", "$UNCIAL_CONTRACT_KEYS", "Exit status:", "uncial-contract diff --a"} {
		assert.Contains(t, o.out, want)
	}
	require.Equal(t, 0, mustRun(t, "--version").status)
}

// TestCheck_curlRepeatsAFailure runs the command lines of a report.
func TestCheck_curlRepeatsAFailure(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip("curl is not installed")
	}
	base := mustServe(t, lying(t, "extract 400: answers with status 422"))
	keys := mustKeysFile(t, `{"keys": {"ok": "ocr_test_ok_curl", "empty": "ocr_test_empty_curl"}, "simulated": true}`)
	o := mustRun(t, "--keys", keys, "--base-url", base, "--only", "^(extract/400/(each-rule|shape-costs-nothing)|status/400)", "--json")
	require.Equal(t, 1, o.status, "%s%s", o.out, o.errout)
	var report contracttests.Report
	require.NoError(t, json.Unmarshal([]byte(o.out), &report))
	repeated := 0
	for _, r := range report.Results {
		if r.Outcome != contracttests.Failed {
			continue
		}
		cmd := exec.CommandContext(t.Context(), "bash", "-c", r.Curl)
		cmd.Env = append(os.Environ(), "UNCIAL_KEY=ocr_test_"+r.Key+"_curl")
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s\n%s", r.Curl, out)
		require.Regexp(t, `^HTTP/1.1 422`, string(out), r.Curl)
		repeated++
	}
	require.Positive(t, repeated)
}

func mustGetwd(tb testing.TB) string {
	tb.Helper()
	dir, err := os.Getwd()
	require.NoError(tb, err)
	return dir
}

// TestCheck_doubtsKeys gives valid keys for scenarios that need others: each failure names the key and says what may be wrong
// with it.
func TestCheck_doubtsKeys(t *testing.T) {
	t.Parallel()
	server := mustServe(t, honest())
	for scenario, c := range map[string]struct{ key, only, want string }{
		"expired": {"ocr_test_ok_doubt1", "^status/401/expired$", `if the key of "expired" has not expired, correct the keys file`},
		"revoked": {"ocr_test_ok_doubt2", "^extract/401/revoked$", `if the key of "revoked" has not been revoked, correct the keys file`},
		"sibling": {"ocr_test_archive_doubt3", "^extract/200/keys-share$", `if the key of "sibling" does not belong to the account of the first key of "ok", correct the keys file`},
	} {
		t.Run(scenario, func(t *testing.T) {
			t.Parallel()
			keys := mustKeysFile(t, fmt.Sprintf(`{"keys": {"ok": "ocr_test_ok_doubt", %q: %q}, "simulated": true}`, scenario, c.key))
			o := mustRun(t, "--base-url", server, "--keys", keys, "--only", c.only)
			require.Equal(t, 1, o.status, o.out)
			assert.Contains(t, o.out, c.want)
			assert.Contains(t, o.out, fmt.Sprintf("UNCIAL_KEY=<the key of %q>", scenario))
			assert.Regexp(t, "and 1?0 points in", o.out, "points of another account do not count")
			assert.Regexp(t, `\$UNCIAL_KEY[^0-9]`, o.out, "a key that begins like another one")
		})
	}
}

// TestCheck_repeatsTheCommand checks that the command line shown with a failure has the flags that the failure depends on.
func TestCheck_repeatsTheCommand(t *testing.T) {
	t.Parallel()
	base := mustServe(t, lying(t, "extract 400: answers with status 422"))
	keys := mustKeysFile(t, `{"keys": {"ok": "ocr_test_ok_again"}, "simulated": true}`)
	o := mustRun(t, "--keys", keys, "--base-url", base, "--only", "^extract/400/each-rule$", "--generated", "50", "--patience", "2s", "--max-wait", "0s", "--thorough")
	require.Equal(t, 1, o.status, "%s%s", o.out, o.errout)
	assert.Contains(t, o.out, fmt.Sprintf("uncial-contract --base-url %s --keys %s --seed 1 --generated 50 --patience 2s --max-wait 0s --thorough --only '^extract/400/each-rule$'", base, keys))
	o = mustRun(t, "--mock", "--base-url", base, "--only", "^extract/400/each-rule$")
	assert.Contains(t, o.out, fmt.Sprintf("uncial-contract --base-url %s --mock --seed 1 --only '^extract/400/each-rule$'", base))
}

// TestCheck_serverThatIsGone ends the server during the run: nothing is known about the answers that it would have given.
func TestCheck_serverThatIsGone(t *testing.T) {
	t.Parallel()
	var requests atomic.Int64
	mock, server := honest(), httptest.NewUnstartedServer(nil)
	server.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if requests.Add(1) >= 100 { // every answer is complete, but no connection is left after it
			_ = server.Listener.Close()
			w.Header().Set("Connection", "close")
		}
		mock.ServeHTTP(w, r)
	})
	server.Start()
	t.Cleanup(server.Close)
	o := mustRun(t, "--mock", "--base-url", server.URL+"/api/v1", "--only", "^status/200|^extract/402", "--max-points", "100000")
	require.Equal(t, 2, o.status, "%s%s", o.out, o.errout)
	assert.Contains(t, o.out, "connection refused")
}
