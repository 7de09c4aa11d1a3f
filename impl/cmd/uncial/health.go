package main

import (
	"context"

	"uncial/internal/edge"
)

// healthCmd is for health checks in containers that have no other program.
type healthCmd struct {
	URL string `arg:"" default:"http://127.0.0.1:8080/healthz" help:"Address to ask (default: ${default})."`
}

// Help is shown below the flags.
func (healthCmd) Help() string {
	return `Examples:
  uncial health
  uncial health http://127.0.0.1:8090/readyz`
}

// Run succeeds where the address answers 200.
func (c *healthCmd) Run(ctx context.Context) error { return edge.Probe(ctx, c.URL) }
