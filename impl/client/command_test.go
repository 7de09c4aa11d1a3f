package client_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/alecthomas/kong"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"uncial/gen"
	"uncial/impl/client"
)

// fake is a service that reads the bytes of an image back as its text.
type fake struct {
	mu       sync.Mutex
	requests []gen.ExtractionRequest
	keys     map[string]bool
	before   func(text string) gen.ExtractResponseObject // nil, or an answer in place of the usual one
}

func (f *fake) Extract(_ context.Context, r gen.ExtractRequestObject) (gen.ExtractResponseObject, error) {
	text := r.Body.ImageURL
	if _, data, inline := strings.Cut(text, ";base64,"); inline {
		decoded, err := base64.StdEncoding.DecodeString(data)
		if err != nil {
			return nil, err
		}
		text = string(decoded)
	}
	f.mu.Lock()
	f.requests = append(f.requests, *r.Body)
	f.keys[*r.Params.IdempotencyKey] = true
	f.mu.Unlock()
	if f.before != nil {
		if other := f.before(text); other != nil {
			return other, nil
		}
	}
	result := gen.Extraction{Success: true, Text: text, Confidence: 0.9, PointsUsed: 10}
	if *r.Body.Format != gen.JSON && *r.Body.Format != gen.Text {
		document := fmt.Sprintf("<%s>%s</%[1]s>", *r.Body.Format, text)
		result.Document = &document
	}
	return gen.Extract200JSONResponse{ExtractionJSONResponse: gen.ExtractionJSONResponse{Body: result}}, nil
}

func (f *fake) Status(context.Context, gen.StatusRequestObject) (gen.StatusResponseObject, error) {
	return nil, errors.New("not asked for")
}

var _ gen.StrictServerInterface = (*fake)(nil)

func mustFake(tb testing.TB, before func(text string) gen.ExtractResponseObject) (*fake, string) {
	tb.Helper()
	f := &fake{keys: map[string]bool{}, before: before}
	server := httptest.NewServer(gen.HandlerWithOptions(gen.NewStrictHandler(f, nil), gen.StdHTTPServerOptions{BaseURL: "/api/v1"}))
	tb.Cleanup(server.Close)
	return f, server.URL
}

func invalid(message string) gen.ExtractResponseObject {
	return gen.Extract400JSONResponse{InvalidRequestJSONResponse: gen.InvalidRequestJSONResponse{Body: gen.InvalidRequest{
		Error: "No.", Code: "INVALID_REQUEST", Message: message, Details: gen.Details{"imageUrl": message},
	}}}
}

func noPoints() gen.ExtractResponseObject {
	return gen.Extract402JSONResponse{InsufficientPointsJSONResponse: gen.InsufficientPointsJSONResponse{Body: gen.InsufficientPoints{
		Error: "No.", Code: "INSUFFICIENT_POINTS", Message: "2 are left", RemainingPoints: 2,
	}}}
}

func badKey() gen.ExtractResponseObject {
	return gen.Extract401JSONResponse{InvalidAPIKeyJSONResponse: gen.InvalidAPIKeyJSONResponse{Body: gen.InvalidAPIKey{
		Error: "No.", Code: "INVALID_API_KEY", Message: "the key is unknown",
	}}}
}

// mustFiles writes files that hold their own names and returns their paths.
func mustFiles(tb testing.TB, names ...string) []string {
	tb.Helper()
	dir := tb.TempDir()
	paths := make([]string, len(names))
	for i, name := range names {
		paths[i] = filepath.Join(dir, name)
		require.NoError(tb, os.MkdirAll(filepath.Dir(paths[i]), 0o755))
		require.NoError(tb, os.WriteFile(paths[i], []byte(name), 0o600))
	}
	return paths
}

// extract runs the command as the shell would and returns what it wrote and its exit status.
func extract(ctx context.Context, tb testing.TB, url string, args ...string) (stdout, stderr string, status int) {
	tb.Helper()
	var out, errs bytes.Buffer
	cmd := client.ExtractCmd{Stdout: &out, Stderr: &errs}
	parser, err := kong.New(&cmd)
	require.NoError(tb, err)
	_, err = parser.Parse(append([]string{"--url", url, "--key", "ocr_live_x"}, args...))
	require.NoError(tb, err)
	if err := cmd.Run(ctx); err != nil {
		var failure *client.Failure
		require.ErrorAs(tb, err, &failure)
		status = failure.ExitCode()
		_, _ = fmt.Fprintln(&errs, err)
	}
	return out.String(), errs.String(), status
}

func TestExtractCmd_OneFile(t *testing.T) {
	t.Parallel()
	f, url := mustFake(t, nil)
	files := mustFiles(t, "page.jpg")
	stdout, stderr, status := extract(t.Context(), t, url, files[0])
	assert.Equal(t, "page.jpg\n", stdout)
	assert.Empty(t, stderr)
	assert.Zero(t, status)
	require.Len(t, f.requests, 1)
	assert.Nil(t, f.requests[0].Language, "the service's defaults stand unless told otherwise")
	assert.Nil(t, f.requests[0].Enhance)
}

func TestExtractCmd_Options(t *testing.T) {
	t.Parallel()
	f, url := mustFake(t, nil)
	stdout, _, status := extract(t.Context(), t, url, "--language", "de-Latf", "--enhance", "--format", "alto", "https://images.example.org/1.jpg")
	assert.Equal(t, "<alto>https://images.example.org/1.jpg</alto>\n", stdout)
	assert.Zero(t, status)
	assert.Equal(t, "de-Latf", *f.requests[0].Language)
	assert.True(t, *f.requests[0].Enhance)
	assert.Equal(t, "https://images.example.org/1.jpg", f.requests[0].ImageURL, "URLs are passed on")
}

func TestExtractCmd_ManyInOrder(t *testing.T) {
	t.Parallel()
	var names []string
	for i := range 40 {
		names = append(names, fmt.Sprintf("%02d.png", i))
	}
	f, url := mustFake(t, func(text string) gen.ExtractResponseObject {
		if text == "00.png" || text == "17.png" {
			time.Sleep(100 * time.Millisecond) // the others overtake it
		}
		return nil
	})
	stdout, stderr, status := extract(t.Context(), t, url, append([]string{"--jobs", "4"}, mustFiles(t, names...)...)...)
	assert.Equal(t, strings.Join(names, "\n")+"\n", stdout)
	assert.Empty(t, stderr)
	assert.Zero(t, status)
	assert.Len(t, f.keys, 40, "each image has a key of its own")
}

func TestExtractCmd_JSON(t *testing.T) {
	t.Parallel()
	_, url := mustFake(t, nil)
	files := mustFiles(t, "a.jpg", "b&c.jpg")
	for _, args := range [][]string{{"--json"}, {"--format", "json"}, {"--json", "--format", "hocr"}} {
		stdout, _, status := extract(t.Context(), t, url, append(args, files...)...)
		assert.Zero(t, status)
		lines := strings.Split(strings.TrimSuffix(stdout, "\n"), "\n")
		require.Len(t, lines, 2)
		for i, line := range lines {
			var got struct {
				Image, Text, Document string
				Confidence            float64
				PointsUsed            int
			}
			require.NoError(t, json.Unmarshal([]byte(line), &got))
			assert.Equal(t, files[i], got.Image)
			assert.Equal(t, filepath.Base(files[i]), got.Text)
			assert.InDelta(t, 0.9, got.Confidence, 0)
			assert.Equal(t, 10, got.PointsUsed)
			assert.Equal(t, len(args) == 3, got.Document != "")
		}
	}
}

func TestExtractCmd_OutputFiles(t *testing.T) {
	t.Parallel()
	_, url := mustFake(t, nil)
	files := mustFiles(t, "a/page.jpg", "b/page.tif", "b/Page.png", "c/page-2.jpg", "d/.hidden", "d/two.dots.jpg")
	out := filepath.Join(t.TempDir(), "new", "texts")
	images := append(files,
		"https://iiif.example.org/ark%3A%2F1/info.json", "https://images.example.org/x/y.jpg?size=1", "https://images.example.org", "data:image/png;base64,YWJj")
	stdout, stderr, status := extract(t.Context(), t, url, append([]string{"--out", out}, images...)...)
	assert.Empty(t, stdout)
	assert.Empty(t, stderr)
	assert.Zero(t, status)
	want := map[string]string{
		"page.txt": "a/page.jpg", "page-2.txt": "b/page.tif", "Page-3.txt": "b/Page.png", "page-2-2.txt": "c/page-2.jpg",
		"hidden.txt": "d/.hidden", "two.dots.txt": "d/two.dots.jpg",
		"1.txt": images[6], "y.txt": images[7], "image.txt": images[8], "image-2.txt": "abc",
	}
	for name, text := range want {
		got, err := os.ReadFile(filepath.Join(out, name))
		require.NoError(t, err)
		assert.Equal(t, text+"\n", string(got), name)
	}
	entries, err := os.ReadDir(out)
	require.NoError(t, err)
	assert.Len(t, entries, len(want), "nothing else is left behind")
}

func TestExtractCmd_Extensions(t *testing.T) {
	t.Parallel()
	_, url := mustFake(t, nil)
	file := mustFiles(t, "page.jpg")[0]
	for _, c := range []struct{ args, name string }{
		{"--format=text", "page.txt"},
		{"--format=json", "page.json"},
		{"--format=hocr", "page.hocr"},
		{"--format=alto", "page.alto.xml"},
		{"--format=page", "page.page.xml"},
		{"--format=tsv", "page.tsv"},
		{"--format=alto --json", "page.json"},
	} {
		out := t.TempDir()
		_, _, status := extract(t.Context(), t, url, append(strings.Fields(c.args), "--out", out, file)...)
		assert.Zero(t, status)
		assert.FileExists(t, filepath.Join(out, c.name))
	}
}

func TestExtractCmd_SomeFail(t *testing.T) {
	t.Parallel()
	f, url := mustFake(t, func(text string) gen.ExtractResponseObject {
		if text == "bad.jpg" {
			return invalid("imageUrl: no image")
		}
		return nil
	})
	files := mustFiles(t, "first.jpg", "bad.jpg", "empty.jpg", "large.jpg", "last.jpg")
	require.NoError(t, os.Truncate(files[2], 0))
	require.NoError(t, os.Truncate(files[3], 20<<20+1))
	images := []string{files[0], files[1], files[2], files[3], filepath.Dir(files[0]), "missing.jpg", files[4]}
	stdout, stderr, status := extract(t.Context(), t, url, images...)
	assert.Equal(t, "first.jpg\nlast.jpg\n", stdout)
	assert.Equal(t, 1, status)
	for _, line := range []string{
		files[1] + ": the service answered 400: imageUrl: no image\n",
		files[2] + ": the file is empty\n",
		files[3] + ": the file has more than 20 MiB; at most 20 MiB is accepted\n",
		filepath.Dir(files[0]) + ": is a directory; name the images in it\n",
		"missing.jpg: no such file or directory\n",
		"2 of 7 images were read\n",
	} {
		assert.Contains(t, stderr, line)
	}
	assert.Len(t, f.requests, 3, "what cannot be read is not sent")
}

func TestExtractCmd_FailureOfTheOnlyImage(t *testing.T) {
	t.Parallel()
	_, url := mustFake(t, func(string) gen.ExtractResponseObject { return invalid("imageUrl: no image") })
	file := mustFiles(t, "page.jpg")[0]
	stdout, stderr, status := extract(t.Context(), t, url, file)
	assert.Empty(t, stdout)
	assert.Equal(t, file+": the service answered 400: imageUrl: no image\n", stderr)
	assert.Equal(t, 1, status)
}

func TestExtractCmd_WhatMeetsEveryImageEndsTheRun(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		answer func() gen.ExtractResponseObject
		status int
		text   string
	}{
		{"no points", noPoints, 1, "the service answered 402: 2 are left; 3 of 20 images were read"},
		{"the key is revoked", badKey, 2, "the service answered 401: the key is unknown; 3 of 20 images were read"},
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

func TestExtractCmd_WrongUsage(t *testing.T) {
	t.Parallel()
	_, url := mustFake(t, nil)
	file := mustFiles(t, "page.jpg")[0]
	for _, c := range []struct {
		name string
		cmd  client.ExtractCmd
		text string
	}{
		{"no images", client.ExtractCmd{URL: url, Key: "k"}, "name the images"},
		{"no key", client.ExtractCmd{URL: url, Images: []string{file}}, "set UNCIAL_KEY"},
		{"a key with a blank", client.ExtractCmd{URL: url, Key: "a b", Images: []string{file}}, "API key"},
		{"a strange address", client.ExtractCmd{URL: "localhost", Key: "k", Images: []string{file}}, "http://127.0.0.1:8080"},
		{"a strange format", client.ExtractCmd{URL: url, Key: "k", Images: []string{file}, Format: "pdf"}, "--format"},
		{"no jobs", client.ExtractCmd{URL: url, Key: "k", Images: []string{file}, Jobs: -1}, "--jobs"},
		{"no time", client.ExtractCmd{URL: url, Key: "k", Images: []string{file}, Timeout: -1}, "--timeout"},
		{"a file in place of a directory", client.ExtractCmd{URL: url, Key: "k", Images: []string{file}, Out: file}, "--out"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if c.cmd.Format == "" {
				c.cmd.Format = "text"
			}
			if c.cmd.Jobs == 0 {
				c.cmd.Jobs = 2
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

func TestExtractCmd_NoService(t *testing.T) {
	t.Parallel()
	static := httptest.NewServer(http.FileServer(http.Dir(t.TempDir())))
	defer static.Close()
	files := mustFiles(t, "a.jpg", "b.jpg")
	_, stderr, status := extract(t.Context(), t, static.URL, files...)
	assert.Equal(t, 2, status)
	assert.Contains(t, stderr, "is the address right?; 0 of 2 images were read")

	secure := httptest.NewTLSServer(http.NotFoundHandler())
	defer secure.Close()
	_, stderr, status = extract(t.Context(), t, secure.URL, files[0])
	assert.Equal(t, 2, status)
	assert.Contains(t, stderr, "no connection to the service")
}

func TestExtractCmd_Interrupt(t *testing.T) {
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
	assert.Equal(t, "stopped; 1 of 3 images were read\n", stderr)
	assert.Equal(t, 1, status)
	entries, err := os.ReadDir(out)
	require.NoError(t, err)
	require.Len(t, entries, 1)
	assert.Equal(t, "1.txt", entries[0].Name())
}

func TestExtractCmd_FullDisk(t *testing.T) {
	t.Parallel()
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	require.NoError(t, err)
	defer func() { _ = full.Close() }()
	f, url := mustFake(t, nil)
	cmd := client.ExtractCmd{
		Images: mustFiles(t, "1.jpg", "2.jpg", "3.jpg", "4.jpg", "5.jpg", "6.jpg", "7.jpg", "8.jpg", "9.jpg"),
		URL:    url, Key: "k", Format: "text", Jobs: 1, Timeout: time.Minute, Stdout: full, Stderr: &bytes.Buffer{},
	}
	err = cmd.Run(t.Context())
	require.ErrorContains(t, err, "the result could not be written: the disk is full")
	assert.Less(t, len(f.requests), 9, "what could not be kept is not asked for")
}

func TestExtractCmd_DirectoryVanishes(t *testing.T) {
	t.Parallel()
	out := filepath.Join(t.TempDir(), "out")
	f, url := mustFake(t, func(string) gen.ExtractResponseObject {
		_ = os.RemoveAll(out)
		return nil
	})
	_, stderr, status := extract(t.Context(), t, url, append([]string{"--jobs=1", "--out", out}, mustFiles(t, "1.jpg", "2.jpg")...)...)
	assert.Equal(t, "1.txt could not be written: no such file or directory; 0 of 2 images were read\n", stderr)
	assert.Equal(t, 1, status)
	assert.Len(t, f.requests, 1)
}

func TestExtractCmd_Environment(t *testing.T) {
	f, url := mustFake(t, nil)
	t.Setenv("UNCIAL_URL", url)
	t.Setenv("UNCIAL_KEY", "ocr_live_x")
	cmd := client.ExtractCmd{Stdout: &bytes.Buffer{}}
	parser, err := kong.New(&cmd)
	require.NoError(t, err)
	_, err = parser.Parse([]string{"https://images.example.org/1.jpg"})
	require.NoError(t, err)
	require.NoError(t, cmd.Run(t.Context()))
	assert.Len(t, f.requests, 1)
}
