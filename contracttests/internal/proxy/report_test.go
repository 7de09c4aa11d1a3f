package proxy_test

import (
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"uncial/contracttests/internal/proxy"
)

func TestProxy_reportsInvalidRequests(t *testing.T) {
	t.Parallel()
	for _, allowed := range []bool{false, true} {
		address, stop := mustProxy(t, honest(), proxy.Options{AllowInvalidRequests: allowed})
		status, _, _ := mustSend(t, http.DefaultClient, address, call{key: "ok", body: `{"imageUrl":"http://mock.invalid/printed","dpi":300}`})
		require.Equal(t, 400, status)
		report := stop()
		if allowed {
			assert.Zero(t, report.Violations)
			continue
		}
		require.Equal(t, 1, report.Violations)
		v := report.Kinds[0].Examples[0]
		assert.Equal(t, "request", v.Side)
		assert.Contains(t, v.Problem, `has the field "dpi", which the contract does not have`)
		assert.NotEmpty(t, v.RequestID)
	}
}

// TestProxy_reportsALenientServer shows that allowed invalid requests must still be refused.
func TestProxy_reportsALenientServer(t *testing.T) {
	t.Parallel()
	lenient := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Body = io.NopCloser(strings.NewReader(`{"imageUrl":"http://mock.invalid/printed"}`))
		r.ContentLength = -1
		honest().ServeHTTP(w, r)
	})
	address, stop := mustProxy(t, lenient, proxy.Options{AllowInvalidRequests: true})
	status, _, _ := mustSend(t, http.DefaultClient, address, call{key: "ok", body: `{"imageUrl":"http://mock.invalid/printed","dpi":300}`})
	require.Equal(t, 200, status)
	require.Contains(t, stop().Kinds[0].Examples[0].Problem, "a 200 to an invalid request")
}

// TestProxy_reportsEveryProblem sends a status record without its header Link, whose points do not add up.
func TestProxy_reportsEveryProblem(t *testing.T) {
	t.Parallel()
	wrong := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer := httptest.NewRecorder()
		honest().ServeHTTP(answer, r)
		body := regexp.MustCompile(`"pointsUsed":\d+`).ReplaceAll(answer.Body.Bytes(), []byte(`"pointsUsed":7`))
		maps.Copy(w.Header(), answer.Header())
		w.Header().Del("Link")
		w.Header().Set("Content-Length", strconv.Itoa(len(body)))
		_, _ = w.Write(body)
	})
	var problems []string
	address, stop := mustProxy(t, wrong, proxy.Options{Violation: func(v proxy.Violation) { problems = append(problems, v.Problem) }})
	mustSend(t, http.DefaultClient, address, call{key: "ok"})
	stop()
	all := strings.Join(problems, "\n")
	assert.Contains(t, all, "Link")
	assert.Contains(t, all, "add up to")
}

func TestProxy_reportsNetworkFaults(t *testing.T) {
	t.Parallel()
	for fault, want := range map[string]string{
		"reset":  "no answer: connection reset",
		"cut":    "the answer ended before its body was complete: connection closed",
		"length": "the body is not JSON",
	} {
		t.Run(fault, func(t *testing.T) {
			t.Parallel()
			address, stop := mustProxy(t, honest(), proxy.Options{})
			r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address+"/api/v1/extract", strings.NewReader(`{"imageUrl":"http://mock.invalid/`+fault+`"}`))
			require.NoError(t, err)
			r.Header.Set("Authorization", "Bearer ocr_test_ok_fault")
			r.Header.Set("Content-Type", "application/json")
			res, err := http.DefaultClient.Do(r)
			if err == nil {
				var body []byte
				body, err = io.ReadAll(res.Body)
				_ = res.Body.Close()
				assert.True(t, err != nil || !json.Valid(body), "the client gets no intact answer")
			}
			report := stop()
			require.Equal(t, 1, report.Violations, report.Kinds)
			assert.Contains(t, report.Kinds[0].Examples[0].Problem, want)
		})
	}
}
