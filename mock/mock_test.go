package mock_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// extractionAt returns an extraction request. Headers are pairs of name and value.
func extractionAt(base, key, body string, headers ...string) *http.Request {
	r := request(http.MethodPost, base+"/api/v1/extract", body, headers...)
	r.Header.Set("Authorization", "Bearer "+key)
	r.Header.Set("Content-Type", "application/json")
	return r
}

func statusAt(base, key string, headers ...string) *http.Request {
	r := request(http.MethodGet, base+"/api/v1/status", "", headers...)
	r.Header.Set("Authorization", "Bearer "+key)
	return r
}

func control(method, path, body string) *http.Request {
	return request(method, path, body)
}

// request returns a request from this machine. With a path it is for a handler, with a whole URL for a client.
func request(method, url, body string, headers ...string) *http.Request {
	r := httptest.NewRequest(method, url, strings.NewReader(body))
	r.RequestURI = ""
	if body == "" {
		r.Body = http.NoBody
	}
	if !strings.HasPrefix(url, "http") {
		r.RemoteAddr, r.Host = "127.0.0.1:50000", "127.0.0.1:4010"
	}
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Add(headers[i], headers[i+1])
	}
	return r
}

// image is the body of an extraction of an image scenario.
func image(name string) string { return `{"imageUrl":"http://mock.invalid/` + name + `"}` }

// answer is any body of the contract.
type answer struct {
	Success            *bool
	Text               *string
	Document           string
	Confidence         float64
	Enhanced           *bool
	Language           string
	Edits              []map[string]any
	Plan, Status       string
	PointsUsed         int64
	PointsRemaining    int64
	PointsTotal        int64
	RemainingPoints    *int64
	RateLimitRemaining int64
	RateLimit          struct{ Limit, Remaining, Reset int64 }
	ProcessingTime     int64
	Code, Message      string
	Details            map[string]string
	NextReset          string
	raw                []byte
	header             http.Header
}

// do sends the request and requires the status.
func do(tb testing.TB, h http.Handler, status int, r *http.Request) answer {
	tb.Helper()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	require.Equal(tb, status, w.Code, "%s", w.Body)
	a := answer{raw: w.Body.Bytes(), header: w.Header()}
	require.NoError(tb, json.NewDecoder(bytes.NewReader(a.raw)).Decode(&a), "%s", a.raw)
	return a
}
