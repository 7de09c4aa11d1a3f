package mock_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
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

	"uncial/gen"
	"uncial/mock"
)

// The generated client gets every status of both operations with documented scenarios only.
func TestGeneratedClient_EveryStatus(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	srv := httptest.NewServer(mock.New(mock.Options{}))
	t.Cleanup(srv.Close)
	referee := &referee{doc: mustContract(t), seen: map[string]bool{}}
	dial := func(key string) *gen.ClientWithResponses {
		client, err := gen.NewClientWithResponses(srv.URL+"/api/v1", gen.WithHTTPClient(&http.Client{Transport: referee}),
			gen.WithRequestEditorFn(func(_ context.Context, r *http.Request) error {
				r.Header.Set("Authorization", "Bearer "+key)
				return nil
			}))
		require.NoError(t, err)
		return client
	}
	extract := func(key, imageURL string) *gen.ExtractResponse {
		res, err := dial(key).ExtractWithResponse(ctx, nil, gen.ExtractionRequest{ImageURL: imageURL})
		require.NoError(t, err)
		return res
	}
	status := func(key string, editors ...gen.RequestEditorFn) *gen.StatusResponse {
		res, err := dial(key).StatusWithResponse(ctx, editors...)
		require.NoError(t, err)
		return res
	}

	ok := extract("ocr_test_ok", "https://images.example.org/page-001.jpg").JSON200
	require.NotEmpty(t, ok.Text)
	require.Equal(t, int64(9_990), *ok.RemainingPoints)
	require.Contains(t, extract("ocr_test_ok", "http://mock.invalid/400").JSON400.Details, "imageUrl")
	require.Equal(t, gen.INVALIDAPIKEY, extract("ocr_test_expired", "http://mock.invalid/printed").JSON401.Code)
	require.Equal(t, int64(2), extract("ocr_test_ok", "http://mock.invalid/402").JSON402.RemainingPoints)
	require.Equal(t, int64(10_000), extract("ocr_test_ratelimited", "http://mock.invalid/printed").JSON429.RemainingPoints)
	require.Equal(t, gen.SERVERERROR, extract("ocr_test_err", "http://mock.invalid/printed").JSON500.Code)

	require.Equal(t, int64(10), status("ocr_test_ok").JSON200.PointsUsed)
	prefer := func(_ context.Context, r *http.Request) error {
		r.Header.Set("Prefer", "code=400")
		return nil
	}
	require.Contains(t, status("ocr_test_ok", prefer).JSON400.Details, "Prefer")
	require.Equal(t, gen.INVALIDAPIKEY, status("ocr_test_revoked").JSON401.Code)
	require.Equal(t, gen.SERVERERROR, status("ocr_test_err").JSON500.Code)

	require.Equal(t, documented(referee.doc), slices.Sorted(maps.Keys(referee.seen)))
}

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

// documented returns every operation with each of its statuses, sorted.
func documented(doc *openapi3.T) []string {
	var all []string
	for _, item := range doc.Paths.Map() {
		for _, op := range item.Operations() {
			for status := range op.Responses.Map() {
				all = append(all, op.OperationID+" "+status)
			}
		}
	}
	slices.Sort(all)
	return all
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

// referee is a transport that fails on responses outside the contract and remembers the others.
type referee struct {
	doc  *openapi3.T
	seen map[string]bool // operation and status
}

func (f *referee) RoundTrip(r *http.Request) (*http.Response, error) {
	res, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(res.Body)
	if err != nil {
		return nil, err
	}
	_ = res.Body.Close()
	res.Body = io.NopCloser(bytes.NewReader(body))
	operation, err := check(f.doc, r, res.StatusCode, res.Header, body)
	if err != nil {
		return nil, fmt.Errorf("status %d breaks the contract: %w", res.StatusCode, err)
	}
	f.seen[fmt.Sprintf("%s %d", operation, res.StatusCode)] = true
	return res, nil
}
