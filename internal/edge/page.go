package edge

import (
	"context"
	"net"
	"net/http"
	"strconv"
	"time"

	"uncial/gen"
	"uncial/internal/apidocs"
	"uncial/internal/contract"
)

const (
	healthPath   = "/healthz"
	readyPath    = "/readyz"
	docsPath     = "/docs"
	readyTimeout = 2 * time.Second // of Options.Ready
)

// addPages registers the routes outside the versioned path: probes, openapi.yaml and the API reference.
func (h *handler) addPages() error {
	spec, err := gen.GetSpecJSON()
	if err != nil {
		return err
	}
	for path, page := range map[string]func(x *exchange, r *http.Request) error{
		healthPath:      health,
		readyPath:       h.ready,
		docsPath:        h.docs,
		"/openapi.yaml": staticPage("application/yaml", gen.Document),
		"/openapi.json": staticPage("application/json", spec),
	} {
		serve := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if err := page(exchangeOf(w), r); err != nil {
				WriteError(w, err)
			}
		})
		h.router.add(http.MethodGet, path, serve)
		h.router.add(http.MethodHead, path, serve)
	}
	return nil
}

// probe is the answer to a probe that succeeds. Orchestrators look at the status only.
type probe struct {
	Status string `json:"status"`
}

// health answers /healthz: it only shows that the process can answer.
func health(x *exchange, _ *http.Request) error {
	return gen.WriteJSON(x, http.StatusOK, probe{"ok"})
}

// ready answers /readyz. It fails while a dependency fails, so that a load balancer sends no requests; /healthz does not, so
// that an orchestrator does not restart a server that only waits.
func (h *handler) ready(x *exchange, r *http.Request) error {
	if h.Ready != nil {
		ctx, cancel := context.WithTimeout(r.Context(), readyTimeout)
		defer cancel()
		if err := h.Ready(ctx); err != nil {
			return contract.Unready(err)
		}
	}
	return gen.WriteJSON(x, http.StatusOK, probe{"ready"})
}

// docs answers /docs with the API reference.
func (h *handler) docs(x *exchange, r *http.Request) error {
	html, err := apidocs.Page(h.site(r))
	if err != nil {
		return err
	}
	x.Header().Set("Content-Security-Policy", apidocs.SecurityPolicy)
	x.Header().Set("Referrer-Policy", "no-referrer")
	return staticPage("text/html; charset=utf-8", html)(x, r)
}

// site describes the server for its pages.
func (h *handler) site(r *http.Request) apidocs.Site {
	site := h.Site(r.Context())
	site.TryPath = tryPath
	if site.URL == "" {
		site.URL, site.URLIsGuessed = localURL(r.Context()), true
	}
	return site
}

// localURL returns the address at which the request arrived. It is not taken from the Host header, which the client chooses.
func localURL(ctx context.Context) string {
	if addr, ok := ctx.Value(http.LocalAddrContextKey).(net.Addr); ok {
		return "http://" + addr.String()
	}
	return "http://localhost"
}

// staticPage serves the same bytes to everyone. Browsers must not guess another content type.
func staticPage(contentType string, body []byte) func(x *exchange, _ *http.Request) error {
	return func(x *exchange, _ *http.Request) error {
		h := x.Header()
		h.Set("Content-Type", contentType)
		h.Set("Content-Length", strconv.Itoa(len(body)))
		h.Set("X-Content-Type-Options", "nosniff")
		_, err := x.Write(body)
		return err
	}
}
