package edge_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"uncial/internal/edge"
)

// TestServe_quotesErrorsOfNetHTTP sends an answer whose body looks like an error of net/http.
func TestServe_quotesErrorsOfNetHTTP(t *testing.T) {
	t.Parallel()
	const quoted = "the server said:\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n400 Bad Request"
	handler := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(http.StatusBadRequest)
		_, _ = io.WriteString(w, quoted)
	})
	address := mustServeErrors(t, handler)
	res, err := http.Get("http://" + address)
	require.NoError(t, err)
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	require.Equal(t, quoted, string(body))
}

// mustServeErrors serves a handler until the test ends, and returns its address.
func mustServeErrors(t *testing.T, h http.Handler) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	ctx, stop := context.WithCancel(t.Context())
	server, done := edge.NewServer(h, nil), make(chan error, 1)
	go func() { done <- edge.Serve(ctx, server, ln, time.Second) }()
	t.Cleanup(func() {
		stop()
		assert.NoError(t, <-done)
	})
	return ln.Addr().String()
}

func TestServe_errorsOfNetHTTP(t *testing.T) {
	t.Parallel()
	address := mustServeErrors(t, mustNew(t, nil))
	for name, c := range map[string]struct {
		request string
		status  int
		field   string
	}{
		"an unknown expectation":         {head("ocr_test_ok", "Expect: 200-ok", "Content-Length: 2") + "{}", 417, "Expect"},
		"an expectation over HTTP/1.0":   {"GET /api/v1/status HTTP/1.0\r\nExpect: x\r\n\r\n", 417, "Expect"},
		"no host":                        {"GET /api/v1/status HTTP/1.1\r\n\r\n", 400, "Host"},
		"two hosts":                      {"GET /api/v1/status HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400, "headers"},
		"an invalid host":                {"GET /api/v1/status HTTP/1.1\r\nHost: a b\r\n\r\n", 400, "Host"},
		"an unknown transfer coding":     {head("ocr_test_ok", "Transfer-Encoding: gzip"), 501, "Transfer-Encoding"},
		"a header without a name":        {"GET /api/v1/status HTTP/1.1\r\nHost: a\r\n: x\r\n\r\n", 400, "headers"},
		"headers of more than 64 KiB":    {head("ocr_test_ok", "X-Long: "+strings.Repeat("x", 80<<10)), 431, "headers"},
		"another version of HTTP":        {"GET /api/v1/status HTTP/3.0\r\nHost: a\r\n\r\n", 505, "headers"},
		"prior knowledge of HTTP/2":      {"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00", 505, "headers"},
		"something other than a request": {"hello\r\n\r\n", 400, "headers"},
	} {
		t.Run("answers "+name, func(t *testing.T) {
			t.Parallel()
			conn := mustDial(t, address)
			_, _ = io.WriteString(conn, c.request) // the server may answer before it has read everything
			res, err := http.ReadResponse(bufio.NewReader(conn), nil)
			require.NoError(t, err)
			defer func() { _ = res.Body.Close() }()
			var body struct {
				Success *bool
				Code    string
				Details map[string]string
			}
			require.NoError(t, json.NewDecoder(res.Body).Decode(&body))
			require.Equal(t, c.status, res.StatusCode)
			require.Equal(t, "application/json", res.Header.Get("Content-Type"))
			require.Equal(t, "no-store", res.Header.Get("Cache-Control"))
			require.NotEmpty(t, res.Header.Get("X-Request-Id"))
			require.NotEmpty(t, res.Header.Get("Date"))
			require.True(t, res.Close)
			require.Equal(t, "INVALID_REQUEST", body.Code)
			require.False(t, *body.Success)
			require.NotEmpty(t, body.Details[c.field], body.Details)
		})
	}
}
