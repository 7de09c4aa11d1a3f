package impl_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"uncial/impl"
	"uncial/impl/ledger"
	"uncial/impl/ocr"
	"uncial/impl/store"
	"uncial/internal/document"
	"uncial/testcontainers"
)

func failWith(err error) readFunc {
	return func(context.Context, ocr.Request) (*document.Document, error) { return nil, err }
}

func TestService_Extract(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		body   map[string]any
		read   readFunc
		status int
		detail string // field in details
		used   int64
	}{
		{"charges a page", image(), nil, 200, "", 10},
		{"charges a blank page", image(), func(context.Context, ocr.Request) (*document.Document, error) {
			return &document.Document{Language: "en", Pages: []document.Page{{Width: 9, Height: 9}}}, nil
		}, 200, "", 10},
		{"falls back from a region to its language", image("language", "en-GB"), nil, 200, "", 10},
		{"refuses a language that is not installed", image("language", "tlh"), nil, 400, "language", 0},
		{"releases the points when the image cannot be fetched", map[string]any{"imageUrl": "https://images.example.org/missing.png"}, nil, 400, "imageUrl", 0},
		{"releases the points when a server sends no image", map[string]any{"imageUrl": "https://images.example.org/page.html"}, nil, 400, "imageUrl", 0},
		{"releases the points when its own network fails", map[string]any{"imageUrl": "https://images.example.org/offline.png"}, nil, 500, "", 0},
		{"releases the points when the image cannot be read", image(), failWith(&ocr.ImageError{Reason: "the file is a PDF"}), 400, "imageUrl", 0},
		{"releases the points when the queue is full", image(), failWith(ocr.ErrBusy), 500, "", 0},
		{"releases the points when the page takes too long", image(), failWith(ocr.ErrTimeout), 500, "", 0},
		{"releases the points when no engine can be reached", image(), failWith(fmt.Errorf("%w: EOF", ocr.ErrUnavailable)), 500, "", 0},
		{"hides the cause of an internal error", image(), failWith(io.ErrUnexpectedEOF), 500, "", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := mustServe(t, "sqlite::memory:")
			s.recognizer.read = c.read
			id, key := s.mustKey(t, "pro")
			a := s.mustExtract(t, key, "", c.body)
			require.Equal(t, c.status, a.status, "%s", a.body)
			require.Equal(t, c.used, s.used(t, id))
			if c.detail != "" {
				require.Contains(t, a.field(t, "details"), c.detail)
			}
			require.NotContains(t, string(a.body), "EOF")
		})
	}
}

func TestService_Extract_InvitesARetry(t *testing.T) {
	t.Parallel()
	late, cancel := context.WithTimeout(t.Context(), 0)
	t.Cleanup(cancel)
	for name, c := range map[string]struct {
		err        error
		retryAfter string
	}{
		"if the queue is full":                     {ocr.ErrBusy, "5"},
		"if no engine can be reached":              {fmt.Errorf("%w: connection refused", ocr.ErrUnavailable), "5"},
		"if the database took too long":            {databaseError(late, t, `SELECT 1`), "5"},
		"but not if the database is at fault":      {databaseError(t.Context(), t, `SELECT nothing`), ""},
		"but not if an engine died with the image": {errors.New("the engine gave no answer"), ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := mustServe(t, "sqlite::memory:")
			s.recognizer.read = failWith(c.err)
			_, key := s.mustKey(t, "pro")
			a := s.mustExtract(t, key, "", image())
			require.Equal(t, 500, a.status)
			require.Equal(t, c.retryAfter, a.header.Get("Retry-After"), "%s", a.body)
			require.Equal(t, c.retryAfter != "", a.field(t, "message") == "the service is busy; try again later", "%s", a.body)
		})
	}
}

// databaseError returns the error of a statement in a new database.
func databaseError(ctx context.Context, tb testing.TB, statement string) error {
	tb.Helper()
	st, err := store.Open(tb.Context(), "sqlite::memory:", store.Options{})
	require.NoError(tb, err)
	tb.Cleanup(func() { require.NoError(tb, st.Close()) })
	_, err = st.Writer().Exec(ctx, statement)
	require.Error(tb, err)
	return err
}

func TestService_Extract_ClientGone(t *testing.T) {
	t.Parallel()
	s := mustServe(t, "sqlite::memory:")
	id, key := s.mustKey(t, "pro")
	started, cancelled := make(chan struct{}), make(chan struct{})
	s.recognizer.read = func(ctx context.Context, _ ocr.Request) (*document.Document, error) {
		close(started)
		<-ctx.Done()
		close(cancelled)
		return nil, ctx.Err()
	}
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-started; cancel() }()
	_, err := s.extract(ctx, t, key, "", image())
	require.ErrorIs(t, err, context.Canceled)
	select {
	case <-cancelled:
	case <-time.After(time.Second):
		t.Fatal("the recognizer was not cancelled within a second")
	}
	require.Eventually(t, func() bool { return s.used(t, id) == 0 }, 5*time.Second, 10*time.Millisecond)
}

func TestService_Extract_RacingRequests(t *testing.T) {
	t.Parallel()
	for name, open := range map[string]func(testing.TB) string{
		"sqlite":   func(tb testing.TB) string { tb.Helper(); return "sqlite:" + tb.TempDir() + "/uncial.db" },
		"postgres": testcontainers.Postgres,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := mustServe(t, open(t))
			id, key := s.mustKey(t, "archive")
			spend, err := s.ledger.Hold(t.Context(), ledger.HoldRequest{AccountID: id, Points: 1_000_000 - 100, TTL: time.Hour})
			require.NoError(t, err)
			_, err = s.ledger.Settle(t.Context(), spend, nil)
			require.NoError(t, err)

			var counts [600]atomic.Int64
			var all sync.WaitGroup
			for range 256 {
				all.Go(func() {
					a, err := s.extract(context.Background(), t, key, "", image())
					if err == nil {
						counts[a.status].Add(1)
					}
				})
			}
			all.Wait()
			require.Equal(t, int64(10), counts[200].Load())
			require.Equal(t, int64(246), counts[402].Load())
			require.Equal(t, int64(1_000_000), s.used(t, id))
			report, err := s.ledger.Audit(t.Context())
			require.NoError(t, err)
			require.Empty(t, report.Discrepancies)
		})
	}
}

func TestService_Extract_LongerThanItsHold(t *testing.T) {
	t.Parallel()
	s := mustServe(t, "sqlite::memory:", func(o *impl.Service) { o.HoldTTL = 60 * time.Millisecond })
	id, key := s.mustKey(t, "pro")
	s.recognizer.read = func(ctx context.Context, req ocr.Request) (*document.Document, error) {
		for range 30 { // five times the lifetime of the hold, in steps so short that one extension may read the clock several times
			before := s.clock.reads.Load()
			s.clock.move(10 * time.Millisecond)
			for s.clock.reads.Load() == before && ctx.Err() == nil { // only the extension of the hold reads the clock
				time.Sleep(time.Millisecond)
			}
		}
		return page(req.Language), nil
	}
	require.Equal(t, 200, s.mustExtract(t, key, "", image()).status)
	require.Equal(t, int64(10), s.used(t, id))
}

func TestService_Extract_LostHold(t *testing.T) {
	t.Parallel()
	s := mustServe(t, "sqlite::memory:", func(o *impl.Service) { o.HoldTTL = 60 * time.Millisecond })
	id, key := s.mustKey(t, "pro")
	s.recognizer.read = func(ctx context.Context, _ ocr.Request) (*document.Document, error) {
		s.clock.move(time.Hour) // as if this process had been suspended
		<-ctx.Done()
		return nil, ctx.Err()
	}
	require.Equal(t, 500, s.mustExtract(t, key, "", image()).status)
	_, err := s.ledger.Sweep(t.Context())
	require.NoError(t, err)
	require.Zero(t, s.used(t, id))
}

func TestService_Extract_Proofread(t *testing.T) {
	t.Parallel()
	asked := 0
	s := mustServe(t, "sqlite::memory:", func(o *impl.Service) {
		o.Proofread = func(_ context.Context, _ []byte, doc *document.Document) error {
			if asked++; asked == 1 {
				return io.ErrUnexpectedEOF
			}
			doc.Pages[0].Blocks[0].Lines[0].Words[0].Text = "April"
			return nil
		}
	})
	_, key := s.mustKey(t, "pro")
	enhanced := image()
	enhanced["enhance"] = true
	require.Equal(t, "Aprille", s.mustExtract(t, key, "", enhanced).field(t, "text"))
	require.Equal(t, "April", s.mustExtract(t, key, "", enhanced).field(t, "text"))
	require.Equal(t, "Aprille", s.mustExtract(t, key, "", image()).field(t, "text"), "no proofreading without enhance")
	require.Equal(t, 2, asked)
}

func TestService_Extract_SaysWhyAnImageWasNotFetched(t *testing.T) {
	t.Parallel()
	s := mustServe(t, "sqlite::memory:")
	_, key := s.mustKey(t, "pro")
	for url, want := range map[string]string{
		"https://images.example.org/missing.png": `"fetch":{"reason":"not-found","retryable":false}`,
		"https://images.example.org/page.html":   `"fetch":{"reason":"not-an-image","retryable":false}`,
		"https://images.example.org/offline.png": "no working network connection at the moment",
	} {
		a := s.mustExtract(t, key, "", map[string]any{"imageUrl": url})
		require.Contains(t, string(a.body), want)
		require.NotContains(t, string(a.body), "no route", "the cause is in the log only")
	}
	s.recognizer.read = failWith(&ocr.ImageError{Reason: "the PNG is damaged"})
	require.NotContains(t, string(s.mustExtract(t, key, "", image()).body), `"fetch"`, "the image was fetched")
}
