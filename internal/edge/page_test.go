package edge_test

import (
	"context"
	"errors"
	"net/http"
	"os"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"uncial/internal/apidocs"
	"uncial/internal/edge"
)

func TestHandler_ServesProbes(t *testing.T) {
	t.Parallel()
	broken := errors.New("pq: no route to /var/lib/secret")
	d := mustNew(t, func(o *edge.Options) {
		o.Ready = func(ctx context.Context) error {
			_, bounded := ctx.Deadline()
			assert.True(t, bounded, "a probe has a deadline")
			return broken
		}
	})
	res := d.do(t, get("/healthz"))
	assert.Equal(t, http.StatusOK, res.StatusCode)
	assert.JSONEq(t, `{"status":"ok"}`, res.Body)
	_, f := d.fails(t, http.StatusServiceUnavailable, get("/readyz"))
	assert.Equal(t, "SERVER_ERROR", f.Code)
	assert.NotContains(t, f.Message, "secret")
	res = mustNew(t, nil).do(t, get("/readyz"))
	assert.Equal(t, http.StatusOK, res.StatusCode)
	assert.JSONEq(t, `{"status":"ready"}`, res.Body)
}

func TestHandler_ServesOpenAPIByteForByte(t *testing.T) {
	t.Parallel()
	want, err := os.ReadFile("../../openapi.yaml")
	require.NoError(t, err)
	res := mustNew(t, nil).do(t, get("/openapi.yaml"))
	assert.Equal(t, "application/yaml", res.Header.Get("Content-Type"))
	assert.Equal(t, string(want), res.Body)
}

func TestHandler_AnswersHEADOfPages(t *testing.T) {
	t.Parallel()
	d := mustNew(t, func(o *edge.Options) {
		o.Site = func(context.Context) apidocs.Site { return apidocs.Site{URL: "https://ocr.example.org"} }
	})
	for _, path := range []string{"/docs", "/openapi.yaml", "/openapi.json", "/healthz", "/readyz"} {
		res := d.do(t, get(path))
		head := raw(t, serve(t, d), "HEAD "+path+" HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
		assert.Equal(t, http.StatusOK, head.StatusCode, path)
		assert.Equal(t, res.Header.Get("Content-Type"), head.Header.Get("Content-Type"))
		assert.Equal(t, strconv.Itoa(len(res.Body)), head.Header.Get("Content-Length"), path)
	}
}

func TestHandler_NamesItsAddressInTheAPIReference(t *testing.T) {
	t.Parallel()
	address := serve(t, mustNew(t, nil))
	res := raw(t, address, "GET /docs HTTP/1.1\r\nHost: attacker.example\r\nConnection: close\r\n\r\n")
	assert.Contains(t, res.Body, "curl -sS http://"+address+"/api/v1/status")
	assert.NotContains(t, res.Body, "attacker.example")
}

func TestHandler_ServesTheAPIReference(t *testing.T) {
	t.Parallel()
	res := mustNew(t, nil).do(t, get("/docs"))
	require.Equal(t, http.StatusOK, res.StatusCode)
	assert.Equal(t, "text/html; charset=utf-8", res.Header.Get("Content-Type"))
	assert.Contains(t, res.Header.Get("Content-Security-Policy"), "default-src 'none'")
	assert.Contains(t, res.Body, "<!DOCTYPE html>")
}
