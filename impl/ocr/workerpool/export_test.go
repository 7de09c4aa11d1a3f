package workerpool

import "context"

// WithExhausting returns options of a pool that remembers images which used a core for that part of their deadline.
func (o Options) WithExhausting(part int) Options {
	o.exhaustingShare = part
	return o
}

// Shutdown refuses new work and waits for running work.
func (p *Pool) Shutdown(ctx context.Context) error { return p.shutdown(ctx) }
