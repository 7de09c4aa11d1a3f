package mock_test

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"uncial/internal/clienttest"
	"uncial/mock"
)

func TestScenarios_ValidAnswers(t *testing.T) {
	t.Parallel()
	for _, s := range mock.Scenarios() {
		if isFault(s) {
			continue // their answers are damaged on purpose; see fault_test.go
		}
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			imageURL := "https://a.example/"
			if s.By == "image" {
				imageURL = s.Name
			}
			for _, r := range []*http.Request{
				asking(s, extractionAt("", "ocr_test_ok", `{"imageUrl":"`+imageURL+`","enhance":true,"format":"alto"}`)),
				asking(s, statusAt("", "ocr_test_ok")),
			} {
				w := httptest.NewRecorder()
				mock.New(mock.Options{}).ServeHTTP(w, r)
				clienttest.RequireValid(t, r, w.Code, w.Header(), w.Body.Bytes())
			}
		})
	}
}

func isFault(s mock.Scenario) bool {
	return slices.ContainsFunc(mock.AllFaults(), func(f mock.Fault) bool {
		return strings.HasSuffix(s.Name, f.String()) && strings.ContainsAny(s.Name[:len(s.Name)-len(f.String())], "_/=")
	})
}

// asking adds the scenario's key or header to the request.
func asking(s mock.Scenario, r *http.Request) *http.Request {
	switch s.By {
	case "key":
		r.Header.Set("Authorization", "Bearer "+s.Name)
	case "header":
		r.Header.Set("Prefer", s.Name[len("Prefer: "):])
	}
	return r
}
