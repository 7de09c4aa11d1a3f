package edge_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"uncial/internal/contract"
	"uncial/internal/edge"
)

// The contract suite tries the methods and paths that HTTP clients can send; here are those that they cannot.
func TestHandler_Answers404And405(t *testing.T) {
	t.Parallel()
	d := mustNew(t, func(o *edge.Options) { o.Routes = testRoutes() })
	address := serve(t, d)
	for line, want := range map[string]struct {
		status int
		allow  string
	}{
		"GET /":                                      {404, ""},
		"GET /api/v1/":                               {404, ""},
		"GET //api/v1/status":                        {404, ""},
		"GET /api//v1/status":                        {404, ""},
		"GET /api/v1/../v1/status":                   {404, ""},
		"GET /api/v1/./status":                       {404, ""},
		"GET /api/v1/%73tatus":                       {404, ""},
		"GET /api%2Fv1/status":                       {404, ""},
		"GET /API/v1/status":                         {404, ""},
		"GET /api/v1/status%00":                      {404, ""},
		"GET /api/v1/status;x=1":                     {404, ""},
		"GET /healthz/":                              {404, ""},
		"GET /__test/keys/":                          {404, ""},
		"GET http://elsewhere.example":               {404, ""},
		"OPTIONS *":                                  {404, ""},
		"CONNECT elsewhere.example:443":              {404, ""},
		"post /api/v1/extract":                       {405, "POST"},
		"PUT /api/v1/extract?x=1":                    {405, "POST"},
		"DELETE /docs":                               {405, "GET, HEAD"},
		"POST /healthz":                              {405, "GET, HEAD"},
		"GET /__test/keys/abc":                       {405, "DELETE, PUT"},
		"POST /api/v1/extract":                       {401, ""},
		"GET http://elsewhere.example/api/v1/status": {401, ""},
	} {
		t.Run(line, func(t *testing.T) {
			t.Parallel()
			res := raw(t, address, line+" HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
			assert.Equal(t, want.status, res.StatusCode, res.Body)
			assert.Equal(t, want.allow, res.Header.Get("Allow"))
			assert.Equal(t, "application/json", res.Header.Get("Content-Type"))
			assert.Empty(t, res.Header.Get("Location"))
			assert.NotEmpty(t, res.Header.Get("X-Request-Id"))
			if !strings.HasPrefix(line, http.MethodHead) {
				assert.Contains(t, res.Body, `{"success":false,"error":"`)
			}
		})
	}
}

func TestHandler_ServesRoutes(t *testing.T) {
	t.Parallel()
	d := mustNew(t, func(o *edge.Options) { o.Routes = testRoutes() })
	res := d.do(t, httptest.NewRequest(http.MethodPut, "/__test/keys/a%2Fb", nil))
	assert.Equal(t, "a/b", res.Body)
	_, f := d.fails(t, http.StatusBadRequest, httptest.NewRequest(http.MethodDelete, "/__test/keys/x", nil))
	assert.Equal(t, map[string]string{"key": "must be known"}, f.Details)
	res = d.do(t, httptest.NewRequest(http.MethodPut, "/__test/keys/first", nil))
	assert.Equal(t, "the first", res.Body, "a literal goes before a wildcard")
}

func testRoutes() map[string]http.Handler {
	return map[string]http.Handler{
		"PUT /__test/keys/{key}": http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.WriteString(w, r.PathValue("key"))
		}),
		"DELETE /__test/keys/{key}": http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			edge.WriteError(w, contract.Invalid(map[string]string{"key": "must be known"}))
		}),
		"PUT /__test/keys/first": http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, "the first")
		}),
	}
}

// serve puts the handler on a port of the loopback until the test ends, and returns its address.
func serve(tb testing.TB, h http.Handler) string {
	tb.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(tb, err)
	srv := edge.NewServer(h, nil)
	done := make(chan error, 1)
	go func() { done <- srv.Serve(ln) }()
	tb.Cleanup(func() {
		_ = srv.Close()
		assert.ErrorIs(tb, <-done, http.ErrServerClosed)
	})
	return ln.Addr().String()
}

// raw sends bytes that no HTTP client would and reads one answer.
func raw(t *testing.T, address, text string) answer {
	t.Helper()
	conn, err := net.DialTimeout("tcp", address, 5*time.Second)
	require.NoError(t, err)
	defer func() { _ = conn.Close() }()
	require.NoError(t, conn.SetDeadline(time.Now().Add(10*time.Second)))
	_, err = io.WriteString(conn, text)
	require.NoError(t, err)
	var method string
	_, err = fmt.Sscan(text, &method)
	require.NoError(t, err)
	res, err := http.ReadResponse(bufio.NewReader(conn), &http.Request{Method: method})
	require.NoError(t, err)
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	return answer{StatusCode: res.StatusCode, Header: res.Header, Body: string(body)}
}
