package impl_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"uncial/gen"
	"uncial/impl"
	"uncial/impl/account"
	"uncial/impl/ledger"
	"uncial/impl/ocr"
	"uncial/impl/ratelimit"
	"uncial/impl/store"
	"uncial/internal/document"
	"uncial/internal/edge"
	"uncial/testcontainers"
)

// recognizer is a fake: it answers as read says.
type recognizer struct {
	read func(ctx context.Context, req ocr.Request) (*document.Document, error)
	runs atomic.Int64
}

func (r *recognizer) Recognize(ctx context.Context, req ocr.Request) (*document.Document, error) {
	r.runs.Add(1)
	if r.read != nil {
		return r.read(ctx, req)
	}
	return page(req.Language), nil
}

func (*recognizer) Languages(context.Context) ([]string, error) {
	return []string{"de-Latf", "en"}, nil
}

func page(language string) *document.Document {
	box := document.Box{X: 10, Y: 10, W: 80, H: 20}
	return &document.Document{Language: language, Confidence: 0.9, Pages: []document.Page{{
		Width: 100, Height: 50,
		Blocks: []document.Block{{Box: box, Lines: []document.Line{{
			Box: box, Words: []document.Word{{Box: box, Text: "Aprille", Confidence: 0.9}},
		}}}},
	}}}
}

// service is the whole service but for the recognizer and the network.
type service struct {
	url    string
	ledger *ledger.Ledger
	book   *account.Registry
	clock  *clock
	worker *recognizer
}

type clock struct{ at atomic.Int64 }

func (c *clock) now() time.Time        { return time.Unix(0, c.at.Load()).UTC() }
func (c *clock) move(by time.Duration) { c.at.Add(int64(by)) }
func newClock(start time.Time) *clock  { c := &clock{}; c.at.Store(start.UnixNano()); return c }
func quiet() *slog.Logger              { return slog.New(slog.DiscardHandler) }
func isImageError(reason string) error { return &ocr.ImageError{Reason: reason} }

func mustServe(tb testing.TB, database string, change ...func(*impl.Service)) *service {
	tb.Helper()
	st, err := store.Open(tb.Context(), database, store.Options{})
	require.NoError(tb, err)
	tb.Cleanup(func() { require.NoError(tb, st.Close()) })
	_, err = st.Migrate(tb.Context())
	require.NoError(tb, err)
	s := &service{clock: newClock(time.Now()), worker: &recognizer{}}
	plans := account.DefaultCatalogue()
	s.ledger = ledger.New(st, ledger.Options{Plans: plans, Now: s.clock.now})
	s.book, err = account.New(st, account.Options{Secret: []byte("0123456789abcdef0123456789abcdef"), Plans: plans, Now: s.clock.now, Log: quiet()})
	require.NoError(tb, err)
	server := &impl.Service{
		Ledger: s.ledger, Recognizer: s.worker, HoldTTL: time.Minute, Deadline: time.Minute, Now: s.clock.now, Logger: quiet(),
		Fetch: func(_ context.Context, imageURL string) ([]byte, error) {
			if imageURL == "https://images.example.org/missing.png" {
				return nil, isImageError("the server answered 404; the URL of an image is needed")
			}
			return []byte(imageURL), nil
		},
	}
	for _, c := range change {
		c(server)
	}
	door, err := edge.New(edge.Options{
		Server:      server,
		Gate:        &impl.Gate{Accounts: s.book, Limits: ratelimit.New(st, s.clock.now), Ledger: s.ledger},
		Logger:      quiet(),
		MaxInFlight: 512,
	})
	require.NoError(tb, err)
	srv := httptest.NewServer(door)
	tb.Cleanup(srv.Close)
	s.url = srv.URL + "/api/v1"
	return s
}

// mustKey is a key of a new account.
func (s *service) mustKey(tb testing.TB, plan string) (accountID, token string) {
	tb.Helper()
	a, err := s.book.Create(tb.Context(), "test", plan)
	require.NoError(tb, err)
	_, token, err = s.book.CreateKey(tb.Context(), account.NewKey{AccountID: a.ID, Name: "test"})
	require.NoError(tb, err)
	return a.ID, token
}

type answer struct {
	status int
	header http.Header
	body   []byte
}

func (a answer) field(tb testing.TB, name string) any {
	tb.Helper()
	var m map[string]any
	require.NoError(tb, json.Unmarshal(a.body, &m), "%s", a.body)
	return m[name]
}

func (s *service) extract(ctx context.Context, tb testing.TB, token, repeat string, body map[string]any) (answer, error) {
	tb.Helper()
	data, err := json.Marshal(body)
	require.NoError(tb, err)
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url+"/extract", bytes.NewReader(data))
	require.NoError(tb, err)
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Content-Type", "application/json")
	if repeat != "" {
		req.Header.Set("Idempotency-Key", repeat)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return answer{}, err
	}
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	return answer{res.StatusCode, res.Header, text}, err
}

func (s *service) must(tb testing.TB, token, repeat string, body map[string]any) answer {
	tb.Helper()
	a, err := s.extract(tb.Context(), tb, token, repeat, body)
	require.NoError(tb, err)
	return a
}

func (s *service) used(tb testing.TB, accountID string) int64 {
	tb.Helper()
	b, err := s.ledger.Balance(tb.Context(), accountID)
	require.NoError(tb, err)
	return b.Used
}

func image(more ...string) map[string]any {
	m := map[string]any{"imageUrl": "https://images.example.org/page.png"}
	for i := 0; i+1 < len(more); i += 2 {
		m[more[i]] = more[i+1]
	}
	return m
}

func TestService_Extract(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		body   map[string]any
		read   func(context.Context, ocr.Request) (*document.Document, error)
		status int
		detail string // key of details
		used   int64
	}{
		{"charges a reading", image(), nil, 200, "", 10},
		{"charges a blank page", image(), func(context.Context, ocr.Request) (*document.Document, error) {
			return &document.Document{Language: "en", Pages: []document.Page{{Width: 9, Height: 9}}}, nil
		}, 200, "", 10},
		{"reads a region's tag as its language", image("language", "en-GB"), nil, 200, "", 10},
		{"refuses a language that is not installed", image("language", "tlh"), nil, 400, "language", 0},
		{"gives points back when the image cannot be fetched", map[string]any{"imageUrl": "https://images.example.org/missing.png"}, nil, 400, "imageUrl", 0},
		{"gives points back when the image cannot be read", image(), func(context.Context, ocr.Request) (*document.Document, error) {
			return nil, isImageError("is not an image; JPEG, PNG, TIFF, BMP and WebP can be read")
		}, 400, "imageUrl", 0},
		{"gives points back when the queue is full", image(), func(context.Context, ocr.Request) (*document.Document, error) { return nil, ocr.ErrBusy }, 500, "", 0},
		{"gives points back when the page takes too long", image(), func(context.Context, ocr.Request) (*document.Document, error) { return nil, ocr.ErrTimeout }, 500, "", 0},
		{"tells nothing of an internal failure", image(), func(context.Context, ocr.Request) (*document.Document, error) { return nil, io.ErrUnexpectedEOF }, 500, "", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := mustServe(t, "sqlite::memory:")
			s.worker.read = c.read
			id, key := s.mustKey(t, "pro")
			a := s.must(t, key, "", c.body)
			require.Equal(t, c.status, a.status, "%s", a.body)
			require.Equal(t, c.used, s.used(t, id))
			if c.detail != "" {
				require.Contains(t, a.field(t, "details"), c.detail)
			}
			require.NotContains(t, string(a.body), "EOF")
		})
	}
}

func TestService_Extract_WritesEveryFormat(t *testing.T) {
	t.Parallel()
	s := mustServe(t, "sqlite::memory:")
	_, key := s.mustKey(t, "pro")
	for _, f := range []gen.Format{gen.JSON, gen.Text, gen.Hocr, gen.Alto, gen.Page, gen.Tsv} {
		a := s.must(t, key, "", image("format", string(f)))
		require.Equal(t, 200, a.status, "%s", a.body)
		require.Equal(t, "Aprille", a.field(t, "text"))
		document := a.field(t, "document")
		if f == gen.JSON || f == gen.Text {
			require.Nil(t, document)
			continue
		}
		require.Contains(t, document, "Aprille")
	}
}

func TestService_Extract_RepeatsAreFree(t *testing.T) {
	t.Parallel()
	s := mustServe(t, "sqlite::memory:")
	id, key := s.mustKey(t, "pro")
	first := s.must(t, key, "k1", image())
	again := s.must(t, key, "k1", image())
	require.Equal(t, string(first.body), string(again.body))
	require.Equal(t, int64(10), s.used(t, id))
	require.Equal(t, int64(1), s.worker.runs.Load())

	other := s.must(t, key, "k1", image("format", "tsv"))
	require.Equal(t, 400, other.status)
	require.Contains(t, other.field(t, "details"), "Idempotency-Key")

	s.clock.move(25 * time.Hour)
	require.Equal(t, 200, s.must(t, key, "k1", image("format", "tsv")).status, "a key is free again after 24 hours")
}

func TestService_Extract_FailureFreesTheRepeatKey(t *testing.T) {
	t.Parallel()
	s := mustServe(t, "sqlite::memory:")
	id, key := s.mustKey(t, "pro")
	s.worker.read = func(context.Context, ocr.Request) (*document.Document, error) { return nil, ocr.ErrBusy }
	busy := s.must(t, key, "k1", image())
	require.Equal(t, 500, busy.status)
	require.NotEmpty(t, busy.header.Get("Retry-After"))
	s.worker.read = nil
	require.Equal(t, 200, s.must(t, key, "k1", image()).status)
	require.Equal(t, int64(10), s.used(t, id))
}

func TestService_Extract_RepeatWaitsForTheFirst(t *testing.T) {
	t.Parallel()
	s := mustServe(t, "sqlite::memory:")
	id, key := s.mustKey(t, "pro")
	begun, finish := make(chan struct{}), make(chan struct{})
	s.worker.read = func(_ context.Context, req ocr.Request) (*document.Document, error) {
		close(begun)
		<-finish
		return page(req.Language), nil
	}
	answers := make(chan answer, 2)
	ask := func() {
		a, err := s.extract(context.Background(), t, key, "k1", image())
		if err != nil {
			a.body = []byte(err.Error())
		}
		answers <- a
	}
	go ask()
	<-begun
	go ask()
	close(finish)
	a, b := <-answers, <-answers
	require.Equal(t, 200, a.status, "%s", a.body)
	require.Equal(t, string(a.body), string(b.body))
	require.Equal(t, int64(10), s.used(t, id))
	require.Equal(t, int64(1), s.worker.runs.Load())
}

func TestService_Extract_CallerGoneChargesNothing(t *testing.T) {
	t.Parallel()
	s := mustServe(t, "sqlite::memory:")
	id, key := s.mustKey(t, "pro")
	begun, freed := make(chan struct{}), make(chan struct{})
	s.worker.read = func(ctx context.Context, _ ocr.Request) (*document.Document, error) {
		close(begun)
		<-ctx.Done()
		close(freed)
		return nil, ctx.Err()
	}
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-begun; cancel() }()
	_, err := s.extract(ctx, t, key, "", image())
	require.ErrorIs(t, err, context.Canceled)
	select {
	case <-freed:
	case <-time.After(time.Second):
		t.Fatal("the recognizer was not told within a second")
	}
	require.Eventually(t, func() bool { return s.used(t, id) == 0 }, 5*time.Second, 10*time.Millisecond)
}

func TestService_Extract_RacingCallsNeverOverspend(t *testing.T) {
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

func TestService_Status_AgreesWithTheExtraction(t *testing.T) {
	t.Parallel()
	s := mustServe(t, "sqlite::memory:")
	_, key := s.mustKey(t, "pro")
	a := s.must(t, key, "", image())
	client, err := gen.NewClientWithResponses(s.url, gen.WithRequestEditorFn(func(_ context.Context, r *http.Request) error {
		r.Header.Set("Authorization", "Bearer "+key)
		return nil
	}))
	require.NoError(t, err)
	res, err := client.StatusWithResponse(t.Context())
	require.NoError(t, err)
	st := res.JSON200
	require.NotNil(t, st, "%s", res.Body)
	require.InEpsilon(t, a.field(t, "remainingPoints"), st.PointsRemaining, 1e-9)
	require.Equal(t, *st.PointsTotal, st.PointsUsed+st.PointsRemaining)
	require.Equal(t, int64(59), *st.RateLimitRemaining)
	require.Equal(t, st.RateLimit.Remaining, *st.RateLimitRemaining)
}

func TestService_Extract_OutlivesItsHold(t *testing.T) {
	t.Parallel()
	s := mustServe(t, "sqlite::memory:", func(o *impl.Service) { o.HoldTTL = 60 * time.Millisecond })
	id, key := s.mustKey(t, "pro")
	s.worker.read = func(_ context.Context, req ocr.Request) (*document.Document, error) {
		for range 30 { // five times as long as the points are held
			s.clock.move(10 * time.Millisecond)
			time.Sleep(10 * time.Millisecond)
		}
		return page(req.Language), nil
	}
	require.Equal(t, 200, s.must(t, key, "", image()).status)
	require.Equal(t, int64(10), s.used(t, id))
}

func TestService_Extract_EndsWhenItsHoldIsLost(t *testing.T) {
	t.Parallel()
	s := mustServe(t, "sqlite::memory:", func(o *impl.Service) { o.HoldTTL = 60 * time.Millisecond })
	id, key := s.mustKey(t, "pro")
	s.worker.read = func(ctx context.Context, _ ocr.Request) (*document.Document, error) {
		s.clock.move(time.Hour) // as if this process had stood still
		<-ctx.Done()
		return nil, ctx.Err()
	}
	require.Equal(t, 500, s.must(t, key, "", image()).status)
	_, err := s.ledger.Sweep(t.Context())
	require.NoError(t, err)
	require.Zero(t, s.used(t, id))
}

func TestService_Extract_LanguageModelThatFailsChangesNothing(t *testing.T) {
	t.Parallel()
	asked := 0
	s := mustServe(t, "sqlite::memory:", func(o *impl.Service) {
		o.Improve = func(_ context.Context, _ []byte, doc *document.Document) error {
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
	require.Equal(t, "Aprille", s.must(t, key, "", enhanced).field(t, "text"))
	require.Equal(t, "April", s.must(t, key, "", enhanced).field(t, "text"))
	require.Equal(t, "Aprille", s.must(t, key, "", image()).field(t, "text"), "unasked, nothing is sent away")
	require.Equal(t, 2, asked)
}
