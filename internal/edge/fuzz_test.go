package edge_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"uncial/internal/clienttest"
	"uncial/internal/edge"
)

// FuzzHandler_ServeHTTP sends any request line, headers and body: every answer is valid by openapi.yaml, and every error has
// the form of the contract.
func FuzzHandler_ServeHTTP(f *testing.F) {
	f.Add("GET", "/api/v1/status", "Bearer "+goodKey, "", "", "")
	f.Add("POST", "/api/v1/extract?x=1", "bearer  x=", "application/json; charset=utf-8", "k", "{}")
	f.Add("POST", "/api/v1/extract", "Bearer "+goodKey, "application/json", "k", smallBody)
	f.Add("OPTIONS", "*", "", "text/plain", "\x00", "")
	d := mustNew(f, func(o *edge.Options) { o.CORSOrigins = []string{"*"} })
	f.Fuzz(func(t *testing.T, method, target, authorization, contentType, key, body string) {
		u, err := url.ParseRequestURI(target)
		if err != nil || method == "" {
			t.Skip("net/http refuses the request line")
		}
		d.gate.remaining = 60
		r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(body))
		r.Method, r.URL = method, u
		r.Header = http.Header{"Authorization": {authorization}, "Content-Type": {contentType}, "Idempotency-Key": {key}, "Origin": {key}}
		rec := httptest.NewRecorder()
		d.ServeHTTP(rec, r)
		d.log.Reset()
		clienttest.RequireValid(t, r, rec.Code, rec.Header(), rec.Body.Bytes())
		if rec.Code >= 400 && (rec.Header().Get("Content-Type") != "application/json" || !json.Valid(rec.Body.Bytes())) {
			t.Fatalf("%d in another form: %s", rec.Code, rec.Body)
		}
	})
}
