package client_test

import (
	"bytes"
	"context"
	"encoding/json"
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

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"uncial/gen"
	"uncial/impl/client/journal"
	"uncial/impl/client/source/sourcetest"
)

// texts returns the texts of the images that the fake was sent since the last call.
func (f *fake) texts() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	sent := f.sent
	f.sent = nil
	return sent
}

// mustFailing starts a service that refuses the image 2.jpg until isFailing is false, and finds no text in 3.jpg.
func mustFailing(tb testing.TB) (f *fake, url string, isFailing *atomic.Bool) {
	tb.Helper()
	isFailing = &atomic.Bool{}
	isFailing.Store(true)
	f, url = mustFake(tb, func(text string) gen.ExtractResponseObject {
		switch {
		case text == "2.jpg" && isFailing.Load():
			return invalid("imageUrl: no image")
		case text == "3.jpg":
			return good200(gen.Page, "")
		}
		return nil
	})
	return f, url, isFailing
}

func TestExtractCmd_Run_Resume(t *testing.T) {
	t.Parallel()
	f, url, isFailing := mustFailing(t)
	dir, out := t.TempDir(), t.TempDir()
	write := func(name, content string) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(jpegStart+content), 0o600))
	}
	write("1.jpg", "1.jpg")
	write("2.jpg", "2.jpg")
	write("3.jpg", "3.jpg")
	run := func(want int, args ...string) string {
		t.Helper()
		_, stderr, status := extract(t.Context(), t, url, append([]string{"--jobs=1", "--out", out, dir}, args...)...)
		assert.Equal(t, want, status, stderr)
		return stderr
	}
	stderr := run(1)
	assert.Contains(t, stderr, filepath.Join(dir, "2.jpg")+": the service returned 400: imageUrl: no image\n")
	assert.Contains(t, stderr, "2 of 3 pages read (1 empty), 1 failed; 20 points used, 90 left; ")
	assert.Equal(t, []string{"1.jpg", "2.jpg", "3.jpg"}, f.texts())
	assert.Equal(t, []string{"1.txt", "3.txt"}, mustNames(t, out))

	isFailing.Store(false)
	assert.Contains(t, run(0), "3 of 3 pages read (2 before, 1 empty); 10 points used, 90 left; ")
	assert.Equal(t, []string{"2.jpg"}, f.texts(), "only the page that failed is sent")
	run(0)
	require.NoError(t, os.Remove(filepath.Join(out, "1.txt")))
	run(0, "--format=text,alto")
	assert.Empty(t, f.texts(), "files come from the stored answers")
	assert.Equal(t, []string{"1.alto.xml", "1.txt", "2.alto.xml", "2.txt", "3.alto.xml", "3.txt"}, mustNames(t, out))

	write("1a.jpg", "inserted")
	write("2.jpg", "changed")
	run(0)
	assert.Equal(t, []string{"inserted", "changed"}, f.texts())
	assert.Equal(t, "changed\n", mustRead(t, out, "2.txt"))
	write("2.jpg", "2.jpg")
	run(0)
	assert.Empty(t, f.texts(), "the earlier content was read before")
	assert.Equal(t, "2.jpg\n", mustRead(t, out, "2.txt"))

	before := f.keyCount()
	run(0, "--language=la")
	assert.Len(t, f.texts(), 4, "other options are another reading")
	assert.Equal(t, before+4, f.keyCount())
	run(0, "--force")
	assert.Len(t, f.texts(), 4)
	assert.Equal(t, before+8, f.keyCount(), "--force pays again")
	run(0)
	assert.Empty(t, f.texts())
}

func mustRead(tb testing.TB, dir, name string) string {
	tb.Helper()
	content, err := os.ReadFile(filepath.Join(dir, name))
	require.NoError(tb, err)
	return string(content)
}

// mustAge makes all events of a journal older.
func mustAge(tb testing.TB, out string, by time.Duration) {
	tb.Helper()
	path := filepath.Join(out, journal.Folder, "journal.jsonl")
	var aged bytes.Buffer
	for line := range strings.Lines(mustRead(tb, filepath.Dir(path), "journal.jsonl")) {
		var event journal.Event
		require.NoError(tb, json.Unmarshal([]byte(line), &event))
		event.Time = event.Time.Add(-by)
		require.NoError(tb, json.NewEncoder(&aged).Encode(event))
	}
	require.NoError(tb, os.WriteFile(path, aged.Bytes(), 0o600))
}

// TestExtractCmd_Run_LostAnswer loses the answer to a page for good: the charge is then unknown. Within a day the page is sent
// again with the same key; later it is reported, and read again only with --force.
func TestExtractCmd_Run_LostAnswer(t *testing.T) {
	t.Parallel()
	var isBroken atomic.Bool
	isBroken.Store(true)
	f, url := mustFake(t, func(string) gen.ExtractResponseObject {
		if isBroken.Load() {
			time.Sleep(3 * time.Second) // longer than the time limit
		}
		return nil
	})
	file, out := mustFiles(t, "page.jpg")[0], t.TempDir()
	run := func(args ...string) (stderr string, status int) {
		stdout, stderr, status := extract(t.Context(), t, url, append([]string{"--out", out, file, "--timeout=2s"}, args...)...)
		return stdout + stderr, status
	}
	stderr, status := run()
	assert.Equal(t, file+": no response within 2s; the extraction may have been charged\n", stderr)
	assert.Equal(t, 1, status)
	mustAge(t, out, 22*time.Hour)
	_, status = run()
	assert.Equal(t, 1, status)
	assert.Equal(t, 1, f.keyCount(), "the same key, so that the page is charged once")
	f.texts()

	mustAge(t, out, 2*time.Hour)
	isBroken.Store(false)
	stderr, status = run("--timeout=1m")
	assert.Equal(t, 1, status)
	assert.Contains(t, stderr, file+": sent on ")
	assert.Contains(t, stderr, "the answer was lost; the extraction may have been charged; add --force to read it again\n")
	assert.Contains(t, stderr, "0 of 1 page read, 1 unknown; 0 points used; ")
	assert.Empty(t, f.texts(), "it is reported, not repeated")
	stderr, _ = run("--dry-run")
	assert.Contains(t, stderr, "1 page; 0 would be read for 0 points; 1 unknown; 90 points left\n")

	_, status = run("--timeout=1m", "--force")
	assert.Zero(t, status)
	assert.Equal(t, 2, f.keyCount())
	_, status = run()
	assert.Zero(t, status)
}

// TestExtractCmd_Run_LostThenRefused loses a response, and then gets refusals that do not tell whether the first request was
// charged.
func TestExtractCmd_Run_LostThenRefused(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if asked.Add(1) == 1 {
			panic(http.ErrAbortHandler)
		}
		w.Header().Set("Retry-After", "0")
		http.Error(w, "no", http.StatusInternalServerError)
	}))
	t.Cleanup(server.Close)
	file, out := mustFiles(t, "page.jpg")[0], t.TempDir()
	run := func(url, want string) {
		t.Helper()
		_, stderr, status := extract(t.Context(), t, url, "--out", out, file)
		assert.NotZero(t, status)
		assert.Contains(t, stderr, want)
	}
	run(server.URL, "check the service URL; an earlier request may have been charged\n")
	assert.EqualValues(t, 5, asked.Load())
	run("http://127.0.0.1:1", "cannot connect to the service: ")
	mustAge(t, out, 24*time.Hour)
	run(server.URL, "the extraction may have been charged; add --force to read it again")
	assert.EqualValues(t, 5, asked.Load(), "it is reported, not repeated")
}

func TestExtractCmd_Run_NoPointsLeft(t *testing.T) {
	t.Parallel()
	base := mustMock(t)
	const key, image = "ocr_test_low_volume", "http://mock.invalid/printed?"
	_, stderr, status := extract(t.Context(), t, base, image+"1", image+"2", image+"3", "--key", key, "--jobs=1", "--out", t.TempDir())
	assert.Equal(t, 1, status)
	assert.Contains(t, stderr, "returned 402: ")
	assert.Contains(t, stderr, "points reset at 2026-02-01T00:00:00Z; 1 of 3 pages read, 2 left to read; 10 points used, 2 left; ")
	assert.Equal(t, 1, strings.Count(stderr, "\n"), "one line: %s", stderr)
}

func TestExtractCmd_Run_DryRun(t *testing.T) {
	t.Parallel()
	f, url := mustFake(t, nil)
	files := mustFiles(t, "1.jpg", "2.jpg")
	out := filepath.Join(t.TempDir(), "new")
	stdout, stderr, status := extract(t.Context(), t, url, files[0], files[1], "missing.jpg", t.TempDir(), "--dry-run", "--out", out)
	assert.Zero(t, status)
	assert.Equal(t, "3 pages; 2 would be read for 20 points; 1 absent; 90 points left\n", stdout)
	assert.Contains(t, stderr, "missing.jpg: no such file or directory\n")
	assert.Contains(t, stderr, ": no images in this folder; expected ")
	assert.NoDirExists(t, out)
	assert.Empty(t, f.texts())

	text := sourcetest.Write(t, t.TempDir(), "notes.jpg", []byte("no image"))
	stdout, stderr, status = extract(t.Context(), t, url, files[0], text, "--dry-run")
	assert.Zero(t, status)
	assert.Equal(t, "2 pages; 1 would be read for 10 points; 1 failed; 90 points left\n", stdout)
	assert.Contains(t, stderr, text+": the file is not an image in a known format; ")

	many := make([]string, 10)
	for i := range many {
		many[i] = fmt.Sprintf("%d.jpg", i)
	}
	stdout, stderr, status = extract(t.Context(), t, url, append([]string{"--dry-run"}, mustFiles(t, many...)...)...)
	assert.Equal(t, 1, status)
	assert.Equal(t, "10 pages; 10 would be read for 100 points; 90 points left\n", stdout)
	assert.Equal(t, "the remaining points cover 9 of 10 pages\n", stderr)

	stdout, _, status = extract(t.Context(), t, url, files[0], "--dry-run", "--key=")
	assert.Zero(t, status)
	assert.Equal(t, "1 page; 1 would be read for 10 points\n", stdout, "nobody is asked without a key")
}

func TestExtractCmd_Run_InterruptedDryRun(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	service := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, request *http.Request) {
		cancel()
		<-request.Context().Done()
	}))
	defer service.Close()
	stdout, stderr, status := extract(ctx, t, service.URL, append([]string{"--dry-run"}, mustFiles(t, "1.jpg", "2.jpg")...)...)
	assert.Empty(t, stdout)
	assert.Equal(t, "interrupted; nothing was sent\n", stderr)
	assert.Equal(t, 1, status)
}

// TestExtractCmd_Run_NoRoom limits the size of files, which a full disk or a quota does too: nothing is sent.
func TestExtractCmd_Run_NoRoom(t *testing.T) {
	t.Parallel()
	f, url := mustFake(t, nil)
	out := t.TempDir()
	cmd := exec.CommandContext(t.Context(), "prlimit", append([]string{"--fsize=1000000", os.Args[0], "--url", url, "--key", "k", "--out", out}, mustFiles(t, "1.jpg", "2.jpg")...)...)
	cmd.Env = append(os.Environ(), asProgram+"=1")
	message, err := cmd.CombinedOutput()
	require.Error(t, err)
	assert.Regexp(t, `^cannot write to ".*": file too large; 0 of 2 pages read, 2 left to read; 0 points used; \d+s\n$`, string(message))
	assert.Empty(t, f.texts())
}

func TestExtractCmd_Run_Locked(t *testing.T) {
	t.Parallel()
	_, url := mustFake(t, nil)
	file, out := mustFiles(t, "page.jpg")[0], t.TempDir()
	j, err := journal.Open(out)
	require.NoError(t, err)
	_, stderr, status := extract(t.Context(), t, url, file, "--out", out)
	assert.Equal(t, 2, status)
	assert.Contains(t, stderr, fmt.Sprintf("--out: %q: another run is writing to this folder", out))
	require.NoError(t, j.Close())
	_, _, status = extract(t.Context(), t, url, file, "--out", out)
	assert.Zero(t, status)
}

// TestExtractCmd_Run_RateLimit answers 429 to all requests of the first second. The command must wait, slow down, and read
// everything.
func TestExtractCmd_Run_RateLimit(t *testing.T) {
	t.Parallel()
	var asked, running, peak atomic.Int64
	_, url := mustFake(t, func(string) gen.ExtractResponseObject {
		if asked.Add(1) <= 7 {
			return gen.Extract429JSONResponse{RateLimitedJSONResponse: gen.RateLimitedJSONResponse{
				Body:    gen.RateLimitedError{Error: "No.", Code: "RATE_LIMITED", Message: "wait"},
				Headers: gen.RateLimitedResponseHeaders{RetryAfter: 0},
			}}
		}
		peak.Store(max(peak.Load(), running.Add(1)))
		time.Sleep(20 * time.Millisecond)
		running.Add(-1)
		return nil
	})
	files := mustFiles(t, "1.jpg", "2.jpg", "3.jpg", "4.jpg", "5.jpg", "6.jpg")
	_, stderr, status := extract(t.Context(), t, url, append(files, "--jobs=1", "--out", t.TempDir())...)
	assert.Zero(t, status, stderr)
	assert.EqualValues(t, 13, asked.Load(), "a 429 does not count as a try")
	assert.EqualValues(t, 1, peak.Load())
}

func TestExtractCmd_Run_Volume(t *testing.T) {
	t.Parallel()
	_, url := mustFake(t, func(text string) gen.ExtractResponseObject {
		if text == "2.jpg" {
			return invalid("imageUrl: no image")
		}
		return nil
	})
	files, out := mustFiles(t, "1.jpg", "2.jpg", "volume.jpg"), t.TempDir()
	_, stderr, status := extract(t.Context(), t, url, append(files, "--out", out, "--volume=text")...)
	assert.Equal(t, 1, status)
	assert.Contains(t, stderr, "--volume: nothing is written, because 1 page is missing; run the command again, or add --partial\n")
	assert.Equal(t, []string{"1.txt", "volume-2.txt"}, mustNames(t, out))
	_, _, status = extract(t.Context(), t, url, append(files, "--out", out, "--volume=text", "--partial")...)
	assert.Equal(t, 1, status)
	assert.Equal(t, "1.jpg\f\fvolume.jpg\n", mustRead(t, out, "volume.txt"))
	_, _, status = extract(t.Context(), t, url, files[0], "--out", out, "--volume=text")
	assert.Zero(t, status)
	assert.Equal(t, "1.jpg\n", mustRead(t, out, "volume.txt"))
}

// TestExtractCmd_Run_Late loses answers that were charged, and gets them in the next run.
func TestExtractCmd_Run_Late(t *testing.T) {
	t.Parallel()
	base, out := mustMock(t), t.TempDir()
	const key = "ocr_test_ok_late"
	args := []string{"--key", key, "--out", out, "http://mock.invalid/late-20000", "http://mock.invalid/printed"}
	_, stderr, status := extract(t.Context(), t, base, append(args, "--timeout=5s")...)
	assert.Equal(t, 1, status)
	assert.Contains(t, stderr, "late-20000: no response within 5s; the extraction may have been charged\n")
	assert.Equal(t, 20, pointsUsed(t, base, key))
	_, stderr, status = extract(t.Context(), t, base, args...)
	assert.Zero(t, status, stderr)
	assert.Contains(t, stderr, "2 of 2 pages read (1 before); 0 points used; ", "the first run was charged")
	assert.Equal(t, 20, pointsUsed(t, base, key), "the stored answer costs nothing")
}

// TestExtractCmd_Run_IdempotencyKeyReused meets a service that knows the key with another copy of the page. The next key is
// used, unless the first one may have been charged.
func TestExtractCmd_Run_IdempotencyKeyReused(t *testing.T) {
	t.Parallel()
	var isKnown, isSlow atomic.Bool
	f, url := mustFake(t, func(string) gen.ExtractResponseObject {
		isOther := isKnown.Swap(false)
		if isSlow.Load() {
			time.Sleep(3 * time.Second) // longer than the time limit
		}
		if !isOther {
			return nil
		}
		answer := invalid("Idempotency-Key: already used").(gen.Extract400JSONResponse)
		answer.Body.Details = gen.Details{"Idempotency-Key": "already used"}
		return answer
	})
	files, out := mustFiles(t, "1.jpg", "2.jpg"), t.TempDir()
	isKnown.Store(true)
	_, stderr, status := extract(t.Context(), t, url, files[0], "--out", out)
	assert.Zero(t, status, stderr)
	assert.Equal(t, 2, f.keyCount())

	isSlow.Store(true)
	_, _, status = extract(t.Context(), t, url, files[1], "--out", out, "--timeout=2s")
	assert.Equal(t, 1, status)
	isSlow.Store(false)
	isKnown.Store(true)
	_, stderr, _ = extract(t.Context(), t, url, files[1], "--out", out)
	assert.Equal(t, files[1]+": the service returned 400: Idempotency-Key: already used\n", stderr)
	mustAge(t, out, 24*time.Hour)
	_, stderr, status = extract(t.Context(), t, url, files[1], "--out", out)
	assert.Equal(t, 1, status)
	assert.Contains(t, stderr, "add --force to read it again")
}

// TestExtractCmd_Run_Manifest lets the service fetch the images of a manifest.
func TestExtractCmd_Run_Manifest(t *testing.T) {
	t.Parallel()
	base, out := mustMock(t), t.TempDir()
	var items []string
	for i, image := range []string{"printed", "blank", "fetch-not-found", "not-an-image", "handwritten"} {
		items = append(items, fmt.Sprintf(`{"id":"https://a.test/c/%d","type":"Canvas","items":[{"items":[{"motivation":"painting","body":{"id":"http://mock.invalid/%s","type":"Image"}}]}]}`, i, image))
	}
	items = append(items, `{"id":"https://a.test/c/9","type":"Canvas","items":[]}`)
	manifest := filepath.Join(t.TempDir(), "manifest.json")
	require.NoError(t, os.WriteFile(manifest, []byte(`{"type":"Manifest","label":"Codex","items":[`+strings.Join(items, ",")+`]}`), 0o600))
	_, stderr, status := extract(t.Context(), t, base, "--key=ocr_test_ok_manifest", "--out", out, manifest, "--report", filepath.Join(out, "r.json"))
	assert.Equal(t, 1, status)
	assert.Contains(t, stderr, "3 of 6 pages read (1 empty), 1 failed, 2 absent; 30 points used, 9,970 left; ")
	assert.Contains(t, stderr, "https://a.test/c/9: the canvas shows no image\n")
	assert.Equal(t, []string{"001.txt", "002.txt", "005.txt", "r.json"}, mustNames(t, out))
	assert.Empty(t, mustRead(t, out, "002.txt"))
}
