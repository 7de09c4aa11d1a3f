package app

import (
	"context"
	"errors"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"uncial/impl"
	"uncial/impl/fetch"
	"uncial/impl/store"
)

// statementBuckets are in seconds, from a fast statement of SQLite (0.1 ms) to the timeout of statements (10 s).
var statementBuckets = []float64{.0001, .0005, .001, .005, .01, .05, .1, .5, 1, 5, 10}

var _ impl.Observer = (*metrics)(nil)

// watchExtractions registers the metrics of the steps of extractions: points, fetching and proofreading.
func (m *metrics) watchExtractions() {
	m.charged = prometheus.NewCounter(prometheus.CounterOpts{
		Name: "uncial_points_charged_total", Help: "Points charged for extractions.",
	})
	m.holds = prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "uncial_holds", Help: "Extractions of this process for which points are held.",
	})
	m.expired = prometheus.NewCounter(prometheus.CounterOpts{
		Name: "uncial_holds_expired_total", Help: "Holds that a process left behind and that this process released.",
	})
	m.fetches = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "uncial_fetches_total", Help: "Images fetched from URLs, by outcome: ok, cancelled, failed, or the reason that the answer has in fetch.reason.",
	}, []string{"outcome"})
	m.fetching = prometheus.NewHistogram(prometheus.HistogramOpts{
		Name: "uncial_fetch_seconds", Help: "Time to fetch an image with any outcome, in seconds.", Buckets: durationBuckets,
	})
	m.model = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "uncial_language_model_requests_total", Help: "Proofreading requests to the language model, by outcome: ok, failed or cancelled.",
	}, []string{"outcome"})
	m.modelTook = prometheus.NewHistogram(prometheus.HistogramOpts{
		Name: "uncial_language_model_seconds", Help: "Time that the language model took with any outcome, in seconds.", Buckets: durationBuckets,
	})
	m.registry.MustRegister(m.charged, m.holds, m.expired, m.fetches, m.fetching, m.model, m.modelTook)
	for _, outcome := range []string{"ok", "failed"} { // so that alerts see the first failure as an increase
		m.fetches.WithLabelValues(outcome)
		m.model.WithLabelValues(outcome)
	}
}

// watchStore registers the metrics of the database: the time of statements and transactions, and the use of each pool of
// connections.
func (m *metrics) watchStore(s *store.Store) {
	took := prometheus.NewHistogram(prometheus.HistogramOpts{
		Name: "uncial_database_seconds", Help: "Time of statements and transactions, including the wait for a connection, in seconds.", Buckets: statementBuckets,
	})
	m.registry.MustRegister(took)
	s.Observe(func(d time.Duration) { took.Observe(d.Seconds()) })
	for name, pool := range s.Pools() {
		m.registry.MustRegister(collectors.NewDBStatsCollector(pool, name))
	}
}

// Held implements impl.Observer.
func (m *metrics) Held(n int) { m.holds.Add(float64(n)) }

// Charged implements impl.Observer.
func (m *metrics) Charged(points int64) { m.charged.Add(float64(points)) }

// Fetched implements impl.Observer.
func (m *metrics) Fetched(err error, took time.Duration) {
	m.fetching.Observe(took.Seconds())
	m.fetches.WithLabelValues(fetchOutcome(err)).Inc()
}

// Proofread implements impl.Observer. A call that failed because the caller left does not count as a failure of the model.
func (m *metrics) Proofread(ctx context.Context, err error, took time.Duration) {
	m.modelTook.Observe(took.Seconds())
	switch {
	case err == nil:
		m.model.WithLabelValues("ok").Inc()
	case errors.Is(ctx.Err(), context.Canceled):
		m.model.WithLabelValues("cancelled").Inc()
	default:
		m.model.WithLabelValues("failed").Inc()
	}
}

// fetchOutcome returns the value of the label "outcome". There are few: those below and the reasons in the contract.
func fetchOutcome(err error) string {
	switch {
	case err == nil:
		return "ok"
	case errors.Is(err, context.Canceled):
		return "cancelled"
	}
	if e, ok := errors.AsType[*fetch.Error](err); ok {
		return string(e.Reason)
	}
	return "failed"
}
