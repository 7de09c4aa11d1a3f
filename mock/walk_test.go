package mock_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/stretchr/testify/require"

	"uncial/mock"
)

func TestScenarios_ValidAnswers(t *testing.T) {
	t.Parallel()
	doc := mustContract(t)
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
				_, err := check(doc, r, w.Code, w.Header(), w.Body.Bytes())
				require.NoError(t, err, "%s", w.Body)
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

func mustContract(tb testing.TB) *openapi3.T {
	tb.Helper()
	doc, err := openapi3.NewLoader().LoadFromFile("../openapi.yaml")
	require.NoError(tb, err)
	return doc
}

// check validates a response against openapi.yaml and returns the name of its operation.
func check(doc *openapi3.T, r *http.Request, status int, header http.Header, body []byte) (operation string, err error) {
	route := "/" + path.Base(r.URL.Path)
	item := doc.Paths.Value(route)
	op := item.GetOperation(r.Method)
	return op.OperationID, openapi3filter.ValidateResponse(r.Context(), &openapi3filter.ResponseValidationInput{
		RequestValidationInput: &openapi3filter.RequestValidationInput{
			Request: r, Route: &routers.Route{Spec: doc, Path: route, PathItem: item, Method: r.Method, Operation: op},
		},
		Status: status, Header: header, Body: io.NopCloser(bytes.NewReader(body)),
		Options: &openapi3filter.Options{IncludeResponseStatus: true, MultiError: true},
	})
}
