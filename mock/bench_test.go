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
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"uncial/mock"
)

const connections = 16

// BenchmarkMock_AgainstBareHandler compares extractions per second over 16 connections with a net/http handler that writes a
// constant. ratio is the rate of the mock divided by that of the handler.
func BenchmarkMock_AgainstBareHandler(b *testing.B) {
	m := mock.New(mock.Options{})
	raiseLimits(b, m, benchKey)
	ours := httptest.NewServer(m)
	defer ours.Close()
	bare := httptest.NewServer(bareHandler(b, m))
	defer bare.Close()
	sideBySide(b, "bare", bare.URL, ours.URL+extractPath, max(b.N, 36_000))
}

// BenchmarkCommand_FirstAnswer measures the time from the start of the uncial-mock binary to its first answer, which should be
// less than 50 ms, and how long the same binary takes to print its version. ratio is the first divided by the second.
func BenchmarkCommand_FirstAnswer(b *testing.B) {
	path, err := binary()
	require.NoError(b, err)
	answers, versions := make([]float64, 0, b.N), make([]float64, 0, b.N)
	for b.Loop() {
		began := time.Now()
		require.NoError(b, exec.CommandContext(b.Context(), path, "--version").Run())
		versions = append(versions, time.Since(began).Seconds())
		began = time.Now()
		p := MustStart(b)
		require.NoError(b, send(http.DefaultTransport, extractionAt(p.base, "ocr_test_ok", extractionBody)))
		answers = append(answers, time.Since(began).Seconds())
		require.NoError(b, p.cmd.Process.Kill())
	}
	slices.Sort(answers)
	slices.Sort(versions)
	answer, version := answers[len(answers)/2], versions[len(versions)/2]
	b.ReportMetric(answer*1000, "ms-to-answer")
	b.ReportMetric(version*1000, "ms-to-version")
	b.ReportMetric(answer/version, "ratio")
}

// sideBySide loads both servers alternately, so that other load on the machine affects both, and reports their rates and the
// median ratio.
func sideBySide(b *testing.B, name, theirs, ours string, n int) {
	b.Helper()
	const turns = 9
	defer debug.SetGCPercent(debug.SetGCPercent(400)) // so that the garbage of the client does not dominate
	ratios := make([]float64, turns)
	var theirTime, ourTime time.Duration
	load(b, theirs, n/turns) // warm-up
	load(b, ours, n/turns)
	b.ResetTimer()
	for i := range ratios {
		theirTurn := load(b, theirs, n/turns)
		ourTurn := load(b, ours, n/turns)
		ratios[i] = theirTurn.Seconds() / ourTurn.Seconds()
		theirTime, ourTime = theirTime+theirTurn, ourTime+ourTurn
	}
	slices.Sort(ratios)
	b.ReportMetric(float64(n)/theirTime.Seconds(), name+"-req/s")
	b.ReportMetric(float64(n)/ourTime.Seconds(), "mock-req/s")
	b.ReportMetric(ratios[turns/2], "ratio")
}

// raiseLimits gives the key enough points and requests for any benchmark.
func raiseLimits(tb testing.TB, h http.Handler, key string) {
	tb.Helper()
	r := httptest.NewRequest(http.MethodPut, "/__mock/keys/"+key, bytes.NewBufferString(highLimits))
	r.RemoteAddr, r.Host = "127.0.0.1:1", "127.0.0.1"
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	require.Equal(tb, http.StatusOK, w.Code, w.Body)
}

// bareHandler reads the body and writes the answer of the mock as a constant.
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

// BenchmarkMock_AgainstPrism compares the uncial-mock binary with Prism, which serves the same openapi.yaml. ratio is the rate
// of the mock divided by that of Prism.
func BenchmarkMock_AgainstPrism(b *testing.B) {
	if _, err := exec.LookPath("npm"); err != nil {
		b.Skip("npm is missing: apt-get install nodejs npm")
	}
	ours, prism := MustStart(b), mustStartPrism(b)
	raised := request(http.MethodPut, ours.base+"/__mock/keys/"+benchKey, highLimits)
	require.NoError(b, send(http.DefaultTransport, raised))
	sideBySide(b, "prism", prism+"/extract", ours.base+extractPath, max(b.N, 18_000))
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
		return send(http.DefaultTransport, r) == nil
	}, time.Minute, 100*time.Millisecond, "Prism starts")
	return "http://" + address
}

const (
	extractPath = "/api/v1/extract"
	highLimits  = `{"balance":1000000000000,"limit":1000000000}`
)

const benchKey = "ocr_test_bench"

const extractionBody = `{"imageUrl":"https://images.example.org/page-001.jpg","language":"enm"}`

// load sends n extractions to the URL over 16 connections and returns how long that took.
func load(tb testing.TB, url string, n int) time.Duration {
	tb.Helper()
	target, err := neturl.Parse(url)
	require.NoError(tb, err)
	transport := &http.Transport{MaxIdleConnsPerHost: connections, MaxConnsPerHost: connections}
	defer transport.CloseIdleConnections()
	header := http.Header{"Authorization": {"Bearer " + benchKey}, "Content-Type": {"application/json"}}
	var wg sync.WaitGroup
	failed := make(chan error, connections)
	started := time.Now()
	for range connections {
		wg.Go(func() {
			for range n / connections {
				r := &http.Request{
					Method: http.MethodPost, URL: target, Header: header,
					Body: io.NopCloser(strings.NewReader(extractionBody)), ContentLength: int64(len(extractionBody)),
				}
				if err := send(transport, r); err != nil {
					failed <- err
					return
				}
			}
		})
	}
	wg.Wait()
	took := time.Since(started)
	close(failed)
	require.NoError(tb, <-failed)
	return took
}
