package client_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"uncial/internal/format/formattest"
)

// buildMock builds the mock, which packages of the service must not import, and returns its path.
var buildMock = sync.OnceValues(func() (string, error) {
	binary := filepath.Join(programs, "uncial-mock")
	out, err := exec.CommandContext(context.Background(), "go", "build", "-o", binary, "uncial/mock/cmd/uncial-mock").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	return binary, nil
})

// mustMock starts the mock and returns its URL.
func mustMock(tb testing.TB, flags ...string) string {
	tb.Helper()
	binary, err := buildMock()
	require.NoError(tb, err)
	mock := exec.CommandContext(tb.Context(), binary, append([]string{"--listen", "127.0.0.1:0"}, flags...)...)
	stderr, err := mock.StderrPipe()
	require.NoError(tb, err)
	require.NoError(tb, mock.Start())
	tb.Cleanup(func() {
		_ = mock.Process.Signal(os.Interrupt)
		_ = mock.Wait()
	})
	line, err := bufio.NewReader(stderr).ReadString('\n')
	require.NoError(tb, err)
	address := regexp.MustCompile(`127\.0\.0\.1:\d+`).FindString(line)
	require.NotEmpty(tb, address, "the first line of the log names the address: %s", line)
	return "http://" + address
}

func TestExtractCmd_Run_Mock(t *testing.T) {
	t.Parallel()
	url := mustMock(t)
	run := func(key string, args ...string) (stdout, stderr string, status int) {
		return extract(t.Context(), t, url, append([]string{"--key", "ocr_test_" + key + "_extract"}, args...)...)
	}
	const printed, handwritten = "https://mock.invalid/printed", "https://mock.invalid/handwritten"

	text, stderr, status := run("ok", printed, handwritten)
	assert.NotEmpty(t, text)
	assert.Empty(t, stderr)
	assert.Zero(t, status)

	again, _, _ := run("ok", "--jobs=1", printed, handwritten)
	assert.Equal(t, text, again)

	file, _, status := run("ok", "--format=pdf", printed)
	formattest.RequireValidPDF(t, []byte(file))
	assert.Equal(t, strings.Fields(strings.Split(text, "\f")[0])[:5], strings.Fields(formattest.PDFText(t, []byte(file)))[:5])
	assert.Zero(t, status)
	dir := t.TempDir()
	_, stderr, status = run("ok", "--format=pdf", "--out", dir, mustSample(t))
	assert.Zero(t, status, stderr)
	written, err := os.ReadFile(filepath.Join(dir, "page.pdf"))
	require.NoError(t, err)
	formattest.RequireValidPDF(t, written)
	page, _, status := run("ok", "--format=page", mustSample(t))
	assert.Contains(t, page, "<PcGts")
	assert.Zero(t, status)

	for _, c := range []struct {
		key    string
		args   []string
		status int
		text   string
	}{
		{"low", []string{printed, handwritten}, 1, "the service returned 402: an extraction costs 10 points; 2 remaining; upgrade the plan or wait for the reset; points reset at 2026-02-01T00:00:00Z; 1 of 2 pages read"},
		{"empty", []string{printed}, 1, "returned 402"},
		{"revoked", []string{printed}, 2, "returned 401"},
		{"ratelimited", []string{"--timeout=4s", printed}, 1, "returned 429"},
		{"err", []string{"--timeout=4s", printed}, 1, "returned 500"},
	} {
		_, stderr, status := run(c.key, append(c.args, "--jobs=1")...)
		assert.Equal(t, c.status, status, c.key)
		assert.Contains(t, stderr, c.text, c.key)
	}
}

// mustSample returns the path of the sample page.
func mustSample(tb testing.TB) string {
	tb.Helper()
	path, err := filepath.Abs(filepath.Join("..", "sample", "page.jpg"))
	require.NoError(tb, err)
	require.FileExists(tb, path)
	return path
}
