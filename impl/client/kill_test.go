package client_test

import (
	"bytes"
	"context"
	"encoding/xml"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/alecthomas/kong"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"uncial/impl/client"
	"uncial/impl/client/source/sourcetest"
)

// asProgram makes the test binary run the command, so that a test can kill it.
const asProgram = "UNCIAL_TEST_EXTRACT"

// programs is a folder for the programs that tests build. The tests of this package share it.
var programs string

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) == "" {
		os.Exit(runTests(m))
	}
	var cmd client.ExtractCmd
	parser, err := kong.New(&cmd)
	if err == nil {
		_, err = parser.Parse(os.Args[1:])
	}
	if err == nil {
		err = cmd.Run(context.Background())
	}
	if err != nil {
		_, _ = fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// runTests runs all tests and removes what they built.
func runTests(m *testing.M) int {
	var err error
	if programs, err = os.MkdirTemp("", "uncial-client-test-"); err != nil {
		_, _ = fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(programs) }()
	return m.Run()
}

// archive serves images by number: slow ones, some that fail or ask clients to wait at first, and one that is gone.
type archive struct {
	scans [][]byte
	mu    sync.Mutex
	asked map[string]int
	busy  int // requests at this moment
	peak  int // the largest number of requests at the same time
}

const canvases = 16

func (a *archive) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/manifest.json" {
		_, _ = io.WriteString(w, a.manifest("http://"+r.Host))
		return
	}
	a.mu.Lock()
	a.asked[r.URL.Path]++
	times := a.asked[r.URL.Path]
	a.busy++
	a.peak = max(a.peak, a.busy)
	a.mu.Unlock()
	var n int
	_, _ = fmt.Sscanf(r.URL.Path, "/%d.jpg", &n)
	if n%4 == 0 {
		time.Sleep(200 * time.Millisecond)
	}
	// The request is over before its answer is written: a client that has the answer may ask again before this function returns.
	a.mu.Lock()
	a.busy--
	a.mu.Unlock()
	switch {
	case n == 3:
		http.NotFound(w, r)
		return
	case n == 5 && times <= 2:
		w.Header().Set("Retry-After", "1")
		http.Error(w, "slow down", http.StatusTooManyRequests)
		return
	case n == 8 && times == 1:
		http.Error(w, "failed", http.StatusInternalServerError)
		return
	case n == 11 && times == 1:
		closeConnection(w, r)
		return
	}
	_, _ = w.Write(a.scans[n])
}

// rest waits for the requests of clients that were killed, and forgets how many there were at once.
func (a *archive) rest() {
	for {
		a.mu.Lock()
		isResting := a.busy == 0
		a.peak = 0
		a.mu.Unlock()
		if isResting {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
}

func (a *archive) manifest(base string) string {
	var items []string
	for i := range canvases {
		items = append(items, fmt.Sprintf(`{"id":"%s/canvas/%d","type":"Canvas","items":[{"items":[{"motivation":"painting","body":{"id":"%[1]s/%d.jpg","type":"Image"}}]}]}`, base, i, i))
	}
	return `{"type":"Manifest","label":"Codex","items":[` + strings.Join(items, ",") + `]}`
}

// How many pages mustSources has of each kind, besides those of the archive.
const pdfPages, images = 40, 200

// mustSources makes a PDF, a folder and a manifest, and serves the images of the manifest.
func mustSources(tb testing.TB) (a *archive, sources []string) {
	tb.Helper()
	dir := tb.TempDir()
	var sheets []sourcetest.Sheet
	for i := range pdfPages {
		sheets = append(sheets, sourcetest.Sheet{JPEG: sourcetest.JPEG(tb, sourcetest.Gray(60, 40, i)), DPI: 100})
	}
	book := sourcetest.Write(tb, dir, "book.pdf", sourcetest.PDF(tb, sheets...))
	for i := range images {
		sourcetest.Write(tb, dir, fmt.Sprintf("scans/%d.jpg", i), sourcetest.JPEG(tb, sourcetest.Gray(40, 60, i)))
	}
	a = &archive{asked: map[string]int{}}
	for i := range canvases {
		a.scans = append(a.scans, sourcetest.JPEG(tb, sourcetest.Gray(50, 50, i)))
	}
	server := httptest.NewServer(a)
	tb.Cleanup(server.Close)
	return a, []string{book, filepath.Join(dir, "scans"), server.URL + "/manifest.json"}
}

// TestExtractCmd_Run_Killed reads a PDF, a folder and a manifest while the command is killed ten times. Each page is charged
// once, all files are whole, and the second run is free.
func TestExtractCmd_Run_Killed(t *testing.T) {
	key := "ocr_test_archive_killed"
	base, out := mustMock(t), t.TempDir()
	a, sources := mustSources(t)
	args := append([]string{
		"--url", base, "--key", key, "--out", out, "--format", "text,alto", "--volume", "text", "--partial", "--fetch-here",
	}, sources...)
	start := func(stderr io.Writer) *exec.Cmd {
		cmd := exec.CommandContext(t.Context(), os.Args[0], args...)
		cmd.Env = append(os.Environ(), asProgram+"=1")
		cmd.Stderr = stderr
		require.NoError(t, cmd.Start())
		return cmd
	}
	spent := func() int {
		var state struct{ Balance int }
		mustPut(t, base+"/__mock/keys/"+key, &state)
		return 1_000_000 - state.Balance
	}
	moments := rand.New(rand.NewPCG(18, 1))
	killed := 0
	for range 10 {
		before := spent()
		cmd := start(nil)
		// The moment counts in pages that are charged, so that pages are left for every run, however fast or slow the machine is.
		least := before + 10*(1+moments.IntN(12))
		for deadline := time.Now().Add(10 * time.Second); spent() < least && time.Now().Before(deadline); {
			time.Sleep(5 * time.Millisecond)
		}
		time.Sleep(time.Duration(moments.IntN(40)) * time.Millisecond)
		require.NoError(t, cmd.Process.Kill())
		_ = cmd.Wait()
		if status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); ok && status.Signaled() {
			killed++
		}
	}
	assert.Equal(t, 10, killed, "no run ended before it was killed")
	a.rest()
	var stderr bytes.Buffer
	require.Error(t, start(&stderr).Wait(), "a page is absent")
	const all = pdfPages + images + canvases
	assert.Contains(t, stderr.String(), fmt.Sprintf("%d of %d pages read (", all-1, all))
	assert.Contains(t, stderr.String(), ", 1 absent; ")
	assert.Equal(t, (all-1)*10, spent(), "each page is charged once")

	requireWhole(t, out, all-1)
	a.mu.Lock()
	assert.Equal(t, 1, a.peak, "the server of the images gets one request at a time")
	a.mu.Unlock()

	stderr.Reset()
	require.Error(t, start(&stderr).Wait())
	assert.Contains(t, stderr.String(), fmt.Sprintf("%d of %d pages read (%d before), 1 absent; 0 points used; ", all-1, all, all-1))
	assert.Equal(t, (all-1)*10, spent())
}

// requireWhole requires the files of a number of pages and of the volume, none of them cut.
func requireWhole(t *testing.T, out string, pages int) {
	t.Helper()
	names := mustNames(t, out)
	assert.Len(t, names, 2*pages+1)
	for _, name := range names {
		content, err := os.ReadFile(filepath.Join(out, name))
		require.NoError(t, err)
		require.NotEmpty(t, content, name)
		if strings.HasSuffix(name, ".xml") {
			require.NoError(t, xml.Unmarshal(content, new(struct{})), name)
		}
	}
	text, err := os.ReadFile(filepath.Join(out, "volume.txt"))
	require.NoError(t, err)
	assert.Equal(t, pages, bytes.Count(text, []byte{'\f'}))
}
