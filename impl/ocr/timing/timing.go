// Package timing records how long the steps of one reading took. A worker has no network, so it sends these times with its answer,
// and the service makes spans of them (package tracing). Start with With.
package timing

import (
	"context"
	"sync"
	"time"
)

// MaxSteps bounds the steps of one reading, 10 pages of some 30 steps; further ones are not recorded.
const MaxSteps = 500

// Step is one step of a reading. Steps may lie within others.
type Step struct {
	Name   string `json:"name"`
	Start  int64  `json:"start_us"`  // since the reading began, in microseconds
	Length int64  `json:"length_us"` // in microseconds
}

// Recorder collects the steps of one reading. It is safe for concurrent use.
type Recorder struct {
	began time.Time

	mu    sync.Mutex
	steps []Step
}

type key struct{}

// With returns a context whose steps the recorder collects, from now on.
func With(ctx context.Context) (context.Context, *Recorder) {
	r := &Recorder{began: time.Now()}
	return context.WithValue(ctx, key{}, r), r
}

// Begin begins a step; the function that it returns ends it. Without a recorder in ctx both do nothing.
func Begin(ctx context.Context, name string) (end func()) {
	r, ok := ctx.Value(key{}).(*Recorder)
	if !ok {
		return func() {}
	}
	began := time.Now()
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		if len(r.steps) < MaxSteps {
			r.steps = append(r.steps, Step{name, began.Sub(r.began).Microseconds(), time.Since(began).Microseconds()})
		}
	}
}

// Steps returns what was recorded, in the order in which the steps ended.
func (r *Recorder) Steps() []Step {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]Step(nil), r.steps...)
}
