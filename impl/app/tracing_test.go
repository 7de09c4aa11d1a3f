package app_test

import (
	"encoding/hex"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	"google.golang.org/protobuf/proto"

	"uncial/impl/account"
	"uncial/impl/app"
	"uncial/impl/app/apptest"
	"uncial/impl/sample"
)

// received is a span that the receiver got.
type received struct{ service, name, trace string }

// receiver is a collector of OTLP over HTTP.
type receiver struct {
	mu    sync.Mutex
	spans []received
}

// ServeHTTP receives spans.
func (r *receiver) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(request.Body)
	var export collector.ExportTraceServiceRequest
	if err != nil || proto.Unmarshal(body, &export) != nil || request.URL.Path != "/v1/traces" {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, resource := range export.GetResourceSpans() {
		service := ""
		for _, a := range resource.GetResource().GetAttributes() {
			if a.GetKey() == "service.name" {
				service = a.GetValue().GetStringValue()
			}
		}
		for _, scope := range resource.GetScopeSpans() {
			for _, span := range scope.GetSpans() {
				r.spans = append(r.spans, received{service, span.GetName(), hex.EncodeToString(span.GetTraceId())})
			}
		}
	}
}

// names returns the sorted names of the spans of one trace and one service.
func (r *receiver) names(trace, service string) (names []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, s := range r.spans {
		if s.trace == trace && s.service == service {
			names = append(names, s.name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// mustTrace starts the program with tracing and returns its address.
func mustTrace(tb testing.TB, endpoint string, args ...string) string {
	tb.Helper()
	cmd := exec.Command(apptest.Binary(tb, "./impl/cmd/uncial"), args...)
	cmd.Env = append(os.Environ(), "OTEL_EXPORTER_OTLP_ENDPOINT="+endpoint, "OTEL_BSP_SCHEDULE_DELAY=50", "UNCIAL_SETTINGS="+os.DevNull)
	logs, err := cmd.StderrPipe()
	require.NoError(tb, err)
	require.NoError(tb, cmd.Start())
	tb.Cleanup(func() { _ = cmd.Process.Signal(syscall.SIGTERM); _ = cmd.Wait() })
	return "http://" + mustReadAddress(tb, logs)
}

// TestTracing reads a page through an engine. Both programs send spans, which belong to the caller's trace.
func TestTracing(t *testing.T) {
	t.Parallel()
	spans := &receiver{}
	otlp := httptest.NewServer(spans)
	t.Cleanup(otlp.Close)
	images := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(sample.Image) }))
	t.Cleanup(images.Close)
	o := app.DataOptions{Database: "sqlite:" + filepath.Join(t.TempDir(), "uncial.db"), KeySecret: strings.Repeat("k", 32)}
	data := mustOpenData(t, o, time.Now)
	owner, err := data.Accounts.Create(t.Context(), "traces", "pro")
	require.NoError(t, err)
	_, key, err := data.Accounts.CreateKey(t.Context(), account.NewKey{AccountID: owner.ID, Name: "traces"})
	require.NoError(t, err)
	engine := mustTrace(t, otlp.URL, "engine", "--listen", "127.0.0.1:0", "--workers", "1", "--worker", apptest.Binary(t, "./impl/cmd/uncial-worker"))
	service := mustTrace(t, otlp.URL, "serve", "--listen", "127.0.0.1:0", "--database", o.Database, "--key-secret", o.KeySecret,
		"--engine", engine, "--fetch-allow", "127.0.0.1/32")
	awaitReady(t, service)

	const trace = "0123456789abcdef0123456789abcdef"
	requireSample(t, mustExtract(t, service, key, map[string]any{"imageUrl": images.URL + "/page.jpg?secret=1"}, "Traceparent", "00-"+trace+"-00000000000000aa-01"))

	require.Eventually(t, func() bool {
		return slices.Contains(spans.names(trace, "uncial"), "POST /api/v1/extract") && slices.Contains(spans.names(trace, "uncial-engine"), "POST /recognize")
	}, time.Minute, 50*time.Millisecond)
	require.Equal(t, []string{"POST /api/v1/extract", "fetch", "recognize", "settle"}, spans.names(trace, "uncial"))
	require.Subset(t, spans.names(trace, "uncial-engine"), []string{"POST /recognize", "queue", "decode", "measure", "print", "confidence"})
}
