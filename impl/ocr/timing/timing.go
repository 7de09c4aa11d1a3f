// Package timing records the durations of the steps of a reading. A worker has no network, so it sends them with its answer,
// and the service turns them into spans (package tracing). Start with With.
package timing

import (
	"context"
	"sync"
	"time"
)

// MaxSteps is the maximum number of steps that are recorded for a reading. 10 pages have about 30 steps each.
const MaxSteps = 500

// Step is the duration of one step of a reading. Steps may be nested.
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

// With returns a context and a recorder that collects the steps begun with it. Times count from this call.
func With(ctx context.Context) (context.Context, *Recorder) {
	r := &Recorder{began: time.Now()}
	return context.WithValue(ctx, key{}, r), r
}

// Begin begins a step; the function that it returns ends it. If ctx has no recorder, both do nothing.
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

// Steps returns the recorded steps in the order in which they ended.
func (r *Recorder) Steps() []Step {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]Step(nil), r.steps...)
}
