package impl_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"uncial/impl"
	"uncial/impl/account"
	"uncial/impl/fetch"
	"uncial/impl/ledger"
	"uncial/impl/ocr"
	"uncial/impl/ratelimit"
	"uncial/impl/store"
	"uncial/internal/contract"
	"uncial/internal/document"
	"uncial/internal/edge"
)

// imageStart makes bytes pass for a PNG.
const imageStart = "\x89PNG\r\n\x1a\n"

type readFunc = func(ctx context.Context, req ocr.Request) (*document.Document, error)

// recognizer is a fake that counts its calls and answers with read, by default with a page of one word.
type recognizer struct {
	read  readFunc
	calls atomic.Int64
}

func (r *recognizer) Recognize(ctx context.Context, req ocr.Request) (*document.Document, error) {
	r.calls.Add(1)
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

// service is the real service with a fake recognizer and no network access.
type service struct {
	url        string
	ledger     *ledger.Ledger
	accounts   *account.Registry
	clock      *clock
	recognizer *recognizer
}

type clock struct{ at, reads atomic.Int64 }

func (c *clock) now() time.Time        { c.reads.Add(1); return time.Unix(0, c.at.Load()).UTC() }
func (c *clock) move(by time.Duration) { c.at.Add(int64(by)) }
func newClock(start time.Time) *clock  { c := &clock{}; c.at.Store(start.UnixNano()); return c }
func quiet() *slog.Logger              { return slog.New(slog.DiscardHandler) }

func mustServe(tb testing.TB, database string, change ...func(*impl.Service)) *service {
	tb.Helper()
	st, err := store.Open(tb.Context(), database, store.Options{})
	require.NoError(tb, err)
	tb.Cleanup(func() { require.NoError(tb, st.Close()) })
	_, err = st.Migrate(tb.Context())
	require.NoError(tb, err)
	s := &service{clock: newClock(time.Now()), recognizer: &recognizer{}}
	plans := account.DefaultCatalogue()
	s.ledger = ledger.New(st, ledger.Options{Plans: plans, Now: s.clock.now})
	s.accounts, err = account.New(st, account.Options{Secret: []byte("0123456789abcdef0123456789abcdef"), Plans: plans, Now: s.clock.now, Log: quiet()})
	require.NoError(tb, err)
	server := &impl.Service{
		Ledger: s.ledger, Recognizer: s.recognizer, HoldTTL: time.Minute, Deadline: time.Minute, Now: s.clock.now, Logger: quiet(),
		Fetch: func(_ context.Context, imageURL string) ([]byte, error) {
			if imageURL == "https://images.example.org/missing.png" {
				return nil, &fetch.Error{Reason: contract.FetchNotFound, Text: "the server returned 404"}
			}
			if imageURL == "https://images.example.org/offline.png" {
				return nil, fmt.Errorf("%w: no route", fetch.ErrNetwork)
			}
			if imageURL == "https://images.example.org/page.html" {
				return []byte("<p>A page</p>"), nil
			}
			return []byte(imageStart + imageURL), nil
		},
	}
	for _, c := range change {
		c(server)
	}
	handler, err := edge.New(edge.Options{
		Server: server,
		Gate:   &impl.Gate{Accounts: s.accounts, Limits: ratelimit.New(st, s.clock.now), Ledger: s.ledger},
		Logger: quiet(),
	})
	require.NoError(tb, err)
	srv := httptest.NewServer(handler)
	tb.Cleanup(srv.Close)
	s.url = srv.URL + "/api/v1"
	return s
}

// mustKey creates an account with a key.
func (s *service) mustKey(tb testing.TB, plan string) (accountID, token string) {
	tb.Helper()
	a, err := s.accounts.Create(tb.Context(), "test", plan)
	require.NoError(tb, err)
	_, token, err = s.accounts.CreateKey(tb.Context(), account.NewKey{AccountID: a.ID, Name: "test"})
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

func (s *service) extract(ctx context.Context, tb testing.TB, token, idempotencyKey string, body map[string]any) (answer, error) {
	tb.Helper()
	data, err := json.Marshal(body)
	require.NoError(tb, err)
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url+"/extract", bytes.NewReader(data))
	require.NoError(tb, err)
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Content-Type", "application/json")
	if idempotencyKey != "" {
		req.Header.Set("Idempotency-Key", idempotencyKey)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return answer{}, err
	}
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	return answer{res.StatusCode, res.Header, text}, err
}

func (s *service) mustExtract(tb testing.TB, token, idempotencyKey string, body map[string]any) answer {
	tb.Helper()
	a, err := s.extract(tb.Context(), tb, token, idempotencyKey, body)
	require.NoError(tb, err)
	return a
}

// used returns the points used and held in this month.
func (s *service) used(tb testing.TB, accountID string) int64 {
	tb.Helper()
	b, err := s.ledger.Balance(tb.Context(), accountID)
	require.NoError(tb, err)
	return b.Used
}

// image is the body of a request for a page, with more fields as pairs of name and value.
func image(more ...string) map[string]any {
	m := map[string]any{"imageUrl": "https://images.example.org/page.png"}
	for i := 0; i+1 < len(more); i += 2 {
		m[more[i]] = more[i+1]
	}
	return m
}
