package edge

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"uncial/gen"
	"uncial/internal/apidocs"
)

const (
	healthPath   = "/healthz"
	readyPath    = "/readyz"
	readyTimeout = 2 * time.Second
)

// addPages adds what stands outside the versioned path: probes and the document.
func (d *door) addPages() error {
	spec, err := gen.GetSpecJSON()
	if err != nil {
		return err
	}
	pages := map[string]handlerFunc{
		healthPath:      health,
		readyPath:       d.ready,
		"/docs":         docs,
		"/openapi.yaml": staticPage("application/yaml", gen.Document),
		"/openapi.json": staticPage("application/json", spec),
	}
	for path, h := range pages {
		d.routes.add(http.MethodGet, path, h)
		d.routes.add(http.MethodHead, path, h)
	}
	return nil
}

// docs serves the API reference.
func docs(x *exchange, r *http.Request) error {
	html, err := apidocs.HTML()
	if err != nil {
		return err
	}
	x.Header().Set("Content-Security-Policy", apidocs.SecurityPolicy)
	x.Header().Set("Referrer-Policy", "no-referrer")
	return staticPage("text/html; charset=utf-8", html)(x, r)
}

type probe struct {
	Status string `json:"status"`
}

func health(x *exchange, _ *http.Request) error {
	return x.writeJSON(http.StatusOK, probe{"ok"})
}

func (d *door) ready(x *exchange, r *http.Request) error {
	if d.Ready != nil {
		ctx, cancel := context.WithTimeout(r.Context(), readyTimeout)
		defer cancel()
		if err := d.Ready(ctx); err != nil {
			return unready(err)
		}
	}
	return x.writeJSON(http.StatusOK, probe{"ready"})
}

// staticPage answers with the same bytes always.
func staticPage(contentType string, body []byte) handlerFunc {
	return func(x *exchange, _ *http.Request) error {
		h := x.Header()
		h.Set("Content-Type", contentType)
		h.Set("Content-Length", strconv.Itoa(len(body)))
		h.Set("X-Content-Type-Options", "nosniff")
		_, err := x.Write(body)
		return err
	}
}
