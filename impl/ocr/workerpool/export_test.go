package workerpool

import "context"

// WithExhausting returns the options with another exhaustingShare.
func (o Options) WithExhausting(part int) Options {
	o.exhaustingShare = part
	return o
}

// Shutdown refuses new work and waits for running work.
func (p *Pool) Shutdown(ctx context.Context) error { return p.shutdown(ctx) }
