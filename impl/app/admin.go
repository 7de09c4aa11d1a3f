package app

import (
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/pprof"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"uncial/internal/edge"
	"uncial/internal/listen"
)

// listenAdmin opens the admin listener, or returns nil if no address is given. It listens before anything else starts, so
// that an address in use stops the program at once. Errors name the flag.
func listenAdmin(address string) (net.Listener, error) {
	if address == "" {
		return nil, nil
	}
	return listen.TCP("--admin-listen", address)
}

// logAdmin logs the address of the admin listener; nil is allowed.
func logAdmin(ln net.Listener, log *slog.Logger) {
	if ln != nil {
		log.Info("listening for metrics and pprof", "address", ln.Addr().String())
	}
}

// closeAdmin closes a listener, unless serving has already closed it; nil is allowed.
func closeAdmin(ln net.Listener) error {
	if ln == nil {
		return nil
	}
	return ignoreClosed(ln.Close())
}

// serveAdmin serves metrics, probes and profiles until ctx ends. The probes are those of the API, but here they have their own
// connections, so that the load of the API does not delay them. The listener checks no keys, so its address must stay private.
// It omits the profile "cmdline", because the command line may contain secrets. If the listener fails, it logs the error and
// returns: the API works without metrics.
func serveAdmin(ctx context.Context, ln net.Listener, r *prometheus.Registry, ready func(context.Context) error, log *slog.Logger) {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "ok\n") })
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), checkTimeout)
		defer cancel()
		if err := ready(ctx); err != nil {
			log.WarnContext(ctx, "not ready", "error", err)
			http.Error(w, "not ready", http.StatusServiceUnavailable)
			return
		}
		_, _ = io.WriteString(w, "ready\n") // fails only if the caller is gone
	})
	mux.Handle("GET /metrics", promhttp.HandlerFor(r, promhttp.HandlerOpts{}))
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("/debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
	const grace = 5 * time.Second // for a scrape in progress
	if err := edge.Serve(ctx, edge.NewServer(mux, log), ln, grace); err != nil {
		log.Warn("admin listener failed", "error", err)
	}
}
