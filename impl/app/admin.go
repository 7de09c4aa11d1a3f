package app

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/pprof"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"uncial/internal/edge"
)

// listenAdmin opens the admin listener, or returns nil if no address is given. Errors name the flag.
func listenAdmin(address string, log *slog.Logger) (net.Listener, error) {
	if address == "" {
		return nil, nil
	}
	ln, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("--admin-listen: %w", err)
	}
	log.Info("listening for metrics and pprof", "address", ln.Addr().String())
	return ln, nil
}

func closeAdmin(ln net.Listener) error {
	if ln == nil {
		return nil
	}
	return ln.Close()
}

// serveAdmin serves metrics and profiles until ctx ends. It checks no keys, so its address must stay private. The profile
// "cmdline" is left out because the command line may contain secrets.
func serveAdmin(ctx context.Context, ln net.Listener, r *prometheus.Registry, log *slog.Logger) {
	mux := http.NewServeMux()
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
