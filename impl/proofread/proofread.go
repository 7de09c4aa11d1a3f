// Package proofread asks a language model behind an OpenAI-compatible API to proofread a reading, and decides which of its
// corrections to accept. It accepts a correction only if the word was doubtful, is neither a number nor a name, and looks so
// much like the correction that a recognizer may have confused them. Words are never added, removed or modernized.
//
// It runs in the service, because workers have no network access. The recognizer's own corrections are in impl/ocr/correct.
// Start with Model.Improve; the guards are in believe.go.
package proofread

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"uncial/internal/document"
)

// Config selects the language model.
type Config struct {
	URL     string        // base URL of the API, such as https://api.openai.com/v1
	Model   string        // the name under which the server knows the model
	Key     string        // empty if the server needs none
	Timeout time.Duration // for one page; 30 s if zero
}

// Model is a client of one language model. It is safe for concurrent use.
type Model struct {
	client  openai.Client
	model   string
	timeout time.Duration
}

// New returns a client of the model, or an error that says what is invalid in the configuration. It does not connect to the
// server.
func New(c Config) (*Model, error) {
	u, err := url.Parse(c.URL)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, fmt.Errorf("invalid language model URL %q; expected one such as https://api.openai.com/v1", c.URL)
	}
	if c.Model == "" {
		return nil, errors.New("the language model's name is missing; give the model name that the server expects")
	}
	if c.Timeout <= 0 {
		c.Timeout = defaultTimeout
	}
	key := c.Key
	if key == "" {
		key = "none" // the client library requires one
	}
	return &Model{
		client: openai.NewClient(option.WithBaseURL(c.URL), option.WithAPIKey(key), option.WithMaxRetries(maxRetries),
			option.WithHTTPClient(&http.Client{Transport: limitedTransport{http.DefaultTransport}, CheckRedirect: refuseRedirect})),
		model:   c.Model,
		timeout: c.Timeout,
	}, nil
}

// refuseRedirect refuses every redirect, so that pages are sent only to the address that the operator configured.
func refuseRedirect(*http.Request, []*http.Request) error {
	return errors.New("the server redirects; configure the address that it redirects to")
}

// limitedTransport limits answers to maxAnswerBytes after decompression: reading more is an *http.MaxBytesError.
type limitedTransport struct{ http.RoundTripper }

// RoundTrip limits the body of the answer. The client library reads it as a whole, so an endless one would fill the memory.
func (l limitedTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	res, err := l.RoundTripper.RoundTrip(r)
	if err == nil {
		res.Body = http.MaxBytesReader(nil, res.Body, maxAnswerBytes)
	}
	return res, err
}

// Improve corrects the document in place and records each correction in its edits. image is the file that the document was read
// from. If the model fails, stalls or returns an invalid answer, Improve returns an error and leaves the document unchanged. It
// takes at most three quarters of the time until ctx's deadline.
func (m *Model) Improve(ctx context.Context, image []byte, doc *document.Document) error {
	if end, ok := ctx.Deadline(); ok {
		limited, cancel := context.WithTimeout(ctx, time.Duration(maxTimeShare*float64(time.Until(end))))
		defer cancel()
		ctx = limited
	}
	if len(doc.Pages) > 1 {
		image = nil // the file holds more than the page that is asked about
	}
	var accepted []correction
	for i := range doc.Pages {
		found, err := m.proofreadPage(ctx, image, doc, i)
		if err != nil {
			return fmt.Errorf("language model, page %d: %w", i+1, err)
		}
		accepted = append(accepted, found...)
	}
	for _, c := range accepted {
		c.record(doc)
		c.word.Text = c.after
	}
	doc.SortEdits()
	doc.Proofreader = m.model
	return nil
}

// proofreadPage asks the model about the doubtful words of a page, and returns the proposals that pass the guards. For a page
// without doubtful words, it sends no request.
func (m *Model) proofreadPage(ctx context.Context, image []byte, doc *document.Document, page int) ([]correction, error) {
	shown := doubtfulWords(&doc.Pages[page])
	if len(shown) == 0 {
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(ctx, m.timeout)
	defer cancel()
	answer, err := m.ask(ctx, image, doc.Language, numbered(&doc.Pages[page], shown))
	if err != nil {
		return nil, err
	}
	return believable(page, shown, answer)
}

// correction is a proposal that passed the guards.
type correction struct {
	page  int
	word  *document.Word
	after string
}

// record adds the correction to the document's edits. If the word was changed before, the two edits become one, from the word
// as first read to the corrected word, or none if these are equal.
func (c correction) record(doc *document.Document) {
	e := document.NewEdit([]document.Word{*c.word}, c.after, document.Proofread, c.word.Confidence)
	e.Page = c.page
	i := slices.IndexFunc(doc.Edits, func(old document.Edit) bool { return old.Page == e.Page && old.Box == e.Box && old.After == e.Before })
	if i < 0 {
		doc.Edits = append(doc.Edits, e)
		return
	}
	e.Before = doc.Edits[i].Before
	if doc.Edits[i] = e; e.Before == e.After {
		doc.Edits = slices.Delete(doc.Edits, i, i+1)
	}
}
