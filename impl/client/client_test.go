package client_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"uncial/gen"
	"uncial/impl/client"
)

const goodBody = `{"success":true,"text":"Arma virumque cano","confidence":0.5,"pointsUsed":10,"remainingPoints":90}`

func answer(w http.ResponseWriter, status int, body string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, body)
}

// mustServe answers requests with the steps in turn, and all later ones with the last step. asked counts requests.
func mustServe(tb testing.TB, steps ...http.HandlerFunc) (url string, asked *atomic.Int64) {
	tb.Helper()
	asked = new(atomic.Int64)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		steps[min(int(asked.Add(1)), len(steps))-1](w, r)
	}))
	tb.Cleanup(server.Close)
	return server.URL, asked
}

func good(w http.ResponseWriter, _ *http.Request) { answer(w, 200, goodBody) }

func refuse(status int, code, message string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Request-Id", "R1")
		answer(w, status, `{"success":false,"error":"No.","code":"`+code+`","message":"`+message+`"}`)
	}
}

func waitFor(after string, then http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Retry-After", after)
		then(w, r)
	}
}

func closeConnection(w http.ResponseWriter, _ *http.Request) {
	conn, _, err := w.(http.Hijacker).Hijack()
	if err == nil {
		_ = conn.Close()
	}
}

func halfResponse(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", "500")
	_, _ = io.WriteString(w, goodBody[:20])
}

func mustClient(tb testing.TB, url string) *client.Client {
	tb.Helper()
	c, err := client.New(url, "ocr_live_x", time.Minute)
	require.NoError(tb, err)
	c.SetPause(10 * time.Millisecond)
	return c
}

var request = gen.ExtractionRequest{ImageURL: "https://images.example.org/page.jpg"}

func TestClient_Extract_Retries(t *testing.T) {
	t.Parallel()
	busy := refuse(500, "SERVER_ERROR", "busy")
	for _, c := range []struct {
		name  string
		first http.HandlerFunc
	}{
		{"an internal error", busy},
		{"too many requests", waitFor("0", refuse(429, "RATE_LIMITED", "wait"))},
		{"a date in Retry-After", waitFor("Mon, 02 Jan 2006 15:04:05 GMT", busy)},
		{"a proxy without its server", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(502) }},
		{"a lost connection", closeConnection},
		{"an incomplete response", halfResponse},
		{"half of the JSON", func(w http.ResponseWriter, _ *http.Request) { answer(w, 200, goodBody[:20]) }},
		{"a refusal that is cut off", func(w http.ResponseWriter, _ *http.Request) { answer(w, 400, `{"success":fal`) }},
	} {
		t.Run("retries after "+c.name, func(t *testing.T) {
			t.Parallel()
			var mu sync.Mutex
			keys := map[string]bool{}
			remember := func(then http.HandlerFunc) http.HandlerFunc {
				return func(w http.ResponseWriter, r *http.Request) {
					mu.Lock()
					keys[r.Header.Get("Idempotency-Key")] = true
					mu.Unlock()
					then(w, r)
				}
			}
			url, asked := mustServe(t, remember(c.first), remember(good))
			var notices []error
			got, err := mustClient(t, url).Extract(t.Context(), "key-1", request, func(failed error, _ time.Duration) {
				notices = append(notices, failed)
			})
			require.NoError(t, err)
			assert.Equal(t, "Arma virumque cano", got.Answer.Text)
			assert.EqualValues(t, 2, asked.Load())
			assert.Len(t, notices, 1)
			assert.Len(t, keys, 1, "both tries carry the same Idempotency-Key")
			assert.NotContains(t, keys, "")
		})
	}
}

func TestClient_Extract_NoRetry(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		step   http.HandlerFunc
		status int
		text   string
	}{
		{"a bad request", refuse(400, "INVALID_REQUEST", "imageUrl: no"), 400, "imageUrl: no"},
		{"a bad key", refuse(401, "INVALID_API_KEY", "bad key"), 401, "bad key"},
		{"no points", refuse(402, "INSUFFICIENT_POINTS", "2 are left"), 402, "2 are left"},
		{"a server of another API", func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "nope", 404) }, 404, "check the service URL"},
		{"a redirect", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "https://else.test/", http.StatusMovedPermanently)
		}, 301, "redirect to"},
		{"a page of another server", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "<html>") }, 200, "does not come from Uncial"},
		{"JSON of another server", func(w http.ResponseWriter, _ *http.Request) { answer(w, 200, `{}`) }, 200, "does not come from Uncial"},
		{"a wait beyond the time limit", waitFor("3600", refuse(429, "RATE_LIMITED", "wait")), 429, "no time to wait 1h0m0s"},
	} {
		t.Run("does not retry after "+c.name, func(t *testing.T) {
			t.Parallel()
			url, asked := mustServe(t, c.step)
			_, err := mustClient(t, url).Extract(t.Context(), "key-1", request, nil)
			var refused *client.Refusal
			require.ErrorAs(t, err, &refused)
			assert.Equal(t, c.status, refused.Status)
			assert.Contains(t, err.Error(), c.text)
			assert.EqualValues(t, 1, asked.Load())
		})
	}
}

func TestClient_Extract_MaxTries(t *testing.T) {
	t.Parallel()
	url, asked := mustServe(t, waitFor("0", refuse(500, "SERVER_ERROR", "broken")))
	_, err := mustClient(t, url).Extract(t.Context(), "key-1", request, nil)
	require.EqualError(t, err, "the service returned 500: broken (X-Request-Id R1)")
	assert.EqualValues(t, 5, asked.Load())
}

func TestClient_Extract_LostForGood(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		step http.HandlerFunc
		text string
	}{
		"a lost connection": {closeConnection, "lost the connection to the service: EOF; the extraction may have been charged"},
		"half a response":   {halfResponse, "the response was damaged in transit: unexpected EOF; the extraction may have been charged"},
	} {
		url, asked := mustServe(t, c.step)
		_, err := mustClient(t, url).Extract(t.Context(), "key-1", request, nil)
		require.EqualError(t, err, c.text, name)
		assert.GreaterOrEqual(t, asked.Load(), int64(5), name)
	}
}

func TestClient_Extract_RetryAfter(t *testing.T) {
	t.Parallel()
	url, _ := mustServe(t, waitFor("1", refuse(429, "RATE_LIMITED", "wait")), good)
	start := time.Now()
	_, err := mustClient(t, url).Extract(t.Context(), "key-1", request, nil)
	require.NoError(t, err)
	assert.GreaterOrEqual(t, time.Since(start), time.Second)
}

func TestClient_Extract_Timeout(t *testing.T) {
	t.Parallel()
	url, _ := mustServe(t, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	c, err := client.New(url, "k", 200*time.Millisecond)
	require.NoError(t, err)
	_, err = c.Extract(t.Context(), "key-1", request, nil)
	require.EqualError(t, err, "no response within 200ms; the extraction may have been charged")
}

func TestClient_Extract_Cancelled(t *testing.T) {
	t.Parallel()
	for _, step := range []http.HandlerFunc{
		func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
		waitFor("30", refuse(500, "SERVER_ERROR", "busy")),
	} {
		url, _ := mustServe(t, step)
		ctx, cancel := context.WithCancel(t.Context())
		start := time.Now()
		time.AfterFunc(300*time.Millisecond, cancel)
		_, err := mustClient(t, url).Extract(ctx, "key-1", request, nil)
		require.ErrorIs(t, err, context.Canceled)
		assert.Less(t, time.Since(start), 5*time.Second)
	}
}

func TestClient_Extract_NoServer(t *testing.T) {
	t.Parallel()
	url, _ := mustServe(t, good)
	conn, err := net.Dial("tcp", url[len("http://"):])
	require.NoError(t, err)
	defer func() { _ = conn.Close() }()
	nobody := mustClient(t, "http://"+conn.LocalAddr().String()) // the client end of a connection: nobody can listen there
	var notices int
	_, err = nobody.Extract(t.Context(), "key-1", request, func(error, time.Duration) { notices++ })
	var broken *client.ConnectionError
	require.ErrorAs(t, err, &broken)
	assert.True(t, broken.Unreachable())
	assert.Contains(t, err.Error(), "cannot connect to the service")
	assert.Equal(t, 1, notices, "an address that never answered is tried twice")

	server := httptest.NewTLSServer(http.HandlerFunc(good))
	defer server.Close()
	_, err = mustClient(t, server.URL).Extract(t.Context(), "key-1", request, nil)
	require.ErrorAs(t, err, &broken)
	assert.True(t, broken.Unreachable(), "an untrusted certificate is not retried")
}

func TestClient_Extract_RestartingServer(t *testing.T) {
	t.Parallel()
	server := httptest.NewUnstartedServer(waitFor("0", refuse(500, "SERVER_ERROR", "stopping")))
	server.Config.SetKeepAlivesEnabled(false)
	server.Start()
	defer server.Close()
	var notices int
	_, err := mustClient(t, server.URL).Extract(t.Context(), "key-1", request, func(error, time.Duration) {
		notices++
		_ = server.Listener.Close()
	})
	var broken *client.ConnectionError
	require.ErrorAs(t, err, &broken)
	assert.Equal(t, 4, notices)
}

func TestNew(t *testing.T) {
	t.Parallel()
	var path string
	url, _ := mustServe(t, func(w http.ResponseWriter, r *http.Request) {
		path = r.URL.Path
		assert.Equal(t, "Bearer ocr_live_x", r.Header.Get("Authorization"))
		good(w, r)
	})
	for base, want := range map[string]string{
		url:                       "/api/v1/extract",
		url + "/":                 "/api/v1/extract",
		url + "/api/v1":           "/api/v1/extract",
		url + "/api/v1/":          "/api/v1/extract",
		url + "/behind/a/gateway": "/behind/a/gateway/api/v1/extract",
	} {
		_, err := mustClient(t, base).Extract(t.Context(), "key-1", request, nil)
		require.NoError(t, err)
		assert.Equal(t, want, path)
	}
	for _, base := range []string{"", "127.0.0.1:8080", "localhost", "ftp://a.test", "http://", "http://a.test?x=1", "http://a b"} {
		_, err := client.New(base, "k", time.Minute)
		require.ErrorContains(t, err, "expected one such as http://127.0.0.1:8080", base)
	}
	for _, key := range []string{"", "a b", "a\n", "é"} {
		_, err := client.New(url, key, time.Minute)
		require.ErrorContains(t, err, "key", key)
	}
}

func TestClient_Extract_retriesExactlyWhatIsRetryable(t *testing.T) {
	t.Parallel()
	seconds := int64(0)
	for name, c := range map[string]struct {
		fetch *gen.FetchFailure
		tries int
	}{
		"retries if the server of the image is busy": {&gen.FetchFailure{Reason: "busy", Retryable: true, RetryAfter: &seconds}, 2},
		"does not retry if the image is missing":     {&gen.FetchFailure{Reason: "not-found"}, 1},
		"retries for a reason of a later version":    {&gen.FetchFailure{Reason: "on-the-moon", Retryable: true, RetryAfter: &seconds}, 2},
		"does not retry a malformed request":         {nil, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			failed := false
			f, url := mustFake(t, func(string) gen.ExtractResponseObject {
				if failed {
					return nil
				}
				failed = true
				answer := invalid("imageUrl: no image").(gen.Extract400JSONResponse)
				answer.Body.Fetch = c.fetch
				return answer
			})
			_, _, status := extract(t.Context(), t, url, "https://images.example.org/page.jpg")
			assert.Len(t, f.requests, c.tries)
			assert.Equal(t, c.tries == 1, status != 0)
			assert.Len(t, f.keys, 1, "all tries have the same Idempotency-Key")
		})
	}
}
