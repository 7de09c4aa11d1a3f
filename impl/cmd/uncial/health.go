package main

import (
	"context"
	"fmt"
	"net/url"

	"uncial/internal/edge"
)

// healthCmd is for the health checks of containers, because the images contain no curl.
type healthCmd struct {
	URL string `arg:"" default:"http://127.0.0.1:8080" help:"Base URL of the service, or the URL of a probe (default: ${default})."`
}

func (healthCmd) Help() string {
	return `The command requests /healthz, which answers while the process runs. If the URL names another probe, such as /readyz, it requests that one.

Examples:
  uncial health
  uncial health https://uncial.example.org
  uncial health http://127.0.0.1:8090/readyz`
}

// Run prints ok, or fails unless the URL answers with status 200.
func (c *healthCmd) Run(ctx context.Context, con *console) error {
	u, err := url.Parse(c.URL)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return fmt.Errorf("invalid URL %q; expected one such as http://127.0.0.1:8080", c.URL)
	}
	if u.Path == "" || u.Path == "/" {
		u = u.JoinPath("healthz")
	}
	if err := edge.Probe(ctx, u.String()); err != nil {
		return err
	}
	return con.print(false, nil, "ok\n")
}
