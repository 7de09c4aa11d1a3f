package main

import (
	"context"
	"fmt"
	"net/http"
	"time"
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
func (c *healthCmd) Run(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.URL, http.NoBody)
	if err != nil {
		return err
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("%s answered %s", c.URL, res.Status)
	}
	return nil
}
