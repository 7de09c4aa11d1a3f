package request_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"uncial/gen"
	"uncial/internal/request"
)

// mustSpec parses openapi.yaml once.
var mustSpec = sync.OnceValue(func() *openapi3.T {
	doc, err := gen.GetSpec()
	if err != nil {
		panic(err)
	}
	return doc
})

// extract is the operation POST /extract.
var extract = sync.OnceValue(func() *request.Operation {
	return request.NewOperation(mustSpec().Paths.Value("/extract").Post)
})

func extraction(body string) *http.Request {
	r := httptest.NewRequest(http.MethodPost, "/api/v1/extract", strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	return r
}

// check returns what is wrong with an extraction, and the valid request.
func check(r *http.Request) (details map[string]string, valid *http.Request) {
	valid, err := extract().Check(httptest.NewRecorder(), r)
	return detailsOf(err), valid
}

// detailsOf returns the details of a 400, nil if the request is valid.
func detailsOf(err error) map[string]string {
	if invalid := (*request.Invalid)(nil); errors.As(err, &invalid) {
		return invalid.Details
	}
	return nil
}

func details(pairs ...string) map[string]string {
	m := map[string]string{}
	for i := 0; i < len(pairs); i += 2 {
		m[pairs[i]] = pairs[i+1]
	}
	return m
}

const image = `"imageUrl":"https://example.org/a.jpg"`

func TestOperation_Check_ReportsParametersAndHeaders(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(*http.Request)
		want   map[string]string
	}{
		"no content type":    {set("Content-Type"), details("Content-Type", "is missing; must be application/json")},
		"another type":       {set("Content-Type", "text/json"), details("Content-Type", "must be application/json")},
		"a form":             {set("Content-Type", "application/x-www-form-urlencoded"), details("Content-Type", "must be application/json")},
		"a suffix":           {set("Content-Type", "application/problem+json"), details("Content-Type", "must be application/json")},
		"a malformed type":   {set("Content-Type", "application/json; ="), details("Content-Type", "must be application/json")},
		"another charset":    {set("Content-Type", "application/json; charset=latin1"), details("Content-Type", "must be application/json, with no parameter except charset=utf-8")},
		"two types":          {set("Content-Type", "application/json", "application/json"), details("Content-Type", "is given twice; must be application/json")},
		"compressed":         {set("Content-Encoding", "gzip"), details("Content-Encoding", "must be absent or identity; send the body uncompressed")},
		"compressed twice":   {set("Content-Encoding", "identity", "br"), details("Content-Encoding", "must be absent or identity; send the body uncompressed")},
		"an empty key":       {set("Idempotency-Key", ""), details("Idempotency-Key", "must be 1 to 255 visible ASCII characters")},
		"a key with a space": {set("Idempotency-Key", "a b"), details("Idempotency-Key", "must be 1 to 255 visible ASCII characters")},
		"a key beyond ASCII": {set("Idempotency-Key", "é"), details("Idempotency-Key", "must be 1 to 255 visible ASCII characters")},
		"a key too long":     {set("Idempotency-Key", strings.Repeat("k", 256)), details("Idempotency-Key", "must be 1 to 255 visible ASCII characters")},
		"two keys":           {set("Idempotency-Key", "a", "a"), details("Idempotency-Key", "is given twice")},
		"a query":            {query("verbose=1&x"), details("verbose", "is not a query parameter of this operation; it takes none", "x", "is not a query parameter of this operation; it takes none")},
		"a field as a query": {query("imageUrl=https://example.org/"), details("imageUrl", "is not a query parameter of this operation; it takes none")},
		"a malformed query":  {query("%zz"), details("query", "is malformed; this operation takes no query parameters")},
		"a semicolon":        {query("a;b"), details("query", "is malformed; this operation takes no query parameters")},
		"several at once": {func(r *http.Request) {
			r.URL.RawQuery = "enhance=1"
			r.Header["Idempotency-Key"] = []string{""}
		}, details("enhance", "is not a query parameter of this operation; it takes none", "Idempotency-Key", "must be 1 to 255 visible ASCII characters")},
	} {
		t.Run("reports "+name, func(t *testing.T) {
			t.Parallel()
			r := extraction(`{` + image + `}`)
			c.change(r)
			got, _ := check(r)
			assert.Equal(t, c.want, got)
		})
	}
}

func set(name string, values ...string) func(*http.Request) {
	return func(r *http.Request) { r.Header[name] = values }
}

func query(raw string) func(*http.Request) {
	return func(r *http.Request) { r.URL.RawQuery = raw }
}

func TestOperation_Check_AcceptsHarmlessHeaders(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*http.Request){
		"a charset":                set("Content-Type", "application/json; charset=utf-8"),
		"a charset in capitals":    set("Content-Type", "Application/JSON;charset=\"UTF-8\""),
		"no compression":           set("Content-Encoding", "identity"),
		"a key of 255 characters":  set("Idempotency-Key", strings.Repeat("~", 255)),
		"a question mark":          func(r *http.Request) { r.URL.ForceQuery = true },
		"an unknown header":        set("X-Whatever", "1", "2"),
		"a body of unknown length": func(r *http.Request) { r.ContentLength = -1 },
	} {
		t.Run("accepts "+name, func(t *testing.T) {
			t.Parallel()
			r := extraction(" {\n" + image + ",\t\"language\" : \"fr\\u006d\"\r} ")
			change(r)
			got, valid := check(r)
			require.Empty(t, got)
			body, err := io.ReadAll(valid.Body)
			require.NoError(t, err)
			assert.JSONEq(t, `{`+image+`,"language":"frm"}`, string(body))
		})
	}
}

func TestOperation_Check_BoundsTheBody(t *testing.T) {
	t.Parallel()
	const limit = 28 << 20
	body := `{` + image + `}` + strings.Repeat(" ", limit)
	for name, c := range map[string]struct {
		size, length int
		isValid      bool
	}{
		"28 MiB":                            {limit, limit, true},
		"28 MiB in chunks":                  {limit, -1, true},
		"one byte more":                     {limit + 1, limit + 1, false},
		"one byte more in chunks":           {limit + 1, -1, false},
		"one byte more declared, none sent": {0, limit + 1, false},
		"longer than its declared length":   {limit + 1, 10, false},
	} {
		t.Run("checks "+name, func(t *testing.T) {
			t.Parallel()
			r := extraction(body[:c.size])
			r.ContentLength = int64(c.length)
			got, _ := check(r)
			if c.isValid {
				assert.Empty(t, got)
			} else {
				assert.Equal(t, details("body", "must be at most 28 MiB"), got)
			}
		})
	}
}

func TestOperation_Check_ReportsBodiesThatDoNotArrive(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		sent string
		err  error
		want string
	}{
		"reports a body that is late":         {"", fmt.Errorf("read: %w", os.ErrDeadlineExceeded), "did not arrive in time"},
		"reports a body that ends early":      {"", fmt.Errorf("unexpected EOF at /internal/place"), "ended early, or is not framed as HTTP requires"},
		"reports a late body after a problem": {`{"imageUrl":x`, os.ErrDeadlineExceeded, "did not arrive in time"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := extraction("")
			r.Body, r.ContentLength = io.NopCloser(io.MultiReader(strings.NewReader(c.sent), broken{c.err})), -1
			got, _ := check(r)
			assert.Equal(t, details("body", c.want), got)
		})
	}
}

// broken is a body that fails.
type broken struct{ err error }

func (b broken) Read([]byte) (int, error) { return 0, b.err }

func TestOperation_Check_RefusesABodyThatIsNotDocumented(t *testing.T) {
	t.Parallel()
	status := request.NewOperation(mustSpec().Paths.Value("/status").Get)
	r := httptest.NewRequest(http.MethodGet, "/api/v1/status?a=1", strings.NewReader("{}"))
	_, err := status.Check(httptest.NewRecorder(), r)
	assert.Equal(t, details("a", "is not a query parameter of this operation; it takes none", "body", "must be absent; this operation takes no body"), detailsOf(err))
	r = httptest.NewRequest(http.MethodGet, "/api/v1/status", broken{io.ErrUnexpectedEOF})
	r.ContentLength = -1
	_, err = status.Check(httptest.NewRecorder(), r)
	assert.NoError(t, err, "chunks without a byte are not a body")
}

// A rule without a sentence would be reported with a reference to openapi.yaml only.
func TestDocument_HasASentenceForEveryRuleOfARequest(t *testing.T) {
	t.Parallel()
	doc := mustSpec()
	for name, property := range doc.Components.Schemas["ExtractionRequest"].Value.Properties {
		s := property.Value
		if s.Pattern != "" || s.MinLength > 0 && s.Format != "uri" {
			assert.NotEmpty(t, s.Extensions["x-rule"], name)
		}
		require.NotNil(t, s.Type, name)
		assert.True(t, s.Type.Is("string") || s.Type.Is("boolean"), "%s: a type that the sentences do not know", name)
	}
	for _, item := range doc.Paths.Map() {
		for _, op := range item.Operations() {
			for _, p := range op.Parameters {
				assert.Equal(t, "header", p.Value.In, p.Value.Name)
				assert.NotEmpty(t, p.Value.Schema.Value.Extensions["x-rule"], p.Value.Name)
			}
		}
	}
}
