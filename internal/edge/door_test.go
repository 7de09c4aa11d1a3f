package edge_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"uncial/gen"
	"uncial/internal/edge"
)

const goodKey = "ocr_test_good"

// gate is a Gate with one key and a window that only falls.
type gate struct {
	from      netip.Addr // of the last caller
	remaining int64
	err       error // of everything but the key
}

var clock = time.Date(2026, 1, 1, 0, 0, 18, 0, time.UTC)

func (g *gate) Authenticate(_ context.Context, token string, from netip.Addr) (edge.Principal, error) {
	if g.from = from; token != goodKey {
		return edge.Principal{}, edge.Unauthorized(errors.New("no such key"))
	}
	return edge.Principal{AccountID: "acc_1", KeyID: "key_1", Plan: "pro", Token: token}, nil
}

func (g *gate) Count(ctx context.Context, p edge.Principal) (edge.Window, bool, error) {
	allowed := g.remaining > 0
	g.remaining = max(0, g.remaining-1)
	w, err := g.Window(ctx, p)
	return w, allowed, err
}

func (g *gate) Window(context.Context, edge.Principal) (edge.Window, error) {
	return edge.Window{Limit: 60, Remaining: g.remaining, Reset: clock.Add(42 * time.Second), Now: clock}, g.err
}

func (g *gate) RemainingPoints(context.Context, edge.Principal) (int64, error) { return 9990, g.err }

// server answers with what the test says, or with a minimal success.
type server struct {
	extract func(ctx context.Context, req gen.ExtractRequestObject) (gen.ExtractResponseObject, error)
	status  func(ctx context.Context) (gen.StatusResponseObject, error)
}

func (s *server) Extract(ctx context.Context, req gen.ExtractRequestObject) (gen.ExtractResponseObject, error) {
	if s.extract != nil {
		return s.extract(ctx, req)
	}
	var ok gen.Extract200JSONResponse
	ok.Body = gen.ExtractionResult{Success: true, Text: "a < b & c", Confidence: 0.5, PointsUsed: 10}
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

// door is a door with its parts within reach.
type door struct {
	http.Handler
	gate   *gate
	server *server
	log    *strings.Builder
}

// mustDoor makes a door; change may set further options.
func mustDoor(tb testing.TB, change func(*edge.Options)) *door {
	tb.Helper()
	d := &door{gate: &gate{remaining: 60}, server: &server{}, log: &strings.Builder{}}
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

// request is a good extraction; headers come in pairs, and "" takes a header out.
func request(body string, headers ...string) *http.Request {
	return with(httptest.NewRequest(http.MethodPost, "/api/v1/extract", strings.NewReader(body)), headers...)
}

func with(r *http.Request, headers ...string) *http.Request {
	all := append([]string{"Authorization", "Bearer " + goodKey, "Content-Type", "application/json"}, headers...)
	for i := 0; i < len(all); i += 2 {
		if r.Header.Del(all[i]); all[i+1] != "" {
			r.Header.Set(all[i], all[i+1])
		}
	}
	return r
}

// do sends the request and checks what holds for every answer.
func (d *door) do(t *testing.T, r *http.Request) *http.Response {
	t.Helper()
	rec := httptest.NewRecorder()
	d.ServeHTTP(rec, r)
	res := rec.Result()
	assert.Regexp(t, `^[!-~]{1,128}$`, res.Header.Get("X-Request-Id"))
	assert.Equal(t, "no-store", res.Header.Get("Cache-Control"))
	assert.Equal(t, `</openapi.yaml>; rel="service-desc"`, res.Header.Get("Link"))
	if res.StatusCode >= 400 {
		assert.Equal(t, "application/json", res.Header.Get("Content-Type"))
	}
	return res
}

type failure struct {
	Success bool
	Error   string
	Code    string
	Message string
	Details map[string]string
}

// fails sends the request and returns the error of the answer, which must be of the status.
func (d *door) fails(t *testing.T, status int, r *http.Request) (*http.Response, failure) {
	t.Helper()
	res := d.do(t, r)
	body, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	require.Equal(t, status, res.StatusCode, "%s", body)
	var f failure
	require.NoError(t, json.Unmarshal(body, &f), "%s", body)
	assert.False(t, f.Success)
	assert.NotEmpty(t, f.Error)
	assert.NotEmpty(t, f.Message)
	return res, f
}

func TestDoor_ServeHTTP_succeeds(t *testing.T) {
	t.Parallel()
	d := mustDoor(t, nil)
	res := d.do(t, request(`{"imageUrl":"https://images.example.org/a.jpg","language":"de-Latf","enhance":true,"format":"alto"}`))
	body, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, res.StatusCode, "%s", body)
	assert.Contains(t, string(body), "a < b & c", "JSON is not escaped for HTML")
	assert.Equal(t, `"account";r=59;t=42`, res.Header.Get("RateLimit"))
	assert.Equal(t, `"account";q=60;w=60`, res.Header.Get("RateLimit-Policy"))
}
