package mock_test

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"uncial/mock"
)

// session returns 200 requests of every kind. Their keys end in the suffix; requests without a key have it in their query.
// It uses only control endpoints that affect a single key.
func session(suffix string) []*http.Request {
	key := func(scenario string) string { return "ocr_test_" + scenario + suffix }
	at := func(path string) string { return path + "?run=" + suffix }
	languages := []string{"en", "de-Latf", "grc", "en-GB", "tlh"}
	formats := []string{"json", "hocr", "alto", "page", "tsv", "pdf", "docx"}
	images := append([]string{"printed", "handwritten", "difficult", "blank", "multi-page", "slow-3", "nothing"}, "400", "401", "402", "429", "500", "busy")
	keys := []string{"ok", "low", "empty", "expired", "ratelimited", "err", "free", "archive"}
	prefer := []string{"", "seed=7", "code=500", "example=minimal, delay=2", "code=418"}
	var all []*http.Request
	for i := 0; len(all) < 188; i++ {
		body := fmt.Sprintf(`{"imageUrl":"http://mock.invalid/%s?%d","language":"%s","format":"%s","enhance":%t}`,
			images[i%len(images)], i%7, languages[i%len(languages)], formats[i%len(formats)], i%2 == 0)
		r := extractionAt("", key(keys[i%len(keys)]), body)
		if p := prefer[i%len(prefer)]; p != "" {
			r.Header.Set("Prefer", p)
		}
		if i%4 == 0 {
			r.Header.Set("Idempotency-Key", fmt.Sprint(i%24))
		}
		all = append(all, r)
		if i%3 == 0 {
			all = append(all, statusAt("", key(keys[i%len(keys)])))
		}
		if i%20 == 0 {
			all = append(all, control(http.MethodPost, "/__mock/clock?key="+key("ok"), `{"advance":"59s"}`))
		}
	}
	return append(all,
		control(http.MethodPut, "/__mock/keys/"+key("mine"), `{"balance":15,"limit":2}`),
		extractionAt("", key("mine"), image("printed")),
		extractionAt("", key("mine"), image("printed")),
		extractionAt("", key("mine"), image("printed")),
		extractionAt("", "nobody"+suffix, image("printed")),
		extractionAt("", key("ok"), `{"imageUrl":`),
		extractionAt("", key("ok"), `{"imageUrl":"data:image/png;base64,aGVsbG8="}`),
		request(http.MethodGet, at("/api/v1/status"), "", "X-Request-Id", "not usable"),
		request(http.MethodGet, at("/nothing"), ""),
		request(http.MethodDelete, at("/api/v1/status"), ""),
		request(http.MethodGet, at("/openapi.yaml"), ""),
		request(http.MethodGet, at("/healthz"), ""),
	)
}

var date = regexp.MustCompile(`(?m)^Date: .*\r\n`)

// play sends the requests over one connection and returns the raw responses without their Date headers.
func play(address string, requests []*http.Request) ([]string, error) {
	conn, err := net.DialTimeout("tcp", address, 5*time.Second)
	if err != nil {
		return nil, err
	}
	defer func() { _ = conn.Close() }()
	var raw bytes.Buffer
	in := bufio.NewReader(io.TeeReader(conn, &raw))
	answers := make([]string, 0, len(requests))
	for _, r := range requests {
		if err := conn.SetDeadline(time.Now().Add(10 * time.Second)); err != nil {
			return nil, err
		}
		raw.Reset()
		if err := r.Write(conn); err != nil {
			return nil, err
		}
		res, err := http.ReadResponse(in, r)
		if err != nil {
			return nil, err
		}
		if _, err := io.Copy(io.Discard, res.Body); err != nil {
			return nil, err
		}
		_ = res.Body.Close()
		answers = append(answers, date.ReplaceAllString(raw.String(), ""))
	}
	return answers, nil
}

func TestCommand_TwoStartsGiveTheSameBytes(t *testing.T) {
	t.Parallel()
	first, second := MustStart(t), MustStart(t)
	requests := session("")
	require.GreaterOrEqual(t, len(requests), 200)
	a, err := play(strings.TrimPrefix(first.base, "http://"), requests)
	require.NoError(t, err)
	b, err := play(strings.TrimPrefix(second.base, "http://"), session(""))
	require.NoError(t, err)
	statuses := map[string]int{}
	for i := range a {
		require.Equal(t, a[i], b[i], "request %d: %s %s", i, requests[i].Method, requests[i].URL)
		statuses[a[i][9:12]]++
	}
	for _, status := range []string{"200", "400", "401", "402", "404", "405", "429", "500"} {
		require.NotZero(t, statuses[status], "the session has a %s", status)
	}
}

// The digest covers every kind of page in every language and format. If it changes, clients get different bytes from before, or
// bytes that depend on the processor.
func TestMock_SameBytesOnEveryMachine(t *testing.T) {
	t.Parallel()
	const want = "c5c0a92a398a830b365d8d48cba6dd1a5162033a3c6fadfb1573617276d64785"
	m := mock.New(mock.Options{})
	raiseLimits(t, m, benchKey)
	sum := sha256.New()
	for _, tag := range []string{"de", "de-Latf", "en", "enm", "es", "fr", "frm", "grc", "it", "la", "nl", "pt"} {
		for _, page := range []string{"printed", "handwritten", "difficult", "blank", "low-confidence", "multi-page", "illustrated"} {
			for i, format := range []string{"json", "text", "hocr", "alto", "page", "tsv", "pdf"} {
				a := do(t, m, 200, extractionAt("", benchKey, fmt.Sprintf(
					`{"imageUrl":"http://mock.invalid/%s/%d","language":"%s","format":"%s","enhance":%t}`, page, i, tag, format, i%2 == 0)))
				_, _ = fmt.Fprintln(sum, *a.Text, a.Confidence, a.Edits, a.Document, a.ProcessingTime)
			}
		}
	}
	require.Equal(t, want, fmt.Sprintf("%x", sum.Sum(nil)))
}

func TestMock_ParallelRuns(t *testing.T) {
	t.Parallel()
	shared := httptest.NewServer(mock.New(mock.Options{}))
	t.Cleanup(shared.Close)
	const runs = 8
	together, alone := make([][]string, runs), make([][]string, runs)
	errs := make([]error, 2*runs)
	var wg sync.WaitGroup
	for i := range runs {
		wg.Go(func() {
			together[i], errs[i] = play(shared.Listener.Addr().String(), session(fmt.Sprintf("_run%d", i)))
		})
	}
	wg.Wait()
	for i := range runs {
		own := httptest.NewServer(mock.New(mock.Options{}))
		alone[i], errs[runs+i] = play(own.Listener.Addr().String(), session(fmt.Sprintf("_run%d", i)))
		own.Close()
	}
	for _, err := range errs {
		require.NoError(t, err)
	}
	for i := range runs {
		require.Len(t, together[i], len(alone[i]))
		for n := range alone[i] {
			require.Equal(t, alone[i][n], together[i][n], "run %d, request %d", i, n)
		}
	}
}

func TestMock_RequestIDs(t *testing.T) {
	t.Parallel()
	m := mock.New(mock.Options{})
	given := map[string]string{}
	send := func(r *http.Request) {
		t.Helper()
		w := httptest.NewRecorder()
		m.ServeHTTP(w, r)
		id := w.Header().Get("X-Request-Id")
		require.NotEmpty(t, id)
		require.Empty(t, given[id], "%s %s has the id of another request", r.Method, r.URL)
		given[id] = r.Method + " " + r.URL.String()
	}
	for range 2 {
		for _, r := range session("") {
			send(r)
		}
	}
	for i := range 2 * 2048 { // more than the mock counts, with and without a key
		send(statusAt("", fmt.Sprintf("nobody%d", i%2500)))
		send(statusAt("", fmt.Sprintf("ocr_test_ok_%d", i%2500)))
		send(request(http.MethodGet, "/healthz", ""))
	}
}

func TestMock_RequestUnchanged(t *testing.T) {
	t.Parallel()
	m := mock.New(mock.Options{})
	r := extractionAt("", "ocr_test_ok", image("printed"))
	before := r.Header.Clone()
	do(t, m, 200, r)
	require.Equal(t, before, r.Header)
	r.Header.Set("X-Trace", "later")
	require.NotContains(t, journal(t, m, "")[0]["headers"], "X-Trace", "the journal has the headers as sent")
}
