package contracttests_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/contracttests"
	"uncial/internal/clienttest"
)

// The clients for Python and TypeScript are tested against the mock in package mock, and here against the real service: every
// error, every reason of fetch that a test can cause on this machine, and damaged answers.

// unfetchable serves an image for each reason of fetch, and returns the URLs by reason.
func unfetchable(tb testing.TB) map[string]string {
	tb.Helper()
	mux := http.NewServeMux()
	status := func(path string, code int) {
		mux.HandleFunc("/"+path, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) })
	}
	status("forbidden", http.StatusForbidden)
	status("server-error", http.StatusBadGateway)
	status("bad-answer", http.StatusTeapot)
	mux.HandleFunc("/redirect", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/redirect", http.StatusFound) })
	mux.HandleFunc("/not-an-image", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "no image at all") })
	mux.HandleFunc("/too-large", func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Content-Length", strconv.Itoa(1<<30)) })
	mux.HandleFunc("/incomplete", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "1000")
		_, _ = io.WriteString(w, "\x89PNG\r\n\x1a\n")
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	})
	base := MustServe(tb, mux)
	urls := map[string]string{
		"tls":             strings.Replace(base, "http:", "https:", 1) + "/page.png",
		"unreachable":     "http://" + mustClosedPort(tb) + "/page.png",
		"refused-address": "http://10.0.0.1/page.png",
	}
	for _, path := range []string{"forbidden", "server-error", "bad-answer", "redirect", "not-an-image", "too-large", "incomplete", "not-found"} {
		urls[path] = base + "/" + path
	}
	// A host of its own, because the service leaves a host alone that asks to wait.
	urls["busy"] = MustServe(tb, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "1")
		w.WriteHeader(http.StatusServiceUnavailable)
	})) + "/busy"
	return urls
}

// mustClosedPort returns an address at which nothing listens.
func mustClosedPort(tb testing.TB) string {
	tb.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // it is closed at once
	require.NoError(tb, err)
	require.NoError(tb, l.Close())
	return l.Addr().String()
}

// damaging passes requests on to a server, and damages the first answer to each Idempotency-Key: reset, cut or length, as the
// first part of the path says.
type damaging struct {
	server string
	mu     sync.Mutex
	seen   map[string]bool
}

func (d *damaging) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	fault, path, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	body, _ := io.ReadAll(r.Body)
	request, err := http.NewRequestWithContext(r.Context(), r.Method, d.server+"/"+path, bytes.NewReader(body))
	if err != nil {
		panic(err)
	}
	request.Header = r.Header.Clone()
	answer, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	defer func() { _ = answer.Body.Close() }()
	text, _ := io.ReadAll(answer.Body)
	for _, name := range []string{"Content-Type", "Retry-After"} {
		w.Header().Set(name, answer.Header.Get(name))
	}
	w.Header().Set("Content-Length", strconv.Itoa(len(text)))
	if !d.isFirst(r.Header.Get("Idempotency-Key")) {
		w.WriteHeader(answer.StatusCode)
		_, _ = w.Write(text)
		return
	}
	switch fault {
	case "cut": // the length announced stays that of the whole
		text = text[:len(text)/2]
	case "length":
		w.Header().Set("Content-Length", strconv.Itoa(len(text)+7))
	default:
		panic(http.ErrAbortHandler)
	}
	w.WriteHeader(answer.StatusCode)
	_, _ = w.Write(text)
	_ = http.NewResponseController(w).Flush()
	panic(http.ErrAbortHandler)
}

// isFirst reports whether a key is sent for the first time. Requests without a key are never damaged.
func (d *damaging) isFirst(key string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if key == "" || d.seen[key] {
		return false
	}
	d.seen[key] = true
	return true
}

// mustClientEnvironment starts the service and returns the environment of the clients' tests.
func mustClientEnvironment(tb testing.TB) []string {
	tb.Helper()
	target := MustService(tb, nil).target(tb)
	faults := httptest.NewServer(&damaging{server: strings.TrimSuffix(target.BaseURL, "/api/v1"), seen: map[string]bool{}})
	tb.Cleanup(faults.Close)
	settings, err := json.Marshal(map[string]any{
		"keys": target.Keys, "image": target.Images[contracttests.ImagePrinted], "blank": target.Images[contracttests.ImageBlank],
		"unfetchable": unfetchable(tb), "faults": faults.URL,
	})
	require.NoError(tb, err)
	return []string{
		"UNCIAL_URL=" + target.BaseURL, "UNCIAL_KEY=" + target.Keys[contracttests.KeyOK][0], "UNCIAL_SERVICE=" + string(settings),
	}
}

func TestClients_Python(t *testing.T) {
	t.Parallel()
	clienttest.Python(t, mustClientEnvironment(t)...)
}

func TestClients_TypeScript(t *testing.T) {
	t.Parallel()
	clienttest.TypeScript(t, "test:service", mustClientEnvironment(t)...)
}
