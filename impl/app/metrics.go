package app

import (
	"context"
	"errors"
	"net/http"
	"runtime"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"uncial/gen"
	"uncial/impl/ocr/remote"
	"uncial/impl/ocr/workerpool"
	"uncial/internal/contract"
	"uncial/internal/version"
)

// durationBuckets are in seconds, from a replay (50 ms) to the deadline of an extraction (120 s).
var durationBuckets = []float64{.05, .1, .25, .5, 1, 2, 4, 8, 15, 30, 60, 120}

// newRegistry returns a registry with the metrics of the Go runtime and the process.
func newRegistry() *prometheus.Registry {
	r := prometheus.NewRegistry()
	r.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	info := prometheus.NewGaugeVec(prometheus.GaugeOpts{
		Name: "uncial_build_info", Help: "Always 1; the labels are the version of the program and of Go.",
	}, []string{"version", "goversion"})
	info.WithLabelValues(version.Version, runtime.Version()).Set(1)
	r.MustRegister(info)
	return r
}

// metrics are the Prometheus metrics of the API. Their names and labels are an interface: dashboards and alerts of
// operators use them.
type metrics struct {
	registry    *prometheus.Registry
	requests    *prometheus.CounterVec
	extractions *prometheus.CounterVec
	seconds     prometheus.Histogram
	charged     prometheus.Counter
	holds       prometheus.Gauge
	expired     prometheus.Counter
	fetches     *prometheus.CounterVec
	fetching    prometheus.Histogram
	model       *prometheus.CounterVec
	modelTook   prometheus.Histogram
}

// newMetrics registers the metrics of the API, and those of the workers or the engines, whichever r uses.
func newMetrics(r recognizer, h *health) *metrics {
	m := &metrics{
		registry: newRegistry(),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "uncial_requests_total", Help: "Requests by path and status, including refused ones. The path is empty for unknown paths.",
		}, []string{"path", "status"}),
		extractions: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "uncial_extractions_total", Help: "Extractions by outcome, without requests refused for their key, rate limit or body.",
		}, []string{"outcome"}),
		seconds: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "uncial_extraction_seconds", Help: "Duration of extractions with any outcome, in seconds.", Buckets: durationBuckets,
		}),
	}
	m.registry.MustRegister(m.requests, m.extractions, m.seconds)
	m.watchExtractions()
	gauge(m.registry, "uncial_ready", "1 if the service is ready, as /readyz reports; else 0.", func() int {
		if h.ready(context.Background()) != nil {
			return 0
		}
		return 1
	})
	switch r := r.(type) {
	case *workerpool.Pool:
		watchPool(m.registry, r)
	case *remote.Client:
		watchEngines(m.registry, r)
	}
	return m
}

// gauge registers a metric that value returns at each scrape.
func gauge(r *prometheus.Registry, name, help string, value func() int) {
	r.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, func() float64 { return float64(value()) }))
}

// counter registers a metric that only grows and that value returns at each scrape.
func counter(r *prometheus.Registry, name, help string, value func() uint64) {
	r.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{Name: name, Help: help}, func() float64 { return float64(value()) }))
}

// watchPool registers the metrics of the workers on this machine.
func watchPool(r *prometheus.Registry, p *workerpool.Pool) {
	gauge(r, "uncial_workers_ready", "Workers that are running and initialized.", func() int { return p.Stats().Ready })
	gauge(r, "uncial_workers_busy", "Workers that are reading an image.", func() int { return p.Stats().Busy })
	gauge(r, "uncial_workers_idle", "Workers that are waiting for an image.", func() int { return p.Stats().Idle })
	waits := prometheus.NewHistogram(prometheus.HistogramOpts{
		Name: "uncial_queue_wait_seconds", Help: "Time that images waited for a worker, in seconds.", Buckets: durationBuckets,
	})
	r.MustRegister(waits)
	p.ObserveWaits(func(took time.Duration) { waits.Observe(took.Seconds()) })
	gauge(r, "uncial_queue_length", "Images that are waiting for a worker.", func() int { return p.Stats().Queued })
	counter(r, "uncial_pages_total", "Pages that have been read.", func() uint64 { return p.Stats().Pages })
	counter(r, "uncial_images_refused_total", "Images refused because the queue was full or no worker became free in time.", func() uint64 { return p.Stats().Refused })
	counter(r, "uncial_images_timed_out_total", "Images that were not read within the deadline.", func() uint64 { return p.Stats().Timeouts })
	counter(r, "uncial_worker_crashes_total", "Workers that crashed or returned an invalid result.", func() uint64 { return p.Stats().Crashes })
	counter(r, "uncial_worker_restarts_total", "Workers replaced because they crashed or were killed at the deadline.", func() uint64 { return p.Stats().Restarts })
}

// watchEngines registers the metrics of the engines as this process sees them. Replicas may differ, because each finds out on
// its own which engines to avoid.
func watchEngines(r *prometheus.Registry, c *remote.Client) {
	gauge(r, "uncial_engines", "Engines that the host name resolves to.", func() int { return c.Stats().Engines })
	gauge(r, "uncial_engines_avoided", "Engines that failed recently and are used only if no other is left.", func() int { return c.Stats().Avoided })
	gauge(r, "uncial_engine_requests_running", "Images that are being read by an engine.", func() int { return c.Stats().Running })
	counter(r, "uncial_engine_requests_total", "Images sent to engines.", func() uint64 { return c.Stats().Requests })
	counter(r, "uncial_engine_requests_died_total", "Images for which an engine sent no answer.", func() uint64 { return c.Stats().Died })
	counter(r, "uncial_engine_requests_repeated_total", "Images sent to a second engine after the first one failed.", func() uint64 { return c.Stats().Repeated })
}

// observeEngine counts and times the images that an engine receives, refused ones included.
func observeEngine(r *prometheus.Registry, engine http.Handler) http.Handler {
	images := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "uncial_images_total", Help: "Images received by the engine, by HTTP status of the response.",
	}, []string{"code"})
	took := prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: "uncial_image_seconds", Help: "Time that images spend in the engine, including the queue, in seconds.", Buckets: durationBuckets,
	}, nil)
	r.MustRegister(images, took)
	// Only images count: load reports and health checks are far more frequent and would distort the figures.
	mux := http.NewServeMux()
	mux.Handle("/", engine)
	mux.Handle("/recognize", promhttp.InstrumentHandlerCounter(images, promhttp.InstrumentHandlerDuration(took, engine)))
	return mux
}

// answered counts a response of the HTTP front end. path is a path of the contract or empty, so that clients cannot create an
// unlimited number of label values.
func (m *metrics) answered(path string, status int) {
	m.requests.WithLabelValues(path, strconv.Itoa(status)).Inc()
}

// observe counts and times the extractions of the server.
func (m *metrics) observe(s gen.StrictServerInterface) gen.StrictServerInterface {
	return observed{s, m}
}

type observed struct {
	gen.StrictServerInterface
	m *metrics
}

// Extract counts and times one extraction, from admission to its end with any outcome.
func (o observed) Extract(ctx context.Context, r gen.ExtractRequestObject) (gen.ExtractResponseObject, error) {
	started := time.Now()
	res, err := o.StrictServerInterface.Extract(ctx, r)
	o.m.seconds.Observe(time.Since(started).Seconds())
	o.m.extractions.WithLabelValues(outcome(err)).Inc()
	return res, err
}

// outcome returns the value of the label "outcome": OK, CANCELLED if the caller disconnected, or the error code of the
// response.
func outcome(err error) string {
	switch {
	case err == nil:
		return "OK"
	case errors.Is(err, context.Canceled):
		return "CANCELLED"
	}
	if e, ok := errors.AsType[*contract.Error](err); ok {
		return string(e.Code)
	}
	return string(contract.ServerError)
}
