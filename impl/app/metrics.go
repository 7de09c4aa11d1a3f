package app

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/pprof"
	"net/netip"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"uncial/gen"
	"uncial/impl/ocr"
	"uncial/impl/ocr/workerpool"
	"uncial/internal/edge"
)

var loopback = netip.MustParseAddr("127.0.0.1")

// metrics are what operators watch, in the form of Prometheus.
type metrics struct {
	registry    *prometheus.Registry
	extractions *prometheus.CounterVec
	seconds     prometheus.Histogram
}

func newMetrics(r ocr.Recognizer) *metrics {
	m := &metrics{
		registry: prometheus.NewRegistry(),
		extractions: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "uncial_extractions_total", Help: "Extractions that passed key, rate limit and shape, by outcome.",
		}, []string{"outcome"}),
		seconds: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "uncial_extraction_seconds", Help: "Duration of extractions, whatever their outcome.",
			Buckets: []float64{.05, .1, .25, .5, 1, 2, 4, 8, 15, 30, 60, 120},
		}),
	}
	m.registry.MustRegister(m.extractions, m.seconds, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	if pool, ok := r.(*workerpool.Pool); ok {
		m.watch(pool)
	}
	return m
}

// watch reports on the workers of this machine.
func (m *metrics) watch(pool *workerpool.Pool) {
	gauge := func(name, help string, value func(workerpool.Stats) int) {
		m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help},
			func() float64 { return float64(value(pool.Stats())) }))
	}
	gauge("uncial_workers_busy", "Workers that read an image.", func(s workerpool.Stats) int { return s.Busy })
	gauge("uncial_workers_idle", "Workers that wait for an image.", func(s workerpool.Stats) int { return s.Idle })
	gauge("uncial_queue_length", "Images that wait for a worker.", func(s workerpool.Stats) int { return s.Queued })
	counter := func(name, help string, value func(workerpool.Stats) uint64) {
		m.registry.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{Name: name, Help: help},
			func() float64 { return float64(value(pool.Stats())) }))
	}
	counter("uncial_pages_total", "Pages that were read.", func(s workerpool.Stats) uint64 { return s.Pages })
	counter("uncial_images_refused_total", "Images that found the queue full or waited in vain.", func(s workerpool.Stats) uint64 { return s.Refused })
	counter("uncial_images_timed_out_total", "Images that took too long to read.", func(s workerpool.Stats) uint64 { return s.Timeouts })
	counter("uncial_worker_crashes_total", "Workers that died or answered rubbish over an image.", func(s workerpool.Stats) uint64 { return s.Crashes })
	counter("uncial_worker_restarts_total", "Workers that were replaced because they died or had to be killed.", func(s workerpool.Stats) uint64 { return s.Restarts })
}

// observe counts what passes through the server.
func (m *metrics) observe(s gen.StrictServerInterface) gen.StrictServerInterface {
	return observed{s, m}
}

type observed struct {
	gen.StrictServerInterface
	m *metrics
}

func (o observed) Extract(ctx context.Context, r gen.ExtractRequestObject) (gen.ExtractResponseObject, error) {
	started := time.Now()
	res, err := o.StrictServerInterface.Extract(ctx, r)
	o.m.seconds.Observe(time.Since(started).Seconds())
	o.m.extractions.WithLabelValues(outcome(err)).Inc()
	return res, err
}

func outcome(err error) string {
	switch {
	case err == nil:
		return "OK"
	case errors.Is(err, context.Canceled): // nobody waits for the answer any more
		return "CANCELLED"
	}
	if e, ok := errors.AsType[*edge.Error](err); ok {
		return string(e.Code)
	}
	return string(edge.ServerError)
}

// listenAdmin opens the admin listener, or nil where none is asked for.
func (a *App) listenAdmin() (net.Listener, error) {
	if a.o.AdminListen == "" {
		return nil, nil
	}
	ln, err := net.Listen("tcp", a.o.AdminListen)
	if err != nil {
		return nil, errors.Join(errors.New("--admin-listen: cannot listen there"), err)
	}
	a.o.Logger.Info("admin listening", "address", ln.Addr().String())
	return ln, nil
}

// serveAdmin serves metrics and profiles until ctx ends. It is for operators and has no keys.
func (a *App) serveAdmin(ctx context.Context, ln net.Listener) {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(a.metrics.registry, promhttp.HandlerOpts{}))
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	mux.HandleFunc("/debug/pprof/cmdline", pprof.Cmdline)
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("/debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
	srv := edge.NewServer(mux, a.o.Logger)
	const grace = 5 * time.Second
	if err := edge.Serve(ctx, srv, ln, grace); err != nil {
		a.o.Logger.Warn("the admin listener ended", "error", err)
	}
}
