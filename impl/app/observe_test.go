package app_test

import (
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"regexp"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/impl/app"
	"uncial/impl/app/apptest"
	"uncial/impl/sample"
	"uncial/internal/logtest"
)

// adminAddress returns the address of the admin listener from a log.
func adminAddress(tb testing.TB, log *logtest.Buffer) string {
	tb.Helper()
	match := regexp.MustCompile(`listening for metrics and pprof" address=(\S+)`).FindStringSubmatch(log.String())
	require.NotNil(tb, match, log.String())
	return "http://" + match[1]
}

func TestMetrics_Extractions(t *testing.T) {
	t.Parallel()
	images := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/page.jpg" {
			_, _ = w.Write(sample.Image)
			return
		}
		http.NotFound(w, r)
	}))
	defer images.Close()
	var log logtest.Buffer
	a := apptest.Start(t, app.Options{AdminListen: "127.0.0.1:0", Logger: log.Logger(), FetchAllow: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}})
	_, key := apptest.Key(t, a, "pro")
	for url, status := range map[string]int{images.URL + "/page.jpg": 200, images.URL + "/missing.jpg": 400, "http://10.0.0.1/page.jpg": 400} {
		require.Equal(t, status, mustExtract(t, "http://"+a.Addr(), key, map[string]any{"imageUrl": url}).Status, url)
	}
	requireMetrics(t, adminAddress(t, &log)+"/metrics",
		`uncial_build_info{goversion="`+runtime.Version()+`",version="dev"} 1`, "uncial_points_charged_total 10", "uncial_holds 0", "uncial_holds_expired_total 0",
		`uncial_fetches_total{outcome="ok"} 1`, `uncial_fetches_total{outcome="not-found"} 1`, `uncial_fetches_total{outcome="refused-address"} 1`,
		"uncial_fetch_seconds_count 3", "uncial_queue_wait_seconds_count 1", `uncial_language_model_requests_total{outcome="failed"} 0`,
		`go_sql_max_open_connections{db_name="write"} 1`, `go_sql_max_open_connections{db_name="read"} 16`)

	guide, err := os.ReadFile("../deploy/README.md")
	require.NoError(t, err)
	_, text := get(t, adminAddress(t, &log)+"/metrics")
	for _, match := range regexp.MustCompile(`# TYPE (uncial_\w+)`).FindAllStringSubmatch(text, -1) {
		require.Regexp(t, "`"+match[1]+"[`{]", string(guide), "the guide explains every metric")
	}
}
