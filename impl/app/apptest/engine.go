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

// engine is what Engine has started, if anything.
var engine struct {
	sync.Mutex
	server *httptest.Server
	pool   *workerpool.Pool
}

// Engine returns the address of an engine with two workers, for app.Options.EngineURL. All tests of the process share it. It
// caches readings, so that a second run of the suite reads nothing again.
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
		engine.pool, engine.server = pool, httptest.NewServer(remote.Handler(&cachingPool{Pool: pool, known: map[cacheKey]*document.Document{}}, nil))
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

// maxCached is the maximum number of cached readings, more than one run of the suite needs.
const maxCached = 1000

// cachingPool is a pool of workers that caches readings.
type cachingPool struct {
	*workerpool.Pool
	mu    sync.Mutex
	known map[cacheKey]*document.Document
}

// cacheKey is a request with the digest of its image.
type cacheKey struct {
	image                     [sha256.Size]byte
	language                  string
	enhance, preview, picture bool
}

// Recognize implements ocr.Recognizer. Its documents must not be changed.
func (p *cachingPool) Recognize(ctx context.Context, r ocr.Request) (*document.Document, error) {
	key := cacheKey{sha256.Sum256(r.Image), r.Language, r.Enhance, r.Preview, r.Picture}
	p.mu.Lock()
	doc := p.known[key]
	p.mu.Unlock()
	if doc != nil {
		return doc, nil
	}
	doc, err := p.Pool.Recognize(ctx, r)
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	if len(p.known) >= maxCached {
		clear(p.known)
	}
	p.known[key] = doc
	p.mu.Unlock()
	return doc, nil
}
