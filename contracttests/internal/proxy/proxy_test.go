package proxy_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"uncial/contracttests"
	"uncial/contracttests/internal/har"
	"uncial/contracttests/internal/liar"
	"uncial/contracttests/internal/proxy"
	"uncial/mock"
)

func honest() http.Handler { return mock.New(mock.Options{}) }

// mustProxy starts a proxy in front of a server and returns its address. stop ends both and returns the report.
func mustProxy(tb testing.TB, server http.Handler, o proxy.Options) (address string, stop func() proxy.Report) {
	tb.Helper()
	behind := httptest.NewServer(server)
	o.To = behind.URL + "/api/v1"
	p, err := proxy.New(tb.Context(), o)
	require.NoError(tb, err)
	front := httptest.NewServer(p)
	stop = sync.OnceValue(func() proxy.Report {
		front.Close()
		report := p.Close()
		behind.Close()
		return report
	})
	tb.Cleanup(func() { stop() })
	return front.URL, stop
}

// call is a request of the traffic. A body makes it a POST to /extract, otherwise it is a GET of /status.
type call struct{ key, body, idempotencyKey string }

// traffic is what a client of the API might send: it sees the answers 200, 400, 401, 402 and 429, three formats and a repeat.
// All requests are valid.
var traffic = []call{
	{key: "ok", body: `{"imageUrl":"http://mock.invalid/printed"}`},
	{key: "ok", body: `{"imageUrl":"http://mock.invalid/printed","format":"alto"}`, idempotencyKey: "a"},
	{key: "ok", body: `{"imageUrl":"http://mock.invalid/printed","format":"alto"}`, idempotencyKey: "a"},
	{key: "ok", body: `{"imageUrl":"http://mock.invalid/printed","format":"text"}`, idempotencyKey: "b"},
	{key: "ok", body: `{"imageUrl":"http://mock.invalid/difficult","enhance":true,"format":"page","language":"de"}`},
	{key: "ok", body: `{"imageUrl":"http://mock.invalid/blank","format":"tsv"}`},
	{key: "ok", body: `{"imageUrl":"http://mock.invalid/400"}`},
	{key: "ok"},
	{key: "revoked"},
	{key: "empty", body: `{"imageUrl":"http://mock.invalid/printed"}`},
	{key: "ratelimited", body: `{"imageUrl":"http://mock.invalid/printed"}`},
	{key: "err"},
}

// mustSend sends the call and returns the answer.
func mustSend(tb testing.TB, client *http.Client, address string, c call) (status int, header http.Header, body []byte) {
	tb.Helper()
	method, path := http.MethodGet, "/api/v1/status"
	var sent io.Reader
	if c.body != "" {
		method, path, sent = http.MethodPost, "/api/v1/extract", strings.NewReader(c.body)
	}
	r, err := http.NewRequestWithContext(tb.Context(), method, address+path, sent)
	require.NoError(tb, err)
	r.Header.Set("Authorization", "Bearer ocr_test_"+c.key+"_traffic")
	if c.body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	if c.idempotencyKey != "" {
		r.Header.Set("Idempotency-Key", c.idempotencyKey)
	}
	res, err := client.Do(r)
	require.NoError(tb, err)
	defer func() { _ = res.Body.Close() }()
	body, err = io.ReadAll(res.Body)
	require.NoError(tb, err)
	return res.StatusCode, res.Header, body
}

func TestProxy_honestTraffic(t *testing.T) {
	t.Parallel()
	address, stop := mustProxy(t, honest(), proxy.Options{})
	for _, c := range traffic {
		mustSend(t, http.DefaultClient, address, c)
	}
	report := stop()
	assert.Zero(t, report.Violations, report.Kinds)
	assert.Equal(t, len(traffic), report.Exchanges)
	var names []string
	for _, k := range report.Kinds {
		names = append(names, k.Name)
	}
	assert.Equal(t, []string{"extract/200", "extract/400", "extract/402", "extract/429", "status/200", "status/401", "status/500"}, names)
}

// TestProxy_origins sends requests of pages, whose origins the answers repeat, even that of a page on the developer's machine.
func TestProxy_origins(t *testing.T) {
	t.Parallel()
	address, stop := mustProxy(t, mock.New(mock.Options{CORSOrigins: []string{"http://localhost:3000"}}), proxy.Options{})
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address+"/api/v1/status", nil)
	require.NoError(t, err)
	r.Header = http.Header{"Authorization": {"Bearer ocr_test_ok_origin"}, "Origin": {"http://localhost:3000"}}
	res, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	require.NoError(t, res.Body.Close())
	require.Equal(t, "http://localhost:3000", res.Header.Get("Access-Control-Allow-Origin"))
	report := stop()
	assert.Equal(t, 1, report.Exchanges)
	assert.Zero(t, report.Violations, report.Kinds)
}

// TestProxy_findsPlantedViolations sends the same valid traffic to servers that each break the contract in one way.
func TestProxy_findsPlantedViolations(t *testing.T) {
	t.Parallel()
	defects, err := liar.Defects()
	require.NoError(t, err)
	for does, c := range map[string]struct{ kind, problem string }{
		"extract 200: leaves out /confidence":                     {"extract/200", "/confidence: is missing"},
		"extract 400: answers with status 422":                    {"extract/422", "must answer with one of 200, 400, 401, 402, 429, 500, not with 422"},
		"extract 400: adds the header Retry-After":                {"extract/400", "the header Retry-After must not be part of a 400"},
		"leaves Cache-Control out of a repeat":                    {"extract/200", "the header Cache-Control is missing"},
		"reports another processing time in a repeat":             {"extract/200", "a repeat with the same Idempotency-Key got a different answer"},
		"ignores the Idempotency-Key":                             {"extract/200", "a repeat with the same Idempotency-Key got a different answer"},
		"sends a document with text":                              {"extract/200", `the format "text" has none`},
		"always sends the same X-Request-Id":                      {"extract/200", "was used for an earlier exchange"},
		"compresses results that no client offered to decompress": {"extract/200", "Content-Encoding"},
		"status 200: leaves out /pointsRemaining":                 {"status/200", "/pointsRemaining: is missing"},
		"extract 429: leaves out the header Retry-After":          {"extract/429", "the header Retry-After is missing"},
		"status 401: leaves out the header WWW-Authenticate":      {"status/401", "the header WWW-Authenticate is missing"},
	} {
		i := slices.IndexFunc(defects, func(d liar.Defect) bool { return d.Does == does })
		if i < 0 {
			t.Logf("no defect %q", does)
			t.Fail()
			continue
		}
		t.Run(does, func(t *testing.T) {
			t.Parallel()
			var mu sync.Mutex
			var seen []proxy.Violation
			address, stop := mustProxy(t, liar.New(honest(), defects[i]), proxy.Options{Violation: func(v proxy.Violation) {
				mu.Lock()
				defer mu.Unlock()
				seen = append(seen, v)
			}})
			plain := &http.Client{Transport: &http.Transport{DisableCompression: true}}
			defer plain.CloseIdleConnections()
			for _, x := range traffic {
				mustSend(t, plain, address, x)
			}
			report := stop()
			assert.Len(t, seen, report.Violations, "reported as they happen and at the end")
			assert.True(t, slices.ContainsFunc(seen, func(v proxy.Violation) bool {
				return v.Kind == c.kind && v.Side == "answer" && strings.Contains(v.Problem, c.problem)
			}), seen)
		})
	}
}

// TestProxy_isTransparent runs the whole suite through the proxy: the suite notices no difference, and although it sends
// hundreds of invalid requests, no answer breaks the contract.
func TestProxy_isTransparent(t *testing.T) {
	t.Parallel()
	var archive bytes.Buffer
	writer := har.NewWriter(&archive, "test", "1")
	address, stop := mustProxy(t, honest(), proxy.Options{AllowInvalidRequests: true, Archive: writer})
	target, err := contracttests.Mock(t.Context(), address+"/api/v1")
	require.NoError(t, err)
	require.NotNil(t, target.Control, "the control routes pass through too")
	// The others move the clock, which a proxy cannot observe, or send what is not HTTP, which the proxy does not pass on.
	target.Only = "^(extract|status|elsewhere/40[45]|elsewhere/document)/?"
	suite := contracttests.Check(t.Context(), target)
	require.NoError(t, suite.Err())
	report := stop()
	for _, k := range report.Kinds {
		if k.Name == "extract/200" || k.Name == "extract/no-answer" { // cases about lost answers provoke violations
			k.Examples = slices.DeleteFunc(k.Examples, func(v proxy.Violation) bool {
				return strings.HasPrefix(v.Problem, "no answer: connection") || strings.HasPrefix(v.Problem, "the answer ended") || strings.HasPrefix(v.Problem, "the body is not JSON")
			})
		}
		assert.Empty(t, k.Examples, k.Name)
	}
	assert.Zero(t, report.Unchecked)
	assert.Greater(t, report.Exchanges, 500)
	require.NoError(t, writer.Close())
	assert.True(t, json.Valid(archive.Bytes()))
	assert.False(t, bytes.Contains(archive.Bytes(), []byte("Bearer ocr_")))
}

func TestProxy_withoutAServer(t *testing.T) {
	t.Parallel()
	p, err := proxy.New(t.Context(), proxy.Options{To: "http://127.0.0.1:1/api/v1"})
	require.NoError(t, err, "it may come later")
	front := httptest.NewServer(p)
	status, _, body := mustSend(t, http.DefaultClient, front.URL, call{key: "ok"})
	front.Close()
	require.Equal(t, http.StatusBadGateway, status)
	require.Contains(t, string(body), "uncial-contract proxy: no answer from the server")
	report := p.Close()
	require.Equal(t, "status/no-answer", report.Kinds[0].Name)
	require.Equal(t, "no answer: connection refused", report.Kinds[0].Examples[0].Problem)
}

// TestProxy_clientHangsUp shows that a client that disconnects early does not count as a violation.
func TestProxy_clientHangsUp(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	server := honest()
	address, stop := mustProxy(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			cancel() // the client leaves while the server works on its request
		}
		server.ServeHTTP(w, r)
	}), proxy.Options{})
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, address+"/api/v1/extract", strings.NewReader(`{"imageUrl":"http://mock.invalid/slow-5000"}`))
	require.NoError(t, err)
	r.Header.Set("Authorization", "Bearer ocr_test_ok_gone")
	r.Header.Set("Content-Type", "application/json")
	_, err = http.DefaultClient.Do(r) //nolint:bodyclose // there is no answer
	require.Error(t, err)
	report := stop()
	assert.Zero(t, report.Violations, report.Kinds)
	assert.Equal(t, 1, report.HungUp)
}

// TestProxy_showsNoKeys looks for the key in everything that the proxy says.
func TestProxy_showsNoKeys(t *testing.T) {
	t.Parallel()
	talkative := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Request-Id", r.Header.Get("Authorization"))
		_, _ = io.WriteString(w, `{"plan":"`+r.Header.Get("Authorization")+`"}`)
	})
	var archive bytes.Buffer
	writer := har.NewWriter(&archive, "test", "1")
	address, stop := mustProxy(t, talkative, proxy.Options{Archive: writer})
	mustSend(t, http.DefaultClient, address, call{key: "ok"})
	report := stop()
	require.NoError(t, writer.Close())
	text, err := json.Marshal(report)
	require.NoError(t, err)
	assert.Contains(t, string(text), "the answer repeats an API key")
	assert.NotContains(t, string(text)+archive.String(), "ocr_test_ok_traffic")
}

// TestProxy_boundsItsMemory sends more large bodies at once than the proxy keeps. All pass; those that cannot be checked are
// counted.
func TestProxy_boundsItsMemory(t *testing.T) {
	t.Parallel()
	const requests, size = 24, 20 << 20
	var waiting sync.WaitGroup
	waiting.Add(requests)
	everybody := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n, _ := io.Copy(io.Discard, r.Body)
		waiting.Done()
		waiting.Wait() // the proxy holds all bodies at the same time
		if n != size {
			w.WriteHeader(http.StatusInternalServerError)
		}
	})
	address, stop := mustProxy(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			everybody.ServeHTTP(w, r)
		}
	}), proxy.Options{})
	var clients sync.WaitGroup
	zeros := make([]byte, size)
	for range requests {
		clients.Go(func() {
			res, err := http.Post(address+"/api/v1/extract", "application/json", bytes.NewReader(zeros))
			if assert.NoError(t, err) {
				assert.Equal(t, http.StatusOK, res.StatusCode)
				_ = res.Body.Close()
			}
		})
	}
	clients.Wait()
	report := stop()
	assert.Equal(t, requests, report.Exchanges+report.Unchecked)
	assert.Positive(t, report.Unchecked)
	assert.GreaterOrEqual(t, report.Exchanges, 12)
}

func TestNew_refusesAddresses(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"ocr.example.org":                       "invalid URL",
		"https://ocr.example.org":               "must end in /api/v1, as in https://ocr.example.org/api/v1",
		"https://me:secret@a.test/api/v1":       "invalid URL",
		"https://ocr.example.org/api/v1?page=1": "invalid URL",
	} {
		_, err := proxy.New(t.Context(), proxy.Options{To: address})
		require.ErrorContains(t, err, want, address)
	}
}

// BenchmarkProxy sends the same requests directly and through the proxy in turns, and reports how much the proxy adds to the
// median. It must stay below 2 ms.
func BenchmarkProxy(b *testing.B) {
	server := httptest.NewServer(honest())
	defer server.Close()
	p, err := proxy.New(b.Context(), proxy.Options{To: server.URL + "/api/v1"})
	require.NoError(b, err)
	front := httptest.NewServer(p)
	var direct, proxied []time.Duration
	for i := 0; b.Loop(); i++ {
		c := call{key: "archive_" + string(rune('a'+i/500%26)), body: `{"imageUrl":"http://mock.invalid/printed","format":"alto"}`}
		for address, all := range map[string]*[]time.Duration{server.URL: &direct, front.URL: &proxied} {
			started := time.Now()
			mustSend(b, http.DefaultClient, address, c)
			*all = append(*all, time.Since(started))
		}
	}
	front.Close()
	p.Close()
	median := func(all []time.Duration) float64 {
		slices.Sort(all)
		return float64(all[len(all)/2].Microseconds()) / 1000
	}
	b.ReportMetric(median(direct), "ms-direct")
	b.ReportMetric(median(proxied)-median(direct), "ms-more")
}
