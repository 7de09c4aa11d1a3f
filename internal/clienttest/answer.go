package clienttest

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/stretchr/testify/require"

	"uncial/gen"
)

var contract = sync.OnceValues(gen.GetSpec)

// Contract returns openapi.yaml, parsed once. Do not change it.
func Contract(tb testing.TB) *openapi3.T {
	tb.Helper()
	doc, err := contract()
	require.NoError(tb, err)
	return doc
}

// RequireValid requires an answer of one of the operations to be valid by openapi.yaml, headers included. Answers of other
// paths and methods are not in the contract, and pass.
func RequireValid(tb testing.TB, r *http.Request, status int, header http.Header, body []byte) {
	tb.Helper()
	doc, path := Contract(tb), strings.TrimPrefix(r.URL.EscapedPath(), "/api/v1")
	item := doc.Paths.Value(path)
	if item == nil || item.GetOperation(r.Method) == nil {
		return
	}
	require.NoError(tb, openapi3filter.ValidateResponse(r.Context(), &openapi3filter.ResponseValidationInput{
		RequestValidationInput: &openapi3filter.RequestValidationInput{
			Request: r, Route: &routers.Route{Spec: doc, Path: path, PathItem: item, Method: r.Method, Operation: item.GetOperation(r.Method)},
		},
		Status: status, Header: header, Body: io.NopCloser(bytes.NewReader(body)),
		Options: &openapi3filter.Options{IncludeResponseStatus: true, MultiError: true},
	}), "%s", body)
}
