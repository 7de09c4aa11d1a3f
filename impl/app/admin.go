package app

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/http/pprof"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"uncial/internal/edge"
)

// listenAdmin opens the admin listener, or nil where none is asked for.
func listenAdmin(address string, log *slog.Logger) (net.Listener, error) {
	if address == "" {
		return nil, nil
	}
	ln, err := net.Listen("tcp", address)
	if err != nil {
		return nil, errors.Join(errors.New("--admin-listen: cannot listen there"), err)
	}
	log.Info("admin listening", "address", ln.Addr().String())
	return ln, nil
}

func closeAdmin(ln net.Listener) error {
	if ln == nil {
		return nil
	}
	return ln.Close()
}

// serveAdmin serves metrics and profiles until ctx ends. It is for operators and has no keys. The command line, which may
// hold a secret, is not among the profiles.
func serveAdmin(ctx context.Context, ln net.Listener, r *prometheus.Registry, log *slog.Logger) {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(r, promhttp.HandlerOpts{}))
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("/debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
	const grace = 5 * time.Second
	if err := edge.Serve(ctx, edge.NewServer(mux, log), ln, grace); err != nil {
		log.Warn("the admin listener ended", "error", err)
	}
}
