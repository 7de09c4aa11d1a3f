package client_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/stretchr/testify/require"

	"uncial/gen"
	"uncial/impl/client"
	"uncial/impl/client/journal"
	"uncial/internal/contract"
	"uncial/internal/document"
	"uncial/internal/format"
)

// jpegStart begins a file that is recognized as a JPEG.
const jpegStart = "\xff\xd8\xff"

// fake is a service that returns the bytes of an image as its text.
type fake struct {
	mu       sync.Mutex
	requests []gen.ExtractionRequest
	sent     []string // texts
	keys     map[string]bool
	answered map[string]bool                             // keys whose answer is stored
	before   func(text string) gen.ExtractResponseObject // may be nil; returns a response to send instead, or nil
}

func (f *fake) Extract(_ context.Context, r gen.ExtractRequestObject) (gen.ExtractResponseObject, error) {
	text := r.Body.ImageURL
	if _, data, inline := strings.Cut(text, ";base64,"); inline {
		decoded, err := base64.StdEncoding.DecodeString(data)
		if err != nil {
			return nil, err
		}
		text = strings.TrimPrefix(string(decoded), jpegStart)
	}
	f.mu.Lock()
	f.requests = append(f.requests, *r.Body)
	f.sent = append(f.sent, text)
	f.keys[*r.Params.IdempotencyKey] = true
	f.mu.Unlock()
	if f.before != nil {
		if other := f.before(text); other != nil {
			return other, nil
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.answered[*r.Params.IdempotencyKey] {
		return contract.Replayed{ExtractResponseObject: good200(*r.Body.Format, text)}, nil
	}
	f.answered[*r.Params.IdempotencyKey] = true
	return good200(*r.Body.Format, text), nil
}

// keyCount returns how many different keys came. A request whose client left may still be running.
func (f *fake) keyCount() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.keys)
}

// good200 is an answer with a text in one word, which fills a page of 1000 x 500 pixels.
func good200(form gen.Format, text string) gen.ExtractResponseObject {
	remaining := int64(90)
	result := gen.Extraction{Success: true, Text: text, Confidence: 0.9, PointsUsed: 10, RemainingPoints: &remaining}
	if form != gen.JSON && form != gen.Text {
		box := document.Box{X: 10, Y: 20, W: 300, H: 40}
		page := document.Page{Width: 1000, Height: 500, Confidence: 0.9}
		if text != "" {
			word := document.Word{Box: box, Text: strings.Join(strings.Fields(text), "_"), Confidence: 0.9}
			page.Blocks = []document.Block{document.BlockOf([]document.Line{{Box: box, Words: []document.Word{word}}})}
		}
		written, err := format.Write(string(form), &document.Document{Language: "en", Pages: []document.Page{page}}, format.Meta{})
		if err != nil {
			return invalid(err.Error())
		}
		result.Document = &written
	}
	return gen.Extract200JSONResponse{ExtractionJSONResponse: gen.ExtractionJSONResponse{Body: result}}
}

func (f *fake) Status(context.Context, gen.StatusRequestObject) (gen.StatusResponseObject, error) {
	return gen.Status200JSONResponse{StatusJSONResponse: gen.StatusJSONResponse{Body: gen.StatusRecord{Plan: "pro", PointsRemaining: 90}}}, nil
}

var _ gen.StrictServerInterface = (*fake)(nil)

func mustFake(tb testing.TB, before func(text string) gen.ExtractResponseObject) (*fake, string) {
	tb.Helper()
	f := &fake{keys: map[string]bool{}, answered: map[string]bool{}, before: before}
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

// mustFiles writes images that contain their own names, after the first bytes of a JPEG, and returns their paths.
func mustFiles(tb testing.TB, names ...string) []string {
	tb.Helper()
	dir := tb.TempDir()
	paths := make([]string, len(names))
	for i, name := range names {
		paths[i] = filepath.Join(dir, name)
		require.NoError(tb, os.MkdirAll(filepath.Dir(paths[i]), 0o755))
		require.NoError(tb, os.WriteFile(paths[i], []byte(jpegStart+name), 0o600))
	}
	return paths
}

// extract runs the command with these arguments and returns its output and exit status.
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

// mustNames returns the names of the files in an output folder, without the journal.
func mustNames(tb testing.TB, dir string) (names []string) {
	tb.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(tb, err)
	for _, entry := range entries {
		if entry.Name() != journal.Folder {
			names = append(names, entry.Name())
		}
	}
	return names
}
