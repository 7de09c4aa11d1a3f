package workerpool

import "context"

// WithExhaustedDivisor returns the options with a different exhaustedDivisor.
func (o Options) WithExhaustedDivisor(divisor int) Options {
	o.exhaustedDivisor = divisor
	return o
}

// Shutdown refuses new work and waits for running work.
func (p *Pool) Shutdown(ctx context.Context) error { return p.shutdown(ctx) }
