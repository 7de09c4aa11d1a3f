package workerpool

import "context"

// WithExhaustedShare returns the options with another exhaustedShare.
func (o Options) WithExhaustedShare(part int) Options {
	o.exhaustedShare = part
	return o
}

// Shutdown refuses new work and waits for running work.
func (p *Pool) Shutdown(ctx context.Context) error { return p.shutdown(ctx) }
