package app

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"uncial/gen"
	"uncial/impl/ocr/remote"
	"uncial/impl/ocr/workerpool"
	"uncial/internal/contract"
)

// seconds are the buckets of durations: from a replay to the deadline.
var seconds = []float64{.05, .1, .25, .5, 1, 2, 4, 8, 15, 30, 60, 120}

// newRegistry has what every process reports of itself.
func newRegistry() *prometheus.Registry {
	r := prometheus.NewRegistry()
	r.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return r
}

// metrics are what operators watch of the API, in the form of Prometheus.
type metrics struct {
	registry    *prometheus.Registry
	requests    *prometheus.CounterVec
	extractions *prometheus.CounterVec
	seconds     prometheus.Histogram
}

func newMetrics(r recognizer, h *health) *metrics {
	m := &metrics{
		registry: newRegistry(),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "uncial_requests_total", Help: "Requests by path of the service, empty for others, and status; those that were refused included.",
		}, []string{"path", "status"}),
		extractions: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "uncial_extractions_total", Help: "Extractions that passed key, rate limit and shape, by outcome.",
		}, []string{"outcome"}),
		seconds: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "uncial_extraction_seconds", Help: "Duration of extractions, whatever their outcome.", Buckets: seconds,
		}),
	}
	m.registry.MustRegister(m.requests, m.extractions, m.seconds)
	gauge(m.registry, "uncial_ready", "1 while the service can work, as /readyz tells.", func() int {
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

func gauge(r *prometheus.Registry, name, help string, value func() int) {
	r.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, func() float64 { return float64(value()) }))
}

func counter(r *prometheus.Registry, name, help string, value func() uint64) {
	r.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{Name: name, Help: help}, func() float64 { return float64(value()) }))
}

// watchPool reports on the workers of this machine.
func watchPool(r *prometheus.Registry, p *workerpool.Pool) {
	gauge(r, "uncial_workers_ready", "Workers that can read.", func() int { return p.Stats().Ready })
	gauge(r, "uncial_workers_busy", "Workers that read an image.", func() int { return p.Stats().Busy })
	gauge(r, "uncial_workers_idle", "Workers that wait for an image.", func() int { return p.Stats().Idle })
	gauge(r, "uncial_queue_length", "Images that wait for a worker.", func() int { return p.Stats().Queued })
	counter(r, "uncial_pages_total", "Pages that were read.", func() uint64 { return p.Stats().Pages })
	counter(r, "uncial_images_refused_total", "Images that found the queue full or waited in vain.", func() uint64 { return p.Stats().Refused })
	counter(r, "uncial_images_timed_out_total", "Images that took too long to read.", func() uint64 { return p.Stats().Timeouts })
	counter(r, "uncial_worker_crashes_total", "Workers that died or answered rubbish over an image.", func() uint64 { return p.Stats().Crashes })
	counter(r, "uncial_worker_restarts_total", "Workers that were replaced because they died or had to be killed.", func() uint64 { return p.Stats().Restarts })
}

// watchEngines reports on the engines as this process sees them.
func watchEngines(r *prometheus.Registry, c *remote.Client) {
	gauge(r, "uncial_engines", "Engines that the host name stands for.", func() int { return c.Stats().Engines })
	gauge(r, "uncial_engines_avoided", "Engines that failed a moment ago, and are the last choice.", func() int { return c.Stats().Avoided })
	gauge(r, "uncial_engine_requests_running", "Images that wait for an engine's answer.", func() int { return c.Stats().Running })
	counter(r, "uncial_engine_requests_total", "Images sent to engines.", func() uint64 { return c.Stats().Requests })
	counter(r, "uncial_engine_requests_died_total", "Images to which an engine gave no answer.", func() uint64 { return c.Stats().Died })
	counter(r, "uncial_engine_requests_repeated_total", "Images sent to a second engine.", func() uint64 { return c.Stats().Repeated })
}

// observeEngine counts the images that come to an engine.
func observeEngine(r *prometheus.Registry, engine http.Handler) http.Handler {
	images := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "uncial_images_total", Help: "Images that came to the engine, by the status of the answer.",
	}, []string{"code"})
	took := prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: "uncial_image_seconds", Help: "Duration of the images' way through the engine, waiting included.", Buckets: seconds,
	}, nil)
	r.MustRegister(images, took)
	mux := http.NewServeMux()
	mux.Handle("/", engine)
	mux.Handle("/recognize", promhttp.InstrumentHandlerCounter(images, promhttp.InstrumentHandlerDuration(took, engine)))
	return mux
}

// answered counts what left the door.
func (m *metrics) answered(path string, status int) {
	m.requests.WithLabelValues(path, strconv.Itoa(status)).Inc()
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
	if e, ok := errors.AsType[*contract.Error](err); ok {
		return string(e.Code)
	}
	return string(contract.ServerError)
}
