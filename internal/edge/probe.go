package edge

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"uncial/internal/reach"
)

// probeTimeout is also the time limit of the health checks in our images.
const probeTimeout = 3 * time.Second

// Probe checks the health of a running server at a URL such as "http://127.0.0.1:8080/healthz". It returns nil if the server
// answers 200 within 3 s, and otherwise an error that says what to check.
func Probe(ctx context.Context, url string) error {
	ctx, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		return err
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return reach.Explain(req.URL, err)
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("%s returned %s; expected 200", url, res.Status)
	}
	return nil
}
