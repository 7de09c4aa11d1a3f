// Package mock is a server of the contract for client teams: no database, no OCR, the same answers every time. It
// stands behind the same door as the real service, so that keys, limits, shapes and errors are those of production;
// points, windows, idempotent replays and the monthly reset happen as they do there.
//
// What it answers is a pure function of the request, the scenario that the request asks for and the history of its
// key. Every key has an account of its own; a suffix (ocr_test_ok_anything) makes another, so that tests that run in
// parallel never meet. Its clock stands still at Epoch until a test moves it.
//
// It does not read images, and it fetches none: the text comes from fixtures, chosen by a hash of the request.
package mock

import (
	"context"
	"encoding/base32"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"time"

	"uncial/internal/edge"
)

// Epoch is what the frozen clock shows.
var Epoch = time.Date(2026, 1, 15, 12, 0, 0, 0, time.UTC)

// Options make a mock. The zero value is good.
type Options struct {
	// RealClock lets the clock run. Default: it stands still at Epoch, until POST /__mock/clock moves it.
	RealClock bool
	// Latency before the answers of the two operations, where no scenario says otherwise. Default: none.
	Latency Latency
	// Seed changes which text stands on which image, and the latencies. Default: 0.
	Seed uint64
	// ControlAnywhere opens /__mock/ to other machines. Default: only this one.
	ControlAnywhere bool
	// CORSOrigins are the web origins whose pages may call the mock, such as "https://example.org". Default: "*", all.
	CORSOrigins []string
	// Logger receives one line for each request. Default: none.
	Logger *slog.Logger
}

// Latency is a range; both ends the same is a fixed one. Each is brought between 0 and 30 s.
type Latency struct{ Min, Max time.Duration }

// at is the latency of the n-th request of a key, evenly distributed over the range.
func (l Latency) at(seed uint64, key string, n uint64) time.Duration {
	low := min(max(l.Min, 0), maxDelay)
	high := min(max(l.Max, low), maxDelay)
	if high == low {
		return low
	}
	h := digest("latency", strconv.FormatUint(seed, 10), key, strconv.FormatUint(n, 10))
	return low + time.Duration(h.number()%uint64(high-low+1))
}

// Mock is the handler. It is safe for concurrent use.
type Mock struct {
	options Options
	world   *world
	door    http.Handler
}

var _ http.Handler = (*Mock)(nil)

// maxInFlight is for bodies of 28 MiB, or 28 times as many small ones, of which one key may have a quarter: 1,792 slow
// extractions at a time.
const maxInFlight = 256

// New makes a mock, with all its keys in their first state. It panics where one of CORSOrigins is none.
func New(o Options) *Mock {
	if o.CORSOrigins == nil {
		o.CORSOrigins = []string{"*"}
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	m := &Mock{options: o, world: newWorld(!o.RealClock, Epoch)}
	door, err := edge.New(edge.Options{
		Server:      &server{m.world, o.Seed, o.Latency},
		Gate:        m.world,
		Logger:      o.Logger,
		CORSOrigins: o.CORSOrigins,
		Routes:      m.control(),
		MaxInFlight: maxInFlight,
		RequestID:   func(r *http.Request) string { return visitFrom(r.Context()).id(r) },
	})
	if err != nil {
		panic(err) // a mistake in the program: an origin that is none, or the document built into it is broken
	}
	m.door = door
	return m
}

// visit is what the mock knows of a request beside what the door does.
type visit struct {
	token  string      // the bearer token as it was sent
	prefer []string    // values of the Prefer headers
	header http.Header // of the answer
	place
}

// id is a digest of the request and its place: two starts and parallel runs give the same ids, and no two requests share one.
func (v *visit) id(r *http.Request) string {
	h := digest("request", r.Method, r.URL.Path, r.URL.RawQuery, v.token, strconv.FormatUint(v.era, 10), strconv.FormatUint(v.number, 10))
	return base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(h[:])
}

// announce tells the client which preferences have a part in the answer (RFC 7240, section 3).
func (v *visit) announce(applied []string) {
	if len(applied) > 0 {
		v.header.Set("Preference-Applied", strings.Join(applied, ", "))
	}
}

type visitKey struct{}

func visitFrom(ctx context.Context) *visit {
	v, _ := ctx.Value(visitKey{}).(*visit)
	return v
}

const apiPath = "/api/v1/"

// ServeHTTP gives the request its place, lets the door answer it, and notes it in the journal.
func (m *Mock) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	v := &visit{token: bearer(r.Header), prefer: r.Header.Values("Prefer"), header: w.Header()}
	called := strings.HasPrefix(r.URL.Path, apiPath)
	v.place = m.world.arrive(r, v.token, called)
	r = r.WithContext(context.WithValue(r.Context(), visitKey{}, v))
	if !called {
		m.door.ServeHTTP(w, r)
		return
	}
	body, answer := &copied{ReadCloser: r.Body}, &watched{ResponseWriter: w}
	r.Body = body
	defer func() { m.note(r, v, body, answer.status) }()
	m.door.ServeHTTP(answer, r)
}

// note writes the request into the journal. Headers that a server has read are nobody else's; those of a caller in the same
// process may change later.
func (m *Mock) note(r *http.Request, v *visit, body *copied, status int) {
	headers := r.Header
	if r.Context().Value(http.ServerContextKey) == nil {
		headers = headers.Clone()
	}
	m.world.mu.Lock()
	defer m.world.mu.Unlock()
	m.world.journal.add(record{
		ID: v.header.Get("X-Request-Id"), Key: v.token, Time: m.world.now(m.world.keys[v.token]), Method: r.Method, Path: r.URL.Path,
		Query: r.URL.RawQuery, Headers: headers, Body: string(body.kept), Truncated: body.more, Status: status,
	})
}

// bearer is the token that the request carries, whether the door likes its form or not.
func bearer(h http.Header) string {
	_, token, _ := strings.Cut(h.Get("Authorization"), " ")
	return strings.Trim(token, " ")
}
