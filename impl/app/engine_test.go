package app_test

import (
	"bufio"
	"context"
	"io"
	"log/slog"
	"net/http"
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"uncial/impl/app"
	"uncial/impl/app/apptest"
	"uncial/impl/sample"
	"uncial/internal/logtest"
)

// TestRunEngine reads the sample page through an engine.
func TestRunEngine(t *testing.T) {
	t.Parallel()
	reader, writer := io.Pipe()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- app.RunEngine(ctx, "127.0.0.1:0", "127.0.0.1:0", app.EngineOptions{
			Worker: apptest.Binary(t, "./impl/cmd/uncial-worker"), Workers: 1,
		}, slog.New(slog.NewTextHandler(writer, nil)))
	}()
	var address, admin []string
	for logs := bufio.NewScanner(reader); admin == nil && logs.Scan(); {
		if m := regexp.MustCompile(`msg=listening address=(\S+)`).FindStringSubmatch(logs.Text()); m != nil {
			address = m
		}
		admin = regexp.MustCompile(`msg="listening for metrics and pprof" address=(\S+)`).FindStringSubmatch(logs.Text())
	}
	require.NotNil(t, address)
	require.NotNil(t, admin)
	go func() { _, _ = io.Copy(io.Discard, reader) }()

	a := apptest.Start(t, app.Options{EngineURL: "http://" + address[1]})
	_, key := apptest.Key(t, a, "pro")
	requireSample(t, mustExtract(t, "http://"+a.Addr(), key, map[string]any{"imageUrl": inline(sample.Image)}))
	requireMetrics(t, "http://"+admin[1]+"/metrics",
		`uncial_images_total{code="200"} 1`, `uncial_image_seconds_count 1`, `uncial_workers_ready 1`, `uncial_pages_total 1`)
	for _, path := range []string{"/healthz", "/readyz"} { // also on the admin listener, where callers cannot delay them
		status, _ := get(t, "http://"+admin[1]+path)
		require.Equal(t, http.StatusOK, status, path)
	}
	languages, err := app.Languages(t.Context(), "http://"+address[1], app.EngineOptions{}, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	require.Contains(t, languages, "de-Latf")

	cancel()
	select {
	case err := <-ended:
		require.NoError(t, err)
	case <-time.After(10 * time.Second):
		t.Fatal("the engine did not stop")
	}
}

// TestRunEngine_FailedStart uses a program that ends at once, as uncial-worker does when --sandbox=require cannot be met.
func TestRunEngine_FailedStart(t *testing.T) {
	t.Parallel()
	var log logtest.Buffer
	err := app.RunEngine(t.Context(), "127.0.0.1:0", "127.0.0.1:0", app.EngineOptions{Worker: "/bin/false", Workers: 1, Sandbox: "require"}, log.Logger())
	require.Error(t, err)
	require.NotContains(t, log.String(), "listening")
}
