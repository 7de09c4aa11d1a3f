package apptest

import (
	"context"
	"crypto/sha256"
	"net/http/httptest"
	"sync"
	"testing"

	"uncial/impl/ocr"
	"uncial/impl/ocr/remote"
	"uncial/impl/ocr/workerpool"
	"uncial/internal/document"
)

// engine is the engine that Engine has started.
var engine struct {
	sync.Mutex
	server *httptest.Server
	pool   *workerpool.Pool
}

// Engine returns the address of an engine with two workers, for app.Options.EngineURL. All tests of the process share it. It
// reads each image once, so that running the suite again costs no more reading.
func Engine(tb testing.TB) string {
	tb.Helper()
	worker := Binary(tb, "./impl/cmd/uncial-worker")
	engine.Lock()
	defer engine.Unlock()
	if engine.server == nil {
		// Not the context of the test, because the pool outlives it.
		pool, err := workerpool.New(context.Background(), workerpool.Options{Worker: worker, Workers: 2})
		if err != nil {
			tb.Fatal(err)
		}
		engine.pool, engine.server = pool, httptest.NewServer(remote.Handler(&memory{Pool: pool, known: map[question]*document.Document{}}, nil))
	}
	return engine.server.URL
}

// closeEngine stops the engine, if there is one.
func closeEngine() error {
	engine.Lock()
	defer engine.Unlock()
	if engine.server == nil {
		return nil
	}
	engine.server.Close()
	return engine.pool.Close()
}

// memory is a pool of workers that remembers what it has read.
type memory struct {
	*workerpool.Pool
	mu    sync.Mutex
	known map[question]*document.Document
}

// question is a request with the digest of its image.
type question struct {
	image                     [sha256.Size]byte
	language                  string
	enhance, preview, picture bool
}

// Recognize implements ocr.Recognizer. Its documents must not be changed.
func (m *memory) Recognize(ctx context.Context, r ocr.Request) (*document.Document, error) {
	q := question{sha256.Sum256(r.Image), r.Language, r.Enhance, r.Preview, r.Picture}
	m.mu.Lock()
	doc := m.known[q]
	m.mu.Unlock()
	if doc != nil {
		return doc, nil
	}
	doc, err := m.Pool.Recognize(ctx, r)
	if err != nil {
		return nil, err
	}
	m.mu.Lock()
	m.known[q] = doc
	m.mu.Unlock()
	return doc, nil
}
