package app

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"
)

const (
	lookLimit = 2 * time.Second // for each thing that is looked at
	patience  = 2               // failures in a row that count: a moment's trouble takes no replica out
)

var errNotLooked = errors.New("the service has not looked yet whether it can work")

// health knows whether the service can work. It looks on its own, so that to be asked costs nothing.
type health struct {
	look func(context.Context) error
	log  *slog.Logger

	mu     sync.Mutex
	failed int   // looks in a row
	err    error // that makes the service unready, or nil
}

// newHealth is not ready until a look went well.
func newHealth(look func(context.Context) error, log *slog.Logger) *health {
	return &health{look: look, log: log, failed: patience, err: errNotLooked}
}

// watch looks until ctx ends.
func (h *health) watch(ctx context.Context, every time.Duration) {
	for {
		h.once(ctx)
		select {
		case <-ctx.Done():
			return
		case <-time.After(every):
		}
	}
}

// once looks, and notes what it saw.
func (h *health) once(ctx context.Context) {
	err := h.look(ctx)
	if ctx.Err() != nil {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	was := h.err
	if err == nil {
		h.failed, h.err = 0, nil
	} else if h.failed++; h.failed >= patience {
		h.err = err
	}
	switch {
	case was == nil && h.err != nil:
		h.log.Error("not ready", "error", h.err)
	case was != nil && h.err == nil:
		h.log.Info("ready")
	}
}

// ready is what keeps the service from working, or nil.
func (h *health) ready(context.Context) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.err
}

// look asks the database to take something and the workers or engines whether one can read.
func (a *App) look(ctx context.Context) error {
	within := func(f func(context.Context) error) error {
		ctx, cancel := context.WithTimeout(ctx, lookLimit)
		defer cancel()
		return f(ctx)
	}
	return errors.Join(
		within(func(ctx context.Context) error { return a.data.Store.Probe(ctx, a.o.Now()) }),
		within(a.recognizer.Ready),
	)
}
