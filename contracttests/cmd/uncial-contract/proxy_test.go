package main_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/joshdk/go-junit"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"uncial/impl/app/apptest"
)

// running is a proxy that runs as a program.
type running struct {
	base string // of its API
	cmd  *exec.Cmd
	out  *bufio.Reader
	err  bytes.Buffer
}

var proxyListens = regexp.MustCompile(`^Listening on (http://\S+/api/v1) for `)

func mustStartProxy(tb testing.TB, to string, args ...string) *running {
	tb.Helper()
	p := &running{}
	p.cmd = exec.CommandContext(tb.Context(), apptest.Binary(tb, "./contracttests/cmd/uncial-contract"),
		append([]string{"proxy", "--to", to, "--listen", "127.0.0.1:0"}, args...)...)
	p.cmd.Stderr = &p.err
	out, err := p.cmd.StdoutPipe()
	require.NoError(tb, err)
	require.NoError(tb, p.cmd.Start())
	p.out = bufio.NewReader(out)
	first, err := p.out.ReadString('\n')
	if err != nil {
		_ = p.cmd.Wait() // until then its messages are still being written
		require.NoError(tb, err, p.err.String())
	}
	match := proxyListens.FindStringSubmatch(first)
	require.NotNil(tb, match, first)
	p.base = match[1]
	return p
}

// stop interrupts the proxy and returns the rest of its output and its exit status.
func (p *running) stop(tb testing.TB) (out string, status int) {
	tb.Helper()
	require.NoError(tb, p.cmd.Process.Signal(os.Interrupt))
	text, err := io.ReadAll(p.out)
	require.NoError(tb, err)
	_ = p.cmd.Wait() // the status says how it ended
	return string(text), p.cmd.ProcessState.ExitCode()
}

func mustExtract(tb testing.TB, base string) {
	tb.Helper()
	r, err := http.NewRequestWithContext(tb.Context(), http.MethodPost, base+"/extract", strings.NewReader(`{"imageUrl":"http://mock.invalid/printed"}`))
	require.NoError(tb, err)
	r.Header.Set("Authorization", "Bearer ocr_test_ok_passing")
	r.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(r)
	require.NoError(tb, err)
	_, err = io.Copy(io.Discard, res.Body)
	require.NoError(tb, err)
	require.NoError(tb, res.Body.Close())
}

func TestProxy_honestServer(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p := mustStartProxy(t, mustServe(t, honest()), "--junit", filepath.Join(dir, "report.xml"), "--har", filepath.Join(dir, "traffic.har"))
	mustExtract(t, p.base)
	mustExtract(t, p.base)
	out, status := p.stop(t)
	assert.Equal(t, 0, status, "%s%s", out, p.err.String())
	assert.Regexp(t, `extract/200 +2 +0\n`, out)
	assert.Contains(t, out, "The traffic conforms to the contract. 2 exchanges, 0 violations.")
	suites, err := junit.IngestFile(filepath.Join(dir, "report.xml"))
	require.NoError(t, err)
	assert.Equal(t, 1, suites[0].Totals.Passed)
	a, text := mustArchive(t, filepath.Join(dir, "traffic.har"))
	assert.Len(t, a.Log.Entries, 2)
	assert.NotContains(t, text, "passing")
	assert.Contains(t, text, "printed")
}

func TestProxy_defectiveServer(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "report.xml")
	p := mustStartProxy(t, mustServe(t, lying(t, "extract 200: leaves out /confidence")), "--junit", file)
	mustExtract(t, p.base)
	line, err := p.out.ReadString('\n')
	require.NoError(t, err, "violations are reported as they happen")
	assert.Contains(t, line, `answer   POST /api/v1/extract 200  /confidence: is missing  (X-Request-Id `)
	out, status := p.stop(t)
	assert.Equal(t, 1, status, "%s%s", out, p.err.String())
	assert.Contains(t, out, "The traffic broke the contract. 1 exchange, 1 violation.")
	assert.NotContains(t, line+out, "passing")
	suites, err := junit.IngestFile(file)
	require.NoError(t, err)
	assert.Equal(t, 1, suites[0].Totals.Failed)
}

func TestProxy_couldNotRun(t *testing.T) {
	t.Parallel()
	p := mustStartProxy(t, mustServe(t, honest()))
	out, status := p.stop(t)
	assert.Equal(t, 2, status, "nothing checked is never a pass")
	assert.Contains(t, out, "Nothing was checked")
	base := mustServe(t, honest())
	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"no server":             {nil, "--to"},
		"an invalid address":    {[]string{"--to", "ocr.example.org"}, "--to: invalid URL"},
		"an occupied port":      {[]string{"--to", base, "--listen", strings.TrimSuffix(strings.TrimPrefix(base, "http://"), "/api/v1")}, "--listen: "},
		"an unwritable report":  {[]string{"--to", base, "--junit", "/nowhere/r.xml"}, "--junit: cannot write"},
		"an unwritable archive": {[]string{"--to", base, "--har", "/nowhere/r.har"}, "--har: cannot write"},
	} {
		o := mustRun(t, append([]string{"proxy"}, c.args...)...)
		assert.Equal(t, 2, o.status, name)
		assert.Contains(t, o.errout, c.want, name)
	}
}

func TestProxy_reportsAsJSON(t *testing.T) {
	t.Parallel()
	cmd := exec.CommandContext(t.Context(), apptest.Binary(t, "./contracttests/cmd/uncial-contract"), "proxy", "--json",
		"--to", mustServe(t, honest()), "--listen", "127.0.0.1:0")
	var out bytes.Buffer
	cmd.Stdout = &out
	errs, err := cmd.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	lines := bufio.NewReader(errs)
	first, err := lines.ReadString('\n')
	require.NoError(t, err)
	mustExtract(t, proxyListens.FindStringSubmatch(first)[1])
	require.NoError(t, cmd.Process.Signal(os.Interrupt))
	_, err = io.Copy(io.Discard, lines)
	require.NoError(t, err)
	require.NoError(t, cmd.Wait())
	var report struct {
		Exchanges  int
		Violations *int
		Kinds      []struct{ Name string }
	}
	require.NoError(t, json.Unmarshal(out.Bytes(), &report))
	assert.Equal(t, 1, report.Exchanges)
	require.NotNil(t, report.Violations)
	assert.Equal(t, "extract/200", report.Kinds[0].Name)
}
