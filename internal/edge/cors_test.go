package edge_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"

	"uncial/internal/edge"
)

const page = "https://app.example.org"

func preflight(path, origin string) *http.Request {
	r := httptest.NewRequest(http.MethodOptions, path, nil)
	r.Header.Set("Origin", origin)
	r.Header.Set("Access-Control-Request-Method", "POST")
	r.Header.Set("Access-Control-Request-Headers", "authorization,content-type")
	return r
}

func allowing(origins ...string) func(*edge.Options) {
	return func(o *edge.Options) { o.CORSOrigins = origins }
}

func TestHandler_SendsNoCORSHeadersByDefault(t *testing.T) {
	t.Parallel()
	d := mustNew(t, nil)
	res, _ := d.fails(t, http.StatusMethodNotAllowed, preflight("/api/v1/extract", page))
	assert.Empty(t, res.Header.Get("Access-Control-Allow-Origin"))
	res = d.do(t, extraction(smallBody, "Origin", page))
	assert.Equal(t, http.StatusOK, res.StatusCode)
	assert.Empty(t, res.Header.Get("Access-Control-Allow-Origin"))
	assert.Empty(t, res.Header.Get("Vary"))
}

func TestHandler_AnswersPreflights(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		origins []string
		allowed string
		vary    string
	}{
		"answers pages of all origins":     {[]string{"*"}, "*", ""},
		"answers pages of a listed origin": {[]string{"https://other.example.org", page}, page, "Origin"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			res := mustNew(t, allowing(c.origins...)).do(t, preflight("/api/v1/extract", page))
			assert.Equal(t, http.StatusNoContent, res.StatusCode)
			assert.Equal(t, c.allowed, res.Header.Get("Access-Control-Allow-Origin"))
			assert.Equal(t, c.vary, res.Header.Get("Vary"))
			assert.Equal(t, "POST", res.Header.Get("Access-Control-Allow-Methods"))
			assert.Equal(t, "authorization,content-type", res.Header.Get("Access-Control-Allow-Headers"))
			assert.Equal(t, "600", res.Header.Get("Access-Control-Max-Age"))
		})
	}
}

func TestHandler_LetsPermittedOriginsReadEveryAnswer(t *testing.T) {
	t.Parallel()
	d := mustNew(t, allowing(page))
	for status, r := range map[int]*http.Request{
		200: extraction(smallBody, "Origin", page),
		400: extraction(`{}`, "Origin", page),
		401: extraction(smallBody, "Origin", page, "Authorization", ""),
		404: preflight("/nothing", page),
		405: with(httptest.NewRequest(http.MethodPut, "/api/v1/extract", nil), "Origin", page),
	} {
		res := d.do(t, r)
		assert.Equal(t, status, res.StatusCode)
		assert.Equal(t, page, res.Header.Get("Access-Control-Allow-Origin"), status)
		assert.Contains(t, res.Header.Get("Access-Control-Expose-Headers"), "RateLimit")
	}
}

func TestHandler_LetsOtherOriginsReadNothing(t *testing.T) {
	t.Parallel()
	d := mustNew(t, allowing(page))
	for _, r := range []*http.Request{preflight("/api/v1/extract", "https://evil.example"), extraction(smallBody, "Origin", "null"), extraction(smallBody)} {
		res := d.do(t, r)
		assert.Empty(t, res.Header.Get("Access-Control-Allow-Origin"))
		assert.Equal(t, "Origin", res.Header.Get("Vary"))
	}
}
