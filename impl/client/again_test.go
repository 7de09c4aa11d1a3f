package client_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"uncial/gen"
	"uncial/impl/client/journal"
	"uncial/impl/client/source/sourcetest"
)

// TestExtractCmd_Run_OtherArguments reads two folders with files of the same names, in several combinations: what a page costs
// and what its files are called do not depend on what else is given.
func TestExtractCmd_Run_OtherArguments(t *testing.T) {
	t.Parallel()
	f, url := mustFake(t, nil)
	dir, out := t.TempDir(), t.TempDir()
	for name, content := range map[string]string{"a/1.jpg": "a1", "b/1.jpg": "b1", "b/2.jpg": "both", "a/2.jpg": "both"} {
		sourcetest.Write(t, dir, name, []byte(jpegStart+content))
	}
	a, b := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	run := func(args ...string) string {
		t.Helper()
		_, stderr, status := extract(t.Context(), t, url, append([]string{"--jobs=1", "--out", out}, args...)...)
		assert.Zero(t, status, stderr)
		return stderr
	}
	assert.Contains(t, run(a, b), "4 of 4 pages read; 30 points used", "the same image at the same position is charged once")
	texts := map[string]string{"1.txt": "a1\n", "1-2.txt": "b1\n", "2.txt": "both\n", "2-2.txt": "both\n"}
	check := func() {
		t.Helper()
		for name, text := range texts {
			assert.Equal(t, text, mustRead(t, out, name), name)
		}
		assert.Len(t, mustNames(t, out), len(texts))
	}
	check()
	f.texts()
	run(b, a)
	run(b)
	run(a)
	check()
	moved := filepath.Join(t.TempDir(), "moved")
	require.NoError(t, os.Rename(b, moved))
	assert.Contains(t, run(moved), "2 of 2 pages read (2 before); 0 points used")
	check()
	assert.Empty(t, f.texts())
}

// TestExtractCmd_Run_StoredAnswer crashes after an answer was stored and before the journal says so. The next run uses the
// answer, however much later it begins.
func TestExtractCmd_Run_StoredAnswer(t *testing.T) {
	t.Parallel()
	f, url := mustFake(t, nil)
	file, out := mustFiles(t, "page.jpg")[0], t.TempDir()
	run := func(want string, args ...string) {
		t.Helper()
		_, stderr, status := extract(t.Context(), t, url, append([]string{"--out", out, file}, args...)...)
		assert.Zero(t, status, stderr)
		assert.Contains(t, stderr, want)
	}
	crash := func() {
		path := filepath.Join(out, journal.Folder, "journal.jsonl")
		var kept strings.Builder
		for line := range strings.Lines(mustRead(t, filepath.Dir(path), "journal.jsonl")) {
			var event journal.Event
			require.NoError(t, json.Unmarshal([]byte(line), &event))
			if event.Kind != journal.Done && event.Kind != journal.Files {
				kept.WriteString(line)
			}
		}
		require.NoError(t, os.WriteFile(path, []byte(kept.String()), 0o600))
		mustAge(t, out, 30*time.Hour)
	}
	run("1 of 1 page read; 10 points used")
	crash()
	run("1 of 1 page read (1 before); 0 points used", "--format=text,alto")
	assert.Len(t, f.texts(), 1)
	assert.Equal(t, []string{"page.alto.xml", "page.txt"}, mustNames(t, out))
	crash()
	run("1 of 1 page read; 10 points used", "--force")
	assert.Equal(t, 2, f.keyCount(), "--force reads it again")
}

// TestExtractCmd_Run_ForceElsewhere reads a page for several folders. The service has its answer, which only --force does not
// want.
func TestExtractCmd_Run_ForceElsewhere(t *testing.T) {
	t.Parallel()
	f, url := mustFake(t, nil)
	file := mustFiles(t, "page.jpg")[0]
	read := func(want string, keys int, args ...string) {
		t.Helper()
		_, stderr, status := extract(t.Context(), t, url, append(args, file)...)
		assert.Zero(t, status, stderr)
		assert.Contains(t, stderr, "1 of 1 page read; "+want)
		assert.Equal(t, keys, f.keyCount())
	}
	folder := t.TempDir()
	read("10 points used", 1, "--out", folder)
	read("0 points used", 1, "--out", t.TempDir())
	for i := range 10 {
		read("10 points used", 2+i, "--force", "--out", t.TempDir())
	}
	read("10 points used", 12, "--force", "--out", folder)
}

// TestExtractCmd_Run_FailedForce fails to read a page again: its earlier answer still counts.
func TestExtractCmd_Run_FailedForce(t *testing.T) {
	t.Parallel()
	var isFailing, isSlow atomic.Bool
	f, url := mustFake(t, func(string) gen.ExtractResponseObject {
		if isSlow.Load() {
			time.Sleep(3 * time.Second) // longer than the time limit
		}
		if isFailing.Load() {
			return invalid("imageUrl: no image")
		}
		return nil
	})
	file, out := mustFiles(t, "page.jpg")[0], t.TempDir()
	run := func(args ...string) (string, int) {
		_, stderr, status := extract(t.Context(), t, url, append([]string{"--out", out, file}, args...)...)
		return stderr, status
	}
	_, status := run()
	require.Zero(t, status)
	isFailing.Store(true)
	stderr, status := run("--force")
	assert.Equal(t, 1, status)
	assert.Contains(t, stderr, "imageUrl: no image")
	f.texts()
	stderr, status = run("--volume=text")
	assert.Zero(t, status, stderr)
	assert.Contains(t, stderr, "1 of 1 page read (1 before); 0 points used")
	assert.Empty(t, f.texts())

	isFailing.Store(false)
	isSlow.Store(true)
	_, status = run("--force", "--timeout=2s")
	assert.Equal(t, 1, status)
	isSlow.Store(false)
	mustAge(t, out, 30*time.Hour)
	f.texts()
	stderr, status = run()
	assert.Zero(t, status, stderr)
	assert.Contains(t, stderr, "the extraction may have been charged; the earlier answer is used\n")
	assert.Empty(t, f.texts())
}

// TestExtractCmd_Run_Unavailable answers 503, once as the service and once as a proxy: only the proxy may have passed the
// request on.
func TestExtractCmd_Run_Unavailable(t *testing.T) {
	t.Parallel()
	for body, isDoubtful := range map[string]bool{
		`{"success":false,"error":"No.","code":"SERVER_ERROR","message":"stopping"}`: false,
		`{"message":"no healthy upstream"}`:                                          true,
		`{"message":"no healthy upstream","code":503}`:                               true,
		`{"message":"no healthy upstream","code":"UPSTREAM_DOWN"}`:                   true,
		`<html>503</html>`: true,
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "60")
			w.WriteHeader(http.StatusServiceUnavailable)
			_, _ = w.Write([]byte(body))
		}))
		t.Cleanup(server.Close)
		file, out := mustFiles(t, "page.jpg")[0], t.TempDir()
		_, _, status := extract(t.Context(), t, server.URL, "--out", out, file, "--timeout=2s")
		assert.Equal(t, 1, status)
		mustAge(t, out, 30*time.Hour)
		stdout, stderr, _ := extract(t.Context(), t, server.URL, "--out", out, file, "--dry-run", "--key=")
		assert.Equal(t, isDoubtful, strings.Contains(stdout, "1 unknown"), "%s: %s%s", body, stdout, stderr)
	}
}

// pictures serves one JPEG. The first requests for it are answered by before, as long as that returns true.
func pictures(tb testing.TB, address string, before func(w http.ResponseWriter, r *http.Request) bool) string {
	tb.Helper()
	page := sourcetest.JPEG(tb, sourcetest.Gray(100, 50, 1))
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !before(w, r) {
			_, _ = w.Write(page)
		}
	}))
	listener, err := new(net.ListenConfig).Listen(tb.Context(), "tcp", address+":0")
	require.NoError(tb, err)
	require.NoError(tb, server.Listener.Close())
	server.Listener = listener
	server.Start()
	tb.Cleanup(server.Close)
	return server.URL
}

// TestExtractCmd_Run_PicturesPatiently has a server of images that is busy at first: the pictures of a PDF wait for it.
func TestExtractCmd_Run_PicturesPatiently(t *testing.T) {
	t.Parallel()
	_, url := mustFake(t, nil)
	var asked atomic.Int64
	images := pictures(t, "127.0.0.1", func(w http.ResponseWriter, _ *http.Request) bool {
		isBusy := asked.Add(1) == 1
		if isBusy {
			w.Header().Set("Retry-After", "1")
			w.WriteHeader(http.StatusServiceUnavailable)
		}
		return isBusy
	})
	out := t.TempDir()
	_, stderr, status := extract(t.Context(), t, url, "--out", out, "--format=pdf", images+"/page.jpg")
	assert.Zero(t, status, stderr)
	assert.True(t, strings.HasPrefix(mustRead(t, out, "page.pdf"), "%PDF"))
	assert.GreaterOrEqual(t, asked.Load(), int64(2))
}

// TestExtractCmd_Run_MissingPicture has a server of images that does not give one of two pictures to this command. The other
// page has its PDF, and the next run needs only the picture that was missing.
func TestExtractCmd_Run_MissingPicture(t *testing.T) {
	t.Parallel()
	f, url := mustFake(t, nil)
	var isBack atomic.Bool
	images := pictures(t, "127.0.0.1", func(w http.ResponseWriter, r *http.Request) bool {
		isGone := r.URL.Path == "/first.jpg" && !isBack.Load()
		if isGone {
			w.WriteHeader(http.StatusNotFound)
		}
		return isGone
	})
	out := t.TempDir()
	args := []string{"--out", out, "--format=pdf,text", images + "/first.jpg", images + "/second.jpg"}
	_, stderr, status := extract(t.Context(), t, url, args...)
	assert.Equal(t, 1, status)
	assert.Contains(t, stderr, "/first.jpg: the picture of page 1: ")
	assert.Contains(t, stderr, "2 of 2 pages read; 20 points used")
	assert.Equal(t, []string{"first.txt", "second.pdf", "second.txt"}, mustNames(t, out))
	isBack.Store(true)
	_, stderr, status = extract(t.Context(), t, url, args...)
	assert.Zero(t, status, stderr)
	assert.Contains(t, stderr, "2 of 2 pages read (2 before); 0 points used")
	assert.Len(t, f.texts(), 2)
	assert.Equal(t, []string{"first.pdf", "first.txt", "second.pdf", "second.txt"}, mustNames(t, out))
}

// TestExtractCmd_Run_InterruptedPictures interrupts the command while it fetches a picture for a PDF from a server that never
// answers. The command keeps the answer, and the next run needs only the picture.
func TestExtractCmd_Run_InterruptedPictures(t *testing.T) {
	t.Parallel()
	f, url := mustFake(t, nil)
	var isStuck atomic.Bool
	isStuck.Store(true)
	ctx, interrupt := context.WithCancel(t.Context())
	images := pictures(t, "127.0.0.1", func(_ http.ResponseWriter, r *http.Request) bool {
		if isStuck.Load() {
			interrupt()
			<-r.Context().Done()
		}
		return isStuck.Load()
	})
	out := t.TempDir()
	args := []string{"--out", out, "--format=pdf", images + "/page.jpg"}
	_, stderr, status := extract(ctx, t, url, args...)
	assert.Equal(t, 1, status)
	assert.Contains(t, stderr, "interrupted; 1 of 1 page read; 10 points used")
	isStuck.Store(false)
	_, stderr, status = extract(t.Context(), t, url, args...)
	assert.Zero(t, status, stderr)
	assert.Contains(t, stderr, "1 of 1 page read (1 before); 0 points used")
	assert.Len(t, f.texts(), 1)
	assert.Equal(t, []string{"page.pdf"}, mustNames(t, out))
}

// TestExtractCmd_Run_LinkedAddresses reads a manifest that names an address which is not public, and is not its own.
func TestExtractCmd_Run_LinkedAddresses(t *testing.T) {
	t.Parallel()
	f, url := mustFake(t, nil)
	var asked atomic.Int64
	private := pictures(t, "127.0.0.2", func(http.ResponseWriter, *http.Request) bool {
		asked.Add(1)
		return false
	})
	manifest := fmt.Sprintf(`{"@context": "http://iiif.io/api/presentation/3/context.json", "id": "https://iiif.example.org/m", "type": "Manifest",
		"label": {"en": ["A book"]}, "items": [{"id": "https://iiif.example.org/c1", "type": "Canvas", "width": 100, "height": 50, "items": [{"type": "AnnotationPage",
		"items": [{"type": "Annotation", "motivation": "painting", "target": "https://iiif.example.org/c1", "body": {"id": "%s/page.jpg", "type": "Image"}}]}]}]}`, private)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(manifest)) }))
	t.Cleanup(server.Close)
	saved := sourcetest.Write(t, t.TempDir(), "saved.json", []byte(manifest))
	for _, source := range []string{server.URL + "/manifest.json", saved} {
		_, stderr, status := extract(t.Context(), t, url, "--fetch-here", source)
		assert.Equal(t, 1, status)
		assert.Contains(t, stderr, "use --fetch-allow to permit this address")
		assert.Zero(t, asked.Load(), "the address is not even connected to")
		assert.Empty(t, f.texts())
	}
	_, stderr, status := extract(t.Context(), t, url, "--fetch-here", "--fetch-allow=127.0.0.2", saved)
	assert.Zero(t, status, stderr)
	assert.Positive(t, asked.Load())
	_, stderr, status = extract(t.Context(), t, url, "--fetch-allow=all", saved)
	assert.Equal(t, 2, status)
	assert.Equal(t, "--fetch-allow: invalid address range \"all\"; expected one such as 10.0.0.0/8\n", stderr)
}

// TestExtractCmd_Run_RoomForAll looks at the disk while several pages are read: there is space for the answer to each.
func TestExtractCmd_Run_RoomForAll(t *testing.T) {
	t.Parallel()
	const jobs = 3
	var arrived atomic.Int64
	out := t.TempDir()
	held := make(chan int, jobs)
	_, url := mustFake(t, func(string) gen.ExtractResponseObject {
		arrived.Add(1)
		deadline := time.Now().Add(time.Minute)
		for arrived.Load() < jobs && time.Now().Before(deadline) { // all pages are being read at the same time
			time.Sleep(time.Millisecond)
		}
		files, err := filepath.Glob(filepath.Join(out, journal.Folder, "tmp", "room-*"))
		if err != nil {
			t.Error(err) // not on the goroutine of the test
		}
		n := 0
		for _, file := range files {
			if about, err := os.Stat(file); err == nil && about.Size() >= 8<<20 {
				n++
			}
		}
		held <- n
		for len(held) < jobs && time.Now().Before(deadline) { // none is answered before all have looked
			time.Sleep(time.Millisecond)
		}
		return nil
	})
	_, stderr, status := extract(t.Context(), t, url, append([]string{"--out", out, fmt.Sprintf("--jobs=%d", jobs)}, mustFiles(t, "1.jpg", "2.jpg", "3.jpg")...)...)
	assert.Zero(t, status, stderr)
	for range jobs {
		assert.Equal(t, jobs, <-held)
	}
	left, err := filepath.Glob(filepath.Join(out, journal.Folder, "tmp", "*"))
	require.NoError(t, err)
	assert.Empty(t, left)
}
