package app

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"
)

const (
	// checkTimeout is the time limit for the check of one dependency. It is below the timeout of the chart's readiness probe, 3
	// s.
	checkTimeout = 2 * time.Second
	// maxFailures is the number of consecutive failed checks that make the service unready. One is not enough: a short
	// outage of the database would take all replicas out of service at once.
	maxFailures = 2
)

var errNotChecked = errors.New("the health of the service has not been checked yet")

// health answers /readyz. It checks the dependencies in the background, so that an answer costs nothing, however often load
// balancers ask. It is safe for concurrent use.
type health struct {
	check func(context.Context) error
	log   *slog.Logger

	mu       sync.Mutex
	failures int   // consecutive failed checks
	err      error // why the service is not ready; nil if it is ready
}

// newHealth returns the health of a service that is not ready until a check succeeds.
func newHealth(check func(context.Context) error, log *slog.Logger) *health {
	return &health{check: check, log: log, failures: maxFailures, err: errNotChecked}
}

// watch checks at every interval until ctx ends.
func (h *health) watch(ctx context.Context, interval time.Duration) {
	for {
		h.update(ctx)
		select {
		case <-ctx.Done():
			return
		case <-time.After(interval):
		}
	}
}

// update checks once, and logs if the service becomes ready or stops being ready. A check that fails because ctx ended does not
// count.
func (h *health) update(ctx context.Context) {
	err := h.check(ctx)
	if ctx.Err() != nil {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	was := h.err
	if err == nil {
		h.failures, h.err = 0, nil
	} else if h.failures++; h.failures >= maxFailures {
		h.err = err
	}
	switch {
	case was == nil && h.err != nil:
		h.log.Error("not ready", "error", h.err)
	case was != nil && h.err == nil:
		h.log.Info("ready")
	}
}

// ready returns nil if the service can work, and otherwise an error that says why not. It reports the latest checks and never
// waits.
func (h *health) ready(context.Context) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.err
}

// checkHealth writes to the database, and asks the workers or engines whether one of them can read. Each of the two checks may
// take checkTimeout. The error joins both failures.
func (a *App) checkHealth(ctx context.Context) error {
	within := func(f func(context.Context) error) error {
		ctx, cancel := context.WithTimeout(ctx, checkTimeout)
		defer cancel()
		return f(ctx)
	}
	return errors.Join(
		within(func(ctx context.Context) error { return a.data.Store.Probe(ctx, a.o.Now()) }),
		within(a.recognizer.Ready),
	)
}
