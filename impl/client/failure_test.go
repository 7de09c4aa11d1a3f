package client_test

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"uncial/gen"
	"uncial/impl/client"
)

func TestExtractCmd_Run_SomeFail(t *testing.T) {
	t.Parallel()
	f, url := mustFake(t, func(text string) gen.ExtractResponseObject {
		if text == "bad.jpg" {
			return invalid("imageUrl: no image")
		}
		return nil
	})
	files := mustFiles(t, "first.jpg", "bad.jpg", "empty.jpg", "large.jpg", "last.jpg")
	require.NoError(t, os.Truncate(files[2], 0))
	require.NoError(t, os.Truncate(files[3], 20<<20+1)) // too large for the service, and too broken for a copy
	empty := t.TempDir()
	images := []string{files[0], files[1], files[2], files[3], empty, "missing.jpg", files[4]}
	stdout, stderr, status := extract(t.Context(), t, url, images...)
	assert.Equal(t, "first.jpg\nlast.jpg\n", stdout)
	assert.Equal(t, 1, status)
	for _, line := range []string{
		files[1] + ": the service returned 400: imageUrl: no image\n",
		files[2] + ": the file is empty\n",
		files[3] + ": vipsheader: ",
		empty + ": no images in this folder; expected JPEG",
		"missing.jpg: no such file or directory\n",
		"2 of 7 pages read\n",
	} {
		assert.Contains(t, stderr, line)
	}
	assert.Len(t, f.requests, 3, "files that cannot be read are not sent")
}

func TestExtractCmd_Run_OnlyImageFails(t *testing.T) {
	t.Parallel()
	_, url := mustFake(t, func(string) gen.ExtractResponseObject { return invalid("imageUrl: no image") })
	file := mustFiles(t, "page.jpg")[0]
	stdout, stderr, status := extract(t.Context(), t, url, file)
	assert.Empty(t, stdout)
	assert.Equal(t, file+": the service returned 400: imageUrl: no image\n", stderr)
	assert.Equal(t, 1, status)
}

func TestExtractCmd_Run_FatalErrors(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		answer func() gen.ExtractResponseObject
		status int
		text   string
	}{
		{"stops when the points are used up", noPoints, 1, "the service returned 402: 2 are left; 3 of 20 pages read"},
		{"stops when the key is revoked", badKey, 2, "the service returned 401: the key is unknown; 3 of 20 pages read"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var names []string
			for i := range 20 {
				names = append(names, fmt.Sprintf("%02d.png", i))
			}
			f, url := mustFake(t, func(text string) gen.ExtractResponseObject {
				if text >= "03.png" {
					return c.answer()
				}
				return nil
			})
			stdout, stderr, status := extract(t.Context(), t, url, append([]string{"--jobs=1"}, mustFiles(t, names...)...)...)
			assert.Equal(t, "00.png\n01.png\n02.png\n", stdout)
			assert.Contains(t, stderr, c.text)
			assert.Equal(t, c.status, status)
			assert.Len(t, f.requests, 4)
		})
	}
}

func TestExtractCmd_Run_WrongUsage(t *testing.T) {
	t.Parallel()
	_, url := mustFake(t, nil)
	file, out := mustFiles(t, "page.jpg")[0], t.TempDir()
	for _, c := range []struct {
		name string
		cmd  client.ExtractCmd
		text string
	}{
		{"no images", client.ExtractCmd{URL: url, Key: "k"}, "no images; give files"},
		{"no key", client.ExtractCmd{URL: url, Images: []string{file}}, "set UNCIAL_KEY"},
		{"a key with a space", client.ExtractCmd{URL: url, Key: "a b", Images: []string{file}}, "API key"},
		{"an invalid service URL", client.ExtractCmd{URL: "localhost", Key: "k", Images: []string{file}}, "expected one such as http://127.0.0.1:8080"},
		{"an unknown format", client.ExtractCmd{URL: url, Key: "k", Images: []string{file}, Format: []string{"docx"}}, "--format: unknown format"},
		{"negative jobs", client.ExtractCmd{URL: url, Key: "k", Images: []string{file}, Jobs: new(-1)}, "--jobs"},
		{"a negative timeout", client.ExtractCmd{URL: url, Key: "k", Images: []string{file}, Timeout: -1}, "--timeout"},
		{"a file instead of a folder", client.ExtractCmd{URL: url, Key: "k", Images: []string{file}, Out: file}, "--out"},
		{"several formats on standard output", client.ExtractCmd{URL: url, Key: "k", Images: []string{file}, Format: []string{"text", "alto"}}, "several formats need --out"},
		{"no format", client.ExtractCmd{URL: url, Key: "k", Images: []string{file}, Format: []string{}}, "--format: must not be empty"},
		{"parts of no volume", client.ExtractCmd{URL: url, Key: "k", Images: []string{file}, Out: out, Partial: true}, "--partial: needs --volume"},
		{"a volume on standard output", client.ExtractCmd{URL: url, Key: "k", Images: []string{file}, Volume: []string{"text"}}, "--volume: needs --out"},
		{"an unknown kind of volume", client.ExtractCmd{URL: url, Key: "k", Images: []string{file}, Out: out, Volume: []string{"epub"}}, "--volume: unknown kind \"epub\"; choose"},
		{"a report without a journal", client.ExtractCmd{URL: url, Key: "k", Images: []string{file}, Report: "r.json"}, "--report: needs --out"},
		{"a report in an unknown form", client.ExtractCmd{URL: url, Key: "k", Images: []string{file}, Out: out, Report: "r.txt"}, ".json or .html"},
		{"a report in no folder", client.ExtractCmd{URL: url, Key: "k", Images: []string{file}, Out: out, Report: filepath.Join(out, "no", "r.json")}, "--report: there is no folder"},
		{"force without a journal", client.ExtractCmd{URL: url, Key: "k", Images: []string{file}, Force: true}, "--force: needs --out"},
		{"a folder without images", client.ExtractCmd{URL: url, Key: "k", Images: []string{t.TempDir()}}, "no images in this folder"},
	} {
		t.Run("reports "+c.name, func(t *testing.T) {
			t.Parallel()
			if c.cmd.Format == nil {
				c.cmd.Format = []string{"text"}
			}
			if c.cmd.Jobs == nil {
				c.cmd.Jobs = new(2)
			}
			if c.cmd.Timeout == 0 {
				c.cmd.Timeout = time.Minute
			}
			var failure *client.Failure
			require.ErrorAs(t, c.cmd.Run(t.Context()), &failure)
			assert.Equal(t, 2, failure.ExitCode())
			assert.Contains(t, failure.Error(), c.text)
		})
	}
}

func TestExtractCmd_Run_NoService(t *testing.T) {
	t.Parallel()
	static := httptest.NewServer(http.FileServer(http.Dir(t.TempDir())))
	defer static.Close()
	files := mustFiles(t, "a.jpg", "b.jpg")
	_, stderr, status := extract(t.Context(), t, static.URL, files...)
	assert.Equal(t, 2, status)
	assert.Contains(t, stderr, "check the service URL; 0 of 2 pages read")

	secure := httptest.NewTLSServer(http.NotFoundHandler())
	defer secure.Close()
	_, stderr, status = extract(t.Context(), t, secure.URL, files[0])
	assert.Equal(t, 2, status)
	assert.Contains(t, stderr, "cannot connect to the service: tls: failed to verify certificate: ")
	assert.Contains(t, stderr, "; check that the service is running, and --url or UNCIAL_URL\n")

	for url, want := range map[string]string{
		"http://127.0.0.1:1":                              "connection refused; check that the service is running, and --url or UNCIAL_URL\n",
		strings.Replace(static.URL, "http:", "https:", 1): "it speaks http, not https; write http:// instead of https:// in --url or UNCIAL_URL\n",
	} {
		for _, more := range []string{"--jobs=1", "--dry-run"} {
			_, stderr, status = extract(t.Context(), t, url, files[0], more)
			assert.Equal(t, 2, status)
			assert.True(t, strings.HasSuffix(stderr, url+": cannot connect to the service: "+want), stderr)
		}
	}
}

func TestExtractCmd_Run_Interrupt(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	_, url := mustFake(t, func(text string) gen.ExtractResponseObject {
		if text == "2.jpg" {
			cancel()
			time.Sleep(50 * time.Millisecond)
		}
		return nil
	})
	out := t.TempDir()
	_, stderr, status := extract(ctx, t, url, append([]string{"--jobs=1", "--out", out}, mustFiles(t, "1.jpg", "2.jpg", "3.jpg")...)...)
	assert.Regexp(t, `^interrupted; 1 of 3 pages read, 2 left to read; 10 points used, 90 left; \d+s\n$`, stderr)
	assert.Equal(t, 1, status)
	assert.Equal(t, []string{"1.txt"}, mustNames(t, out))
}

func TestExtractCmd_Run_FullDisk(t *testing.T) {
	t.Parallel()
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	require.NoError(t, err)
	defer func() { _ = full.Close() }()
	f, url := mustFake(t, nil)
	cmd := client.ExtractCmd{
		Images: mustFiles(t, "1.jpg", "2.jpg", "3.jpg", "4.jpg", "5.jpg", "6.jpg", "7.jpg", "8.jpg", "9.jpg"),
		URL:    url, Key: "k", Format: []string{"text"}, Jobs: new(1), Timeout: time.Minute, Stdout: full, Stderr: &bytes.Buffer{},
	}
	err = cmd.Run(t.Context())
	require.ErrorContains(t, err, "cannot write the result: the disk is full")
	assert.Less(t, len(f.requests), 9, "no image is sent whose result cannot be stored")
}

func TestExtractCmd_Run_DirectoryRemoved(t *testing.T) {
	t.Parallel()
	out := filepath.Join(t.TempDir(), "out")
	f, url := mustFake(t, func(string) gen.ExtractResponseObject {
		_ = os.RemoveAll(out)
		return nil
	})
	_, stderr, status := extract(t.Context(), t, url, append([]string{"--jobs=1", "--out", out}, mustFiles(t, "1.jpg", "2.jpg")...)...)
	assert.Contains(t, stderr, "no such file or directory; 0 of 2 pages read")
	assert.Equal(t, 1, status)
	assert.Len(t, f.requests, 1)
}

// TestExtractCmd_Run_WrongLanguage checks that a language that the service does not read ends the run: it would refuse every
// page.
func TestExtractCmd_Run_WrongLanguage(t *testing.T) {
	t.Parallel()
	f, url := mustFake(t, func(string) gen.ExtractResponseObject {
		return gen.Extract400JSONResponse{InvalidRequestJSONResponse: gen.InvalidRequestJSONResponse{Body: gen.InvalidRequest{
			Error: "No.", Code: "INVALID_REQUEST", Message: "language: not xx", Details: gen.Details{"language": "not xx"},
		}}}
	})
	files := append([]string{"--language=xx", "--jobs=1"}, mustFiles(t, "1.jpg", "2.jpg", "3.jpg")...)
	_, stderr, status := extract(t.Context(), t, url, files...)
	assert.Equal(t, url+": the service returned 400: language: not xx; 0 of 3 pages read\n", stderr)
	assert.Equal(t, 2, status)
	assert.Len(t, f.requests, 1)
}

// TestExtractCmd_Run_NamesInMessages has a file whose name would add a line to the messages, and colour to a terminal.
func TestExtractCmd_Run_NamesInMessages(t *testing.T) {
	t.Parallel()
	_, url := mustFake(t, nil)
	dir := t.TempDir()
	name := filepath.Join(dir, "été\n9 of 9 pages read\x1b[31m\u202e\xff日.jpg")
	require.NoError(t, os.WriteFile(name, []byte("<!doctype html><html>"), 0o600))
	shown := dir + `/été\n9 of 9 pages read\x1b[31m\u202e\xff日.jpg: the file is an HTML page; send JPEG, PNG, TIFF, BMP or WebP` + "\n"
	_, stderr, _ := extract(t.Context(), t, url, dir)
	assert.Equal(t, shown, stderr)
	_, stderr, _ = extract(t.Context(), t, url, append([]string{dir}, mustFiles(t, "1.jpg")...)...)
	assert.Equal(t, shown+"1 of 2 pages read\n", stderr)
	_, stderr, _ = extract(t.Context(), t, url, "--dry-run", name+".missing")
	assert.Equal(t, 1, strings.Count(stderr, "\n"), stderr)
}
