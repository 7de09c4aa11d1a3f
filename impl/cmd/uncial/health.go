package main

import (
	"context"

	"uncial/internal/edge"
)

// healthCmd is for the health checks of containers, because the images contain no curl.
type healthCmd struct {
	URL string `arg:"" default:"http://127.0.0.1:8080/healthz" help:"URL to request (default: ${default})."`
}

// Help returns the text below the flags.
func (healthCmd) Help() string {
	return `Examples:
  uncial health
  uncial health http://127.0.0.1:8090/readyz`
}

// Run fails unless the URL answers with status 200.
func (c *healthCmd) Run(ctx context.Context) error { return edge.Probe(ctx, c.URL) }
