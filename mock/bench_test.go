package mock_test

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	neturl "net/url"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"uncial/mock"
)

const connections = 16

// BenchmarkMock_AgainstBareHandler measures extractions a second over 16 connections beside a net/http handler that
// writes a constant JSON, in turns, so that both have the same machine. ratio is the mock's share of the bare handler's.
func BenchmarkMock_AgainstBareHandler(b *testing.B) {
	m := mock.New(mock.Options{})
	roomy(b, m, benchKey)
	ours := httptest.NewServer(m)
	defer ours.Close()
	bare := httptest.NewServer(bareHandler(b, m))
	defer bare.Close()
	n := max(b.N, 20_000)
	var mockTime, bareTime time.Duration
	const turns = 4
	b.ResetTimer()
	for range turns {
		bareTime += load(b, bare.URL+extractPath, n/turns)
		mockTime += load(b, ours.URL+extractPath, n/turns)
	}
	b.ReportMetric(float64(n)/mockTime.Seconds(), "mock-req/s")
	b.ReportMetric(float64(n)/bareTime.Seconds(), "bare-req/s")
	b.ReportMetric(bareTime.Seconds()/mockTime.Seconds(), "ratio")
}

// roomy gives the key points and requests for any benchmark.
func roomy(tb testing.TB, h http.Handler, key string) {
	tb.Helper()
	r := httptest.NewRequest(http.MethodPut, "/__mock/keys/"+key, bytes.NewBufferString(roomyKey))
	r.RemoteAddr, r.Host = "127.0.0.1:1", "127.0.0.1"
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	require.Equal(tb, http.StatusOK, w.Code, w.Body)
}

// bareHandler reads the body and writes what the mock would write, and nothing else.
func bareHandler(tb testing.TB, m http.Handler) http.Handler {
	tb.Helper()
	w := httptest.NewRecorder()
	m.ServeHTTP(w, extractionAt("", benchKey, extractionBody))
	require.Equal(tb, http.StatusOK, w.Code, w.Body)
	constant := w.Body.Bytes()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(constant)
	})
}

// BenchmarkMock_AgainstPrism measures the built uncial-mock beside Prism, which serves the same openapi.yaml. ratio is
// how many times as many extractions the mock answers.
func BenchmarkMock_AgainstPrism(b *testing.B) {
	if _, err := exec.LookPath("npm"); err != nil {
		b.Skip("npm is missing: apt-get install nodejs npm")
	}
	ours, prism := MustStart(b), mustStartPrism(b)
	roomier := request(http.MethodPut, ours.base+"/__mock/keys/"+benchKey, roomyKey)
	require.NoError(b, send(http.DefaultClient, roomier))
	n := max(b.N, 4_000)
	load(b, prism+"/extract", n/4) // its compiler warms up
	b.ResetTimer()
	prismTime := load(b, prism+"/extract", n)
	mockTime := load(b, ours.base+extractPath, n)
	b.ReportMetric(float64(n)/mockTime.Seconds(), "mock-req/s")
	b.ReportMetric(float64(n)/prismTime.Seconds(), "prism-req/s")
	b.ReportMetric(prismTime.Seconds()/mockTime.Seconds(), "ratio")
}

// mustStartPrism installs the pinned Prism, starts it on a free port and returns its address.
func mustStartPrism(b *testing.B) string {
	b.Helper()
	dir := b.TempDir()
	require.NoError(b, os.CopyFS(dir, os.DirFS("testdata/prism")))
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	install := exec.CommandContext(ctx, "npm", "ci", "--no-audit", "--no-fund", "--silent")
	install.Dir = dir
	if out, err := install.CombinedOutput(); err != nil {
		cancel()
		b.Skipf("Prism cannot be installed: %.1000s", out)
	}
	contract, err := filepath.Abs("../openapi.yaml")
	require.NoError(b, err)
	free, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(b, err)
	address := free.Addr().String()
	require.NoError(b, free.Close())
	_, port, err := net.SplitHostPort(address)
	require.NoError(b, err)
	cmd := exec.CommandContext(ctx, filepath.Join(dir, "node_modules", ".bin", "prism"), "mock", "-h", "127.0.0.1", "-p", port, "-v", "silent", contract)
	require.NoError(b, cmd.Start())
	b.Cleanup(func() {
		cancel()
		_ = cmd.Wait()
	})
	require.Eventually(b, func() bool {
		r := request(http.MethodGet, "http://"+address+"/status", "", "Authorization", "Bearer x")
		return send(http.DefaultClient, r) == nil
	}, time.Minute, 100*time.Millisecond, "Prism starts")
	return "http://" + address
}

const (
	extractPath = "/api/v1/extract"
	roomyKey    = `{"balance":1000000000000,"limit":1000000000}`
)

const benchKey = "ocr_test_bench"

const extractionBody = `{"imageUrl":"https://images.example.org/page-001.jpg","language":"enm"}`

// load sends n extractions to the URL over 16 connections and returns how long that took.
func load(tb testing.TB, url string, n int) time.Duration {
	tb.Helper()
	target, err := neturl.Parse(url)
	require.NoError(tb, err)
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: connections, MaxConnsPerHost: connections}}
	defer client.CloseIdleConnections()
	var wg sync.WaitGroup
	failed := make(chan error, connections)
	began := time.Now()
	for range connections {
		wg.Go(func() {
			for range n / connections {
				r := extractionAt("", benchKey, extractionBody)
				r.URL, r.Host = target, target.Host
				if err := send(client, r); err != nil {
					failed <- err
					return
				}
			}
		})
	}
	wg.Wait()
	took := time.Since(began)
	close(failed)
	require.NoError(tb, <-failed)
	return took
}
