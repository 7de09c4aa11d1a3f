package app_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"uncial/impl/app"
	"uncial/impl/app/apptest"
	"uncial/impl/sample"
	"uncial/impl/store"
	"uncial/internal/logtest"
)

func TestHealth_Update(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	var err error
	var log logtest.Buffer
	h := app.NewHealth(func(context.Context) error { return err }, log.Logger())
	require.Error(t, h.Ready(), "not checked yet")
	for i, step := range []struct {
		err   error
		ready bool
	}{
		{broken, false}, // not ready before the first success
		{nil, true},
		{broken, true}, // one failure does not count
		{nil, true},
		{broken, true},
		{broken, false},
		{broken, false},
		{nil, true},
	} {
		err = step.err
		h.Update()
		require.Equal(t, step.ready, h.Ready() == nil, "after step %d", i+1)
	}
	require.Len(t, regexp.MustCompile(`msg="not ready" error=broken`).FindAllString(log.String(), -1), 1, "only changes are logged")
	require.Len(t, regexp.MustCompile(`msg=ready`).FindAllString(log.String(), -1), 2)
}

// readiness returns the status of /readyz.
func readiness(tb testing.TB, a *app.App) int {
	tb.Helper()
	status, _ := get(tb, "http://"+a.Addr()+"/readyz")
	return status
}

func requireReadiness(tb testing.TB, a *app.App, status int) {
	tb.Helper()
	require.Eventually(tb, func() bool { return readiness(tb, a) == status }, 20*time.Second, 10*time.Millisecond, "want %d", status)
}

// engine fails to read every image, but reports its load and its languages.
type engine struct {
	gone  atomic.Bool
	ready atomic.Int64
}

func (e *engine) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case e.gone.Load():
		panic(http.ErrAbortHandler)
	case r.URL.Path == "/load":
		_, _ = io.WriteString(w, `{"workers":2,"queue":16,"ready":`+string(rune('0'+e.ready.Load()))+`}`)
	case r.URL.Path == "/recognize":
		w.WriteHeader(http.StatusInternalServerError)
	default:
		_, _ = io.WriteString(w, `{"languages":["en"]}`)
	}
}

func TestApp_Ready_Engines(t *testing.T) {
	t.Parallel()
	e := &engine{}
	server := httptest.NewServer(e)
	t.Cleanup(server.Close)
	a := apptest.Start(t, app.Options{EngineURL: server.URL, HealthInterval: 20 * time.Millisecond})
	require.Equal(t, http.StatusServiceUnavailable, readiness(t, a), "the engine has no workers")
	e.ready.Store(2)
	requireReadiness(t, a, http.StatusOK)
	e.gone.Store(true)
	requireReadiness(t, a, http.StatusServiceUnavailable)
	e.gone.Store(false)
	requireReadiness(t, a, http.StatusOK)
}

func TestApp_Ready_Database(t *testing.T) {
	t.Parallel()
	url := "sqlite:" + filepath.Join(t.TempDir(), "uncial.db")
	a := apptest.Start(t, app.Options{Data: app.DataOptions{Database: url}, HealthInterval: 20 * time.Millisecond})
	requireReadiness(t, a, http.StatusOK)
	other, err := store.Open(t.Context(), url, store.Options{Timeout: time.Minute})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, other.Close()) })
	require.NoError(t, other.Tx(t.Context(), func(context.Context, store.Executor) error {
		requireReadiness(t, a, http.StatusServiceUnavailable) // the database can be read, but not written
		return nil
	}))
	requireReadiness(t, a, http.StatusOK)
}

// requireMetrics checks that the metrics contain each of the lines.
func requireMetrics(tb testing.TB, url string, lines ...string) {
	tb.Helper()
	_, text := get(tb, url)
	for _, line := range lines {
		require.Contains(tb, text, "\n"+line+"\n")
	}
}

func TestApp_Metrics(t *testing.T) {
	t.Parallel()
	e := &engine{}
	e.ready.Store(2)
	server := httptest.NewServer(e)
	t.Cleanup(server.Close)
	var log logtest.Buffer
	a := apptest.Start(t, app.Options{EngineURL: server.URL, AdminListen: "127.0.0.1:0", Logger: log.Logger()})
	_, key := apptest.Key(t, a, "pro")
	base := "http://" + a.Addr()
	require.Equal(t, 500, mustExtract(t, base, key, map[string]any{"imageUrl": inline(sample.Image)}).Status, "the engine fails")
	require.Equal(t, 400, mustExtract(t, base, key, map[string]any{}).Status)
	require.Equal(t, 401, mustExtract(t, base, "nobody's", map[string]any{}).Status)
	requireReadiness(t, a, http.StatusOK)

	address := regexp.MustCompile(`msg="listening for metrics and pprof" address=(\S+)`).FindStringSubmatch(log.String())
	require.NotNil(t, address)
	requireMetrics(t, "http://"+address[1]+"/metrics",
		`uncial_requests_total{path="/api/v1/extract",status="400"} 1`,
		`uncial_requests_total{path="/api/v1/extract",status="401"} 1`,
		`uncial_requests_total{path="/api/v1/extract",status="500"} 1`,
		`uncial_extractions_total{outcome="SERVER_ERROR"} 1`,
		`uncial_ready 1`, `uncial_engines 1`, `uncial_engines_avoided 0`, `uncial_engine_requests_running 0`,
		`uncial_engine_requests_total 1`, `uncial_engine_requests_died_total 0`, `uncial_engine_requests_repeated_total 0`,
	)
	status, _ := get(t, "http://"+address[1]+"/debug/pprof/cmdline")
	require.Equal(t, http.StatusNotFound, status, "the command line may contain a secret")
}
