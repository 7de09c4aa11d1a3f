// Package tryit shows in a browser what an extraction returns: the page with the boxes of its words, the text next to it, the
// corrections, every format to download, and the call that produced it. It serves the form "Try it" of the API reference,
// where the account of the pasted key pays, and the playground of the dashboard, where the signed-in account pays.
//
// One charged extraction serves all formats. Extract sends an ordinary request through the whole front end, so keys,
// limits, prices and errors are those of the API; the server behind it keeps the document in a Reading, which travels in the
// context of the request. Readings are held in Shelf, bounded in memory and never on disk. HTTP routes are in internal/edge
// and impl/dashboard.
//
// Start with Extract, then Shelf, then Render.
package tryit

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"uncial/gen"
	"uncial/internal/contract"
	"uncial/internal/contract/imagefile"
	"uncial/internal/document"
	"uncial/internal/request"
)

// Reading is one extraction with everything that its formats are written from.
type Reading struct {
	// Request is what was asked for. ImageURL is "" if the image was inside the request.
	Request contract.Request
	// Answer is the answer of the API.
	Answer gen.ExtractionResult
	// Document is what was read. It must not be changed: the mock shares its documents between requests.
	Document *document.Document
	// IsFixture reports that the text and the boxes are those of a fixture of the mock, not of the image.
	IsFixture bool
	// MediaType is the media type of an image inside the request, such as image/png; "" for an image at a URL.
	MediaType string
	// Read is when the image was read.
	Read time.Time
}

type readingKey struct{}

// Wanted reports whether Keep will keep the document, so that previews are worth making.
func Wanted(ctx context.Context) bool { return ctx.Value(readingKey{}) != nil }

// Keep keeps the reading for Extract. Without Extract it does nothing. The server calls it once it has charged.
func Keep(ctx context.Context, r Reading) {
	kept, ok := ctx.Value(readingKey{}).(*Reading)
	if !ok {
		return
	}
	if image, isInline := request.InlineImage(ctx, r.Request.ImageURL); isInline {
		r.Request.ImageURL, r.MediaType = "", imagefile.MediaType(image)
	}
	*kept = r
}

// ExtractPath is the operation that Extract calls.
const ExtractPath = "/api/v1/extract"

// Extract sends the request's body to POST /extract of the API as the caller of the request, and returns the reading. If the
// API refuses, the reading is nil and the answer is the error of the API.
func Extract(api http.Handler, r *http.Request) (*Reading, *Answer, error) {
	var kept Reading
	call := r.Clone(context.WithValue(r.Context(), readingKey{}, &kept))
	call.Method, call.URL.Path, call.URL.RawPath, call.URL.RawQuery, call.RequestURI = http.MethodPost, ExtractPath, "", "", ExtractPath
	call.Pattern = ""
	call.Header.Del("Idempotency-Key") // a replay has no document
	call.Header.Del("Prefer")
	a := &Answer{header: http.Header{}}
	api.ServeHTTP(a, call)
	if a.Status != http.StatusOK {
		return nil, a, nil
	}
	if kept.Document == nil {
		return nil, nil, errors.New("the server returned 200 without keeping a document")
	}
	if err := json.Unmarshal(a.Body, &kept.Answer); err != nil {
		return nil, nil, fmt.Errorf("read the answer of the API: %w", err)
	}
	return &kept, a, nil
}

// Answer is an HTTP response held in memory.
type Answer struct {
	Status int
	Body   []byte
	header http.Header
}

var _ http.ResponseWriter = (*Answer)(nil)

// Header implements http.ResponseWriter.
func (a *Answer) Header() http.Header { return a.header }

// WriteHeader implements http.ResponseWriter.
func (a *Answer) WriteHeader(status int) {
	if a.Status == 0 {
		a.Status = status
	}
}

// Write implements http.ResponseWriter.
func (a *Answer) Write(p []byte) (int, error) {
	a.WriteHeader(http.StatusOK)
	a.Body = append(a.Body, p...)
	return len(p), nil
}

// Explain returns what the API refuses and why, in sentences for people who filled in the form. It is "" if the answer holds no
// error.
func (a *Answer) Explain() string {
	var said struct {
		Error, Message string
		Details        map[string]string
	}
	if json.Unmarshal(a.Body, &said) != nil || said.Error == "" {
		return ""
	}
	if len(said.Details) == 0 {
		return said.Error + " " + Sentence(said.Message)
	}
	texts := []string{said.Error}
	for _, field := range slices.Sorted(maps.Keys(said.Details)) {
		texts = append(texts, cmp.Or(labels[field], field)+": "+strings.TrimSuffix(said.Details[field], ".")+".")
	}
	return strings.Join(texts, " ")
}

// labels are what the form calls the fields of a request.
var labels = map[string]string{"imageUrl": "Image", "language": "Language", "enhance": "Enhance"}

// Sentence begins a text with a capital letter and ends it with one full stop. The text must begin with an ASCII character, as
// the messages of the API do, or be empty; then it stays empty.
func Sentence(text string) string {
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + strings.TrimSuffix(text[1:], ".") + "."
}
