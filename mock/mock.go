// Package mock is a server that implements the contract, for client teams. It needs neither database nor OCR, and gives the
// same answers every time. It shares internal/edge and internal/contract with the real service, so that keys, limits, shapes
// and errors are those of production; points, windows, replays of an Idempotency-Key and the monthly reset work as they do
// there.
//
// An answer is a pure function of the request, the scenario that the request asks for, and the history of its key. Each
// key has its own account; a suffix (ocr_test_ok_anything) makes another key, so that tests running in parallel do not
// affect each other. The clock stands still at Epoch until a test moves it.
//
// The mock neither fetches nor reads images: texts come from fixtures, chosen by a hash of the request.
//
// Start with scenario.go for what the mock does on request, server.go for the two operations, state.go for what it
// remembers. README.md is the manual for its users.
package mock

import (
	"cmp"
	"context"
	"encoding/base32"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"time"

	"uncial/internal/apidocs"
	"uncial/internal/contract"
	"uncial/internal/edge"
	"uncial/internal/tryit"
	"uncial/mock/folder"
)

// Epoch is the time on the frozen clock.
var Epoch = time.Date(2026, 1, 15, 12, 0, 0, 0, time.UTC)

// Options of a mock. The zero value is usable.
type Options struct {
	// RealClock lets the clock run. Default: it stands still at Epoch until POST /__mock/clock moves it.
	RealClock bool
	// Latency before the answers of the two operations, unless a scenario sets a delay. Default: none.
	Latency Latency
	// Seed changes which text belongs to which image, and the latencies. Default: 0.
	Seed uint64
	// FaultRate is the share of answers, 0 to 1, that get one of Faults; the seed chooses which ones. Default: 0.
	FaultRate float64
	// Faults are the faults that FaultRate chooses from. Default: AllFaults.
	Faults []Fault
	// Fixtures are your own pages, from LoadFixtures. Default: none.
	Fixtures *folder.Folder
	// ControlAnywhere opens /__mock/ to other machines. Default: loopback only.
	ControlAnywhere bool
	// CORSOrigins are the web origins whose pages may call the mock, such as "https://example.org". Default: "*", all.
	CORSOrigins []string
	// Logger receives one line per request. Default: no log.
	Logger *slog.Logger
}

// Latency is a range of durations, both ends included. Each end is limited to 0 to 30 s.
type Latency struct{ Min, Max time.Duration }

// at returns the latency of the n-th request with a key. Latencies are distributed evenly over the range.
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
	state   *state
	handler http.Handler
}

var _ http.Handler = (*Mock)(nil)

// New makes a mock whose keys are all in their initial state. It panics if a CORS origin is invalid.
func New(o Options) *Mock {
	if o.CORSOrigins == nil {
		o.CORSOrigins = []string{"*"}
	}
	if o.Faults == nil {
		o.Faults = AllFaults()
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	m := &Mock{options: o, state: newState(!o.RealClock, Epoch)}
	handler, err := edge.New(edge.Options{
		Server:      &server{m.state, o.Seed, o.Latency, o.Fixtures},
		Gate:        m.state,
		Logger:      o.Logger,
		CORSOrigins: o.CORSOrigins,
		Site:        site,
		Routes:      m.control(),
		RequestID:   func(r *http.Request) string { return exchangeFrom(r.Context()).id(r) },
	})
	if err != nil {
		panic(err)
	}
	m.handler = handler
	return m
}

// languageNames are the English names of the fixtures' languages. A test compares them with package name, whose tables of all
// languages would take too much memory.
var languageNames = map[string]string{
	"de": "German", "de-Latf": "German (Fraktur)", "en": "English", "enm": "Middle English", "es": "Spanish", "fr": "French",
	"frm": "Middle French", "grc": "Ancient Greek", "it": "Italian", "la": "Latin", "nl": "Dutch", "pt": "Portuguese",
}

// languageName returns the name of a language for people, or its tag.
func languageName(tag string) string { return cmp.Or(languageNames[tag], tag) }

// site describes the mock for the API reference.
func site(context.Context) apidocs.Site {
	return apidocs.Site{IsMock: true, Plans: contract.DefaultPlans(), Languages: tryit.Choices(supported(), languageName)}
}

// exchange holds what the mock needs to know about a request and its response beyond what internal/edge passes to a server. It
// is in the context of the request.
type exchange struct {
	token  string      // the bearer token as sent, well-formed or not
	prefer []string    // values of the Prefer headers
	header http.Header // of the response
	fault  Fault       // of the response
	sequence
}

// id returns a digest of the request and its sequence: every start of the mock and parallel test runs give the same ids, and
// no two requests share one.
func (x *exchange) id(r *http.Request) string {
	h := digest("request", r.Method, r.URL.Path, r.URL.RawQuery, x.token,
		strconv.FormatUint(x.generation, 10), strconv.FormatUint(x.number, 10))
	return base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(h[:])
}

// announce tells the client which preferences the answer honours (RFC 7240, section 3), and gives the answer the fault of
// its image or header, unless its key or the fault rate has chosen one. Replays of an Idempotency-Key are not announced, so
// that the repeat of a request whose answer was lost succeeds.
func (x *exchange) announce(e effect) {
	if len(e.applied) > 0 {
		x.header.Set("Preference-Applied", strings.Join(e.applied, ", "))
	}
	if x.fault == (Fault{}) {
		x.fault = e.network
	}
}

// exchangeKey is the key of the exchange in the context of a request.
type exchangeKey struct{}

func exchangeFrom(ctx context.Context) *exchange {
	x, _ := ctx.Value(exchangeKey{}).(*exchange)
	return x
}

const apiPath = "/api/v1/"

// ServeHTTP numbers the request, answers it, and adds it to the journal if it is one of the API.
func (m *Mock) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	x := &exchange{token: bearer(r.Header), prefer: r.Header.Values("Prefer"), header: w.Header()}
	isAPI := strings.HasPrefix(r.URL.Path, apiPath)
	x.sequence = m.state.nextSequence(r, x.token, isAPI)
	r = r.WithContext(context.WithValue(r.Context(), exchangeKey{}, x))
	if !isAPI {
		m.handler.ServeHTTP(w, r)
		return
	}
	if x.fault = m.state.scenario(x.token).fault; x.fault == (Fault{}) {
		x.fault = m.options.randomFault(x.token, x.number)
	}
	response := &answerRecorder{ResponseWriter: w, exchange: x}
	m.serveRecorded(response, r, x)
	if response.held != nil {
		x.fault.send(w, r, heldAnswer{response.status, w.Header(), response.held.Bytes()})
	}
}

// serveRecorded answers the request, holds the answer if it has a fault, and adds both to the journal.
func (m *Mock) serveRecorded(w *answerRecorder, r *http.Request, x *exchange) {
	body := &copiedBody{ReadCloser: r.Body}
	r.Body = body
	defer func() { m.record(r, x, body, w.status) }()
	m.handler.ServeHTTP(w, r)
}

// record adds the request to the journal. The headers are copied, because a caller in the same process may change them later.
func (m *Mock) record(r *http.Request, x *exchange, body *copiedBody, status int) {
	headers := r.Header
	if r.Context().Value(http.ServerContextKey) == nil {
		headers = headers.Clone()
	}
	s := m.state
	s.mu.Lock()
	defer s.mu.Unlock()
	if x.fault.kind != "" {
		s.countFault(x.token, x.fault.kind)
	}
	s.journal.add(record{
		ID: x.header.Get("X-Request-Id"), Key: x.token, Time: s.now(s.keys[x.token]), Method: r.Method, Path: r.URL.Path,
		Query: r.URL.RawQuery, Headers: headers, Body: string(body.kept), Truncated: body.more, Status: status,
		Fault: x.fault.String(),
	})
}

// bearer returns the token of the Authorization header, whatever its scheme and form.
func bearer(h http.Header) string {
	_, token, _ := strings.Cut(h.Get("Authorization"), " ")
	return strings.Trim(token, " ")
}
