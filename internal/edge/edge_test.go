package edge_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"uncial/gen"
	"uncial/internal/clienttest"
	"uncial/internal/contract"
	"uncial/internal/document"
	"uncial/internal/edge"
	"uncial/internal/request"
	"uncial/internal/tryit"
)

// The keys of two accounts.
const goodKey, otherKey = "ocr_test_good", "ocr_test_other"

// gate is a Gate with one key and a window that never resets.
type gate struct {
	passed    time.Duration // on its clock, since clock
	mu        sync.Mutex
	from      netip.Addr // of the last caller; guarded by mu, like remaining
	remaining int64
	revoked   string // a key; guarded by mu
	err       error  // of everything but Authenticate
	pointsErr error
}

var clock = time.Date(2026, 1, 1, 0, 0, 18, 0, time.UTC)

func (g *gate) Authenticate(_ context.Context, token string, from netip.Addr) (edge.Principal, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	account, ok := map[string]string{goodKey: "acc_1", otherKey: "acc_2"}[token]
	if g.from = from; !ok || token == g.revoked {
		return edge.Principal{}, contract.Unauthorized(errors.New("no such key"))
	}
	return edge.Principal{AccountID: account, KeyID: "key_1", Plan: "pro", Token: token}, nil
}

func (g *gate) Count(ctx context.Context, p edge.Principal) (contract.Window, bool, error) {
	g.mu.Lock()
	allowed := g.remaining > 0
	g.remaining = max(0, g.remaining-1)
	g.mu.Unlock()
	w, err := g.Window(ctx, p)
	return w, allowed, err
}

func (g *gate) Window(context.Context, edge.Principal) (contract.Window, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return contract.Window{Limit: 60, Remaining: g.remaining, Reset: clock.Add(42 * time.Second), Now: clock.Add(g.passed)}, g.err
}

func (g *gate) RemainingPoints(context.Context, edge.Principal) (int64, error) {
	return 9990, errors.Join(g.err, g.pointsErr)
}

type extractFunc func(ctx context.Context, req gen.ExtractRequestObject) (gen.ExtractResponseObject, error)

func returns(res gen.ExtractResponseObject, err error) extractFunc {
	return func(context.Context, gen.ExtractRequestObject) (gen.ExtractResponseObject, error) { return res, err }
}

// server answers with what the test sets, or with a minimal success.
type server struct {
	extract extractFunc
	status  func(ctx context.Context) (gen.StatusResponseObject, error)
}

func (s *server) Extract(ctx context.Context, req gen.ExtractRequestObject) (gen.ExtractResponseObject, error) {
	if s.extract != nil {
		return s.extract(ctx, req)
	}
	var ok gen.Extract200JSONResponse
	ok.Body = gen.ExtractionResult{Success: true, Text: "a b c", Confidence: 0.5, PointsUsed: 10}
	tryit.Keep(ctx, tryit.Reading{Document: &document.Document{Language: "en", Pages: []document.Page{{Width: 1, Height: 1}}}})
	return ok, nil
}

func (s *server) Status(ctx context.Context, _ gen.StatusRequestObject) (gen.StatusResponseObject, error) {
	if s.status != nil {
		return s.status(ctx)
	}
	var ok gen.Status200JSONResponse
	ok.Body = gen.StatusRecord{Plan: edge.CallerFrom(ctx).Plan, PointsUsed: 10, PointsRemaining: 9990}
	return ok, nil
}

// frontEnd is a front end, and the fakes around it.
type frontEnd struct {
	http.Handler
	gate   *gate
	server *server
	log    *strings.Builder
	answer *httptest.ResponseRecorder // of the request that do sends
}

// mustNew returns a front end; change may set further options.
func mustNew(tb testing.TB, change func(*edge.Options)) *frontEnd {
	tb.Helper()
	d := &frontEnd{gate: &gate{remaining: 60}, server: &server{}, log: &strings.Builder{}}
	o := edge.Options{
		Server: d.server, Gate: d.gate,
		Logger: slog.New(slog.NewJSONHandler(d.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
	}
	if change != nil {
		change(&o)
	}
	h, err := edge.New(o)
	require.NoError(tb, err)
	d.Handler = h
	return d
}

// extraction is a valid request if body is; headers come in pairs, and "" removes a header.
func extraction(body string, headers ...string) *http.Request {
	return with(httptest.NewRequest(http.MethodPost, "/api/v1/extract", strings.NewReader(body)), headers...)
}

// status is a valid request for the status.
func status() *http.Request { return with(get("/api/v1/status")) }

// get is a request without a key.
func get(path string) *http.Request { return httptest.NewRequest(http.MethodGet, path, nil) }

func with(r *http.Request, headers ...string) *http.Request {
	all := append([]string{"Authorization", "Bearer " + goodKey, "Content-Type", "application/json"}, headers...)
	for i := 0; i < len(all); i += 2 {
		if r.Header.Del(all[i]); all[i+1] != "" {
			r.Header.Set(all[i], all[i+1])
		}
	}
	return r
}

// answer is a response with its body.
type answer struct {
	StatusCode int
	Header     http.Header
	Body       string
}

// do sends the request and checks what holds for every answer. Those of the two operations must be valid by openapi.yaml,
// headers included.
func (d *frontEnd) do(t *testing.T, r *http.Request) answer {
	t.Helper()
	rec := httptest.NewRecorder()
	d.answer = rec
	d.ServeHTTP(rec, r)
	clienttest.RequireValid(t, r, rec.Code, rec.Header(), rec.Body.Bytes())
	res := answer{StatusCode: rec.Code, Header: rec.Result().Header, Body: rec.Body.String()}
	assert.Regexp(t, `^[!-~]{1,128}$`, res.Header.Get("X-Request-Id"))
	assert.Equal(t, "no-store", res.Header.Get("Cache-Control"))
	assert.Equal(t, `</openapi.yaml>; rel="service-desc"`, res.Header.Get("Link"))
	if res.StatusCode >= 400 {
		assert.Equal(t, "application/json", res.Header.Get("Content-Type"))
	}
	return res
}

func TestHandler_ReportsTheWindowAtTheTimeOfTheAnswer(t *testing.T) {
	t.Parallel()
	d := mustNew(t, nil)
	d.server.extract = func(context.Context, gen.ExtractRequestObject) (gen.ExtractResponseObject, error) {
		time.Sleep(1100 * time.Millisecond)
		d.gate.passed = 20 * time.Second
		return nil, contract.BadImage("is damaged")
	}
	res, _ := d.fails(t, http.StatusBadRequest, extraction(`{"imageUrl":"https://images.example.org/a.jpg"}`))
	assert.Equal(t, `"account";r=59;t=22`, res.Header.Get("RateLimit"))
}

type failure struct {
	Success bool
	Error   string
	Code    string
	Message string
	Details map[string]string
}

// fails sends the request and returns the error of the answer, which must have the status.
func (d *frontEnd) fails(t *testing.T, status int, r *http.Request) (answer, failure) {
	t.Helper()
	res := d.do(t, r)
	require.Equal(t, status, res.StatusCode, res.Body)
	var f failure
	require.NoError(t, json.Unmarshal([]byte(res.Body), &f), res.Body)
	assert.False(t, f.Success)
	assert.NotEmpty(t, f.Error)
	assert.NotEmpty(t, f.Message)
	return res, f
}

func TestHandler_AnswersAnExtraction(t *testing.T) {
	t.Parallel()
	d := mustNew(t, nil)
	var ok gen.Extract200JSONResponse
	ok.Body = gen.ExtractionResult{Success: true, Text: tricky, PointsUsed: 10}
	d.server.extract = returns(ok, nil)
	res := d.do(t, extraction(`{"imageUrl":"https://images.example.org/a.jpg","language":"de-Latf","enhance":true,"format":"alto"}`))
	require.Equal(t, http.StatusOK, res.StatusCode, res.Body)
	assert.Equal(t, `"account";r=59;t=42`, res.Header.Get("RateLimit"))
	assert.Equal(t, `"account";q=60;w=60`, res.Header.Get("RateLimit-Policy"))
	assert.Equal(t, strconv.Itoa(len(res.Body)), res.Header.Get("Content-Length"))
	assert.Contains(t, res.Body, `<b> & `, "JSON is not escaped for HTML")
	var got gen.ExtractionResult
	require.NoError(t, json.Unmarshal([]byte(res.Body), &got))
	assert.Equal(t, tricky, got.Text)
}

// tricky is a text with what looks like escapes of JSON.
const tricky = `<b> & "\u003c" \\u003e \ &amp;`

// One copy of an inline image is held: the decoded one. Growing with what arrives may allocate half as much again on the way.
// The test must not run in parallel, because it measures what the whole process allocates.
func TestHandler_HoldsAnInlineImageOnce(t *testing.T) {
	const size = 20 << 20
	var before, held, after runtime.MemStats
	d := mustNew(t, nil)
	d.server.extract = func(ctx context.Context, req gen.ExtractRequestObject) (gen.ExtractResponseObject, error) {
		image, ok := request.InlineImage(ctx, req.Body.ImageURL)
		assert.True(t, ok)
		assert.Len(t, image, size)
		runtime.GC()
		runtime.ReadMemStats(&held)
		return nil, contract.Overloaded(time.Second, nil)
	}
	r := extraction(`{"imageUrl":"data:image/png;base64,` + strings.Repeat("AAAA", size/3) + `AAA="}`)
	runtime.GC()
	runtime.ReadMemStats(&before)
	d.ServeHTTP(httptest.NewRecorder(), r)
	runtime.ReadMemStats(&after)
	assert.Less(t, held.HeapAlloc-before.HeapAlloc, uint64(size+size/20))
	assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(size*3/2+size/10))
}

func TestNew_RefusesInvalidOptions(t *testing.T) {
	t.Parallel()
	for name, o := range map[string]edge.Options{
		"no server":                         {Gate: &gate{}},
		"no gate":                           {Server: &server{}},
		"an origin with a path":             {Gate: &gate{}, Server: &server{}, CORSOrigins: []string{"https://example.org/"}},
		"a route without a method":          {Gate: &gate{}, Server: &server{}, Routes: map[string]http.Handler{"/x": http.NotFoundHandler()}},
		"a route inside the versioned path": {Gate: &gate{}, Server: &server{}, Routes: map[string]http.Handler{"GET /api/v1/x": http.NotFoundHandler()}},
		"a route that exists already":       {Gate: &gate{}, Server: &server{}, Routes: map[string]http.Handler{"GET /docs": http.NotFoundHandler()}},
	} {
		t.Run("refuses "+name, func(t *testing.T) {
			t.Parallel()
			_, err := edge.New(o)
			assert.Error(t, err)
		})
	}
}

func TestHandler_PassesTheRequestToTheServer(t *testing.T) {
	t.Parallel()
	d := mustNew(t, nil)
	var got gen.ExtractRequestObject
	var caller edge.Caller
	d.server.extract = func(ctx context.Context, req gen.ExtractRequestObject) (gen.ExtractResponseObject, error) {
		got, caller = req, edge.CallerFrom(ctx)
		return nil, contract.Insufficient(2, clock, contract.LimitedByAccount)
	}
	d.fails(t, http.StatusPaymentRequired, extraction(smallBody, "Idempotency-Key", "k-1", "X-Request-Id", "trace-7"))
	require.NotNil(t, got.Body)
	var want gen.ExtractionRequest
	require.NoError(t, json.Unmarshal([]byte(smallBody), &want))
	assert.Equal(t, want, *got.Body)
	require.NotNil(t, got.Params.IdempotencyKey)
	assert.Equal(t, "k-1", *got.Params.IdempotencyKey)
	assert.Equal(t, "acc_1", caller.AccountID)
	assert.Equal(t, "trace-7", caller.RequestID)
	assert.EqualValues(t, 59, caller.Window.Remaining)
}

func TestHandler_BoundsTheMemoryForImages(t *testing.T) {
	t.Parallel()
	d := mustNew(t, func(o *edge.Options) { o.Memory = 40 << 20 })
	started, release, ended := make(chan struct{}), make(chan struct{}), make(chan struct{})
	d.server.extract = func(context.Context, gen.ExtractRequestObject) (gen.ExtractResponseObject, error) {
		started <- struct{}{}
		<-release
		return nil, contract.Overloaded(time.Second, nil)
	}
	image := `{"imageUrl": "data:image/png;base64,` + strings.Repeat("A", 26<<20) + `"`
	go func() {
		d.ServeHTTP(httptest.NewRecorder(), extraction(image+"}"))
		ended <- struct{}{}
	}()
	<-started
	res, f := d.fails(t, http.StatusInternalServerError, extraction(image+"}"))
	assert.Equal(t, "5", res.Header.Get("Retry-After"))
	assert.Contains(t, f.Message, "busy")
	_, f = d.fails(t, http.StatusBadRequest, extraction(image+`, "language": 7}`))
	assert.Contains(t, f.Details, "language", "the shape is checked all the same, and comes first")
	d.fails(t, http.StatusBadRequest, extraction(image[:len(image)-2]+`!"}`))
	go func() {
		d.ServeHTTP(httptest.NewRecorder(), extraction(smallBody))
		ended <- struct{}{}
	}()
	<-started // a request without an image needs no memory
	for range 2 {
		release <- struct{}{}
		<-ended
	}
	go func() { <-started; release <- struct{}{} }()
	d.fails(t, http.StatusInternalServerError, extraction(image+"}")) // from the server: there is memory again
}

func TestHandler_GivesLateAnswersTheirOwnDeadline(t *testing.T) {
	t.Parallel()
	d := mustNew(t, nil)
	d.server.extract = func(context.Context, gen.ExtractRequestObject) (gen.ExtractResponseObject, error) {
		time.Sleep(60 * time.Millisecond)
		return nil, contract.Overloaded(time.Second, nil)
	}
	s := httptest.NewUnstartedServer(d)
	s.Config.WriteTimeout = 20 * time.Millisecond
	s.Start()
	t.Cleanup(s.Close)
	r := extraction(smallBody)
	out, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+r.URL.Path, r.Body)
	require.NoError(t, err)
	out.Header = r.Header
	res, err := s.Client().Do(out)
	require.NoError(t, err)
	require.NoError(t, res.Body.Close())
	assert.Equal(t, http.StatusInternalServerError, res.StatusCode)
}
