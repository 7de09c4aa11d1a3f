package edge_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	image      = `"imageUrl":"https://example.org/a.jpg"`
	knownNames = "is not a field of this request; known: enhance, format, imageUrl, language"
	noImage    = "is required: the URL of the image to read"
	badTag     = "must be a BCP 47 language tag such as en or de-Latf"
)

func TestHandler_names_every_fault_of_a_body(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat("[", 33) + strings.Repeat("]", 33)
	for name, c := range map[string]struct {
		body string
		want map[string]string
	}{
		"empty":                   {``, details("body", "is empty; must be a JSON object")},
		"blanks alone":            {" \n\t", details("body", "is not JSON: it ends where a value is expected (line 2, column 2)")},
		"a byte order mark":       {"\ufeff{" + image + "}", details("body", "must not begin with a byte order mark")},
		"not UTF-8":               {"{\"imageUrl\":\"https://example.org/\xff\"}", details("body", "must be UTF-8")},
		"UTF-16":                  {"{\x00}\x00", details("body", `is not JSON: a name in double quotes is expected (line 1, column 2)`)},
		"not JSON":                {`imageUrl=x`, details("body", "is not JSON: a value is expected (line 1, column 1)")},
		"cut short":               {`{"imageUrl":`, details("body", "is not JSON: it ends where a value is expected (line 1, column 13)")},
		"an open string":          {`{"imageUrl":"x`, details("body", "is not JSON: it ends where the closing quote of a string is expected (line 1, column 15)")},
		"a trailing comma":        {`{` + image + `,}`, details("body", "is not JSON: a name in double quotes is expected (line 1, column 41)")},
		"a missing comma":         {`{` + image + ` "enhance":true}`, details("body", `is not JSON: "," or "}" is expected (line 1, column 41)`)},
		"a missing colon":         {`{"imageUrl" "x"}`, details("body", `is not JSON: ":" is expected (line 1, column 13)`)},
		"single quotes":           {`{'imageUrl':'x'}`, details("body", "is not JSON: a name in double quotes is expected (line 1, column 2)")},
		"an array without commas": {`["x" 1]`, details("body", `is not JSON: "," or "]" is expected (line 1, column 6)`)},
		"an escape in a name":     {`{"a\x":1}`, details("body", `is not JSON: an escape such as \n or \u00e9 is expected (line 1, column 5)`)},
		"a comment":               {"{\n  // x\n}", details("body", "is not JSON: a name in double quotes is expected (line 2, column 3)")},
		"NaN":                     {`{"enhance":NaN}`, details("body", "is not JSON: a value is expected (line 1, column 12)")},
		"a leading zero":          {`{"enhance":01}`, details("body", `is not JSON: "," or "}" is expected (line 1, column 13)`)},
		"a bare minus":            {`{"enhance":-}`, details("body", "is not JSON: a digit is expected (line 1, column 13)")},
		"a bare point":            {`{"enhance":1.}`, details("body", "is not JSON: a digit is expected (line 1, column 14)")},
		"a bare exponent":         {`{"enhance":1e+}`, details("body", "is not JSON: a digit is expected (line 1, column 15)")},
		"a line feed in a string": {"{\"imageUrl\":\"a\nb\"}", details("body", "is not JSON: a control character in a string must be escaped (line 1, column 15)")},
		"an unknown escape":       {`{"imageUrl":"\x41"}`, details("body", `is not JSON: an escape such as \n or \u00e9 is expected (line 1, column 15)`)},
		"a short escape":          {`{"imageUrl":"\u41"}`, details("body", `is not JSON: an escape such as \n or \u00e9 is expected (line 1, column 15)`)},
		"a lone high surrogate":   {`{"imageUrl":"\ud83d"}`, details("body", "has a lone surrogate, which is no character (line 1, column 20)")},
		"a lone low surrogate":    {`{"imageUrl":"\ude00"}`, details("body", "has a lone surrogate, which is no character (line 1, column 20)")},
		"surrogates in disorder":  {`{"imageUrl":"\ude00\ud83d"}`, details("body", "has a lone surrogate, which is no character (line 1, column 26)")},
		"trailing data":           {`{` + image + `} {}`, details("body", "has data after the JSON value (line 1, column 42)")},
		"two documents":           {`{` + image + `}{` + image + `}`, details("body", "has data after the JSON value (line 1, column 41)")},
		"too deep":                {`{"imageUrl":` + deep + `}`, details("body", "must not nest deeper than 32 levels")},
		"too many values":         {`[` + strings.Repeat("0,", 1_000) + `0]`, details("body", "must not have more than 1,000 values")},
		"an array":                {`[]`, details("body", "must be an object, not an array")},
		"null":                    {`null`, details("body", "must be an object, not null")},
		"a string":                {`"x"`, details("body", "must be an object, not a string")},
		"a number":                {`-1.5e+300`, details("body", "must be an object, not a number")},
		"a boolean":               {`true`, details("body", "must be an object, not a boolean")},

		"nothing in it":          {`{}`, details("imageUrl", noImage)},
		"imageUrl null":          {`{"imageUrl":null}`, details("imageUrl", "must be a string, not null")},
		"imageUrl a number":      {`{"imageUrl":1}`, details("imageUrl", "must be a string, not a number")},
		"imageUrl an object":     {`{"imageUrl":{"url":"x"}}`, details("imageUrl", "must be a string, not an object")},
		"enhance a string":       {`{` + image + `,"enhance":"true"}`, details("enhance", "must be a boolean, not a string")},
		"enhance a huge number":  {`{` + image + `,"enhance":1e999999}`, details("enhance", "must be a boolean, not a number")},
		"enhance null":           {`{` + image + `,"enhance":null}`, details("enhance", "must be a boolean, not null")},
		"format unknown":         {`{` + image + `,"format":"pdf"}`, details("format", "must be one of json, text, hocr, alto, page, tsv")},
		"format in capitals":     {`{` + image + `,"format":"JSON"}`, details("format", "must be one of json, text, hocr, alto, page, tsv")},
		"format a number":        {`{` + image + `,"format":7}`, details("format", "must be a string, not a number")},
		"language empty":         {`{` + image + `,"language":""}`, details("language", badTag)},
		"language with a blank":  {`{` + image + `,"language":"en "}`, details("language", badTag)},
		"language with a NUL":    {`{` + image + `,"language":"en\u0000"}`, details("language", badTag)},
		"language underscored":   {`{` + image + `,"language":"en_GB"}`, details("language", badTag)},
		"language too long":      {`{` + image + `,"language":"en-` + strings.Repeat("a", 40) + `"}`, details("language", badTag)},
		"an unknown field":       {`{` + image + `,"colour":1}`, details("colour", knownNames)},
		"another case":           {`{"ImageURL":"https://example.org/a.jpg"}`, details("ImageURL", "is not a field of this request; write imageUrl", "imageUrl", noImage)},
		"another style":          {`{"image_url":"https://example.org/a.jpg"}`, details("image_url", "is not a field of this request; write imageUrl", "imageUrl", noImage)},
		"both cases":             {`{` + image + `,"IMAGEURL":"x"}`, details("IMAGEURL", "is not a field of this request; write imageUrl")},
		"a name in escapes":      {`{` + image + `,"\u0065nhance":1}`, details("enhance", "must be a boolean, not a number")},
		"a field twice":          {`{` + image + `,` + image + `}`, details("imageUrl", "is given twice")},
		"twice in escapes":       {`{` + image + `,"image\u0055rl":"https://example.org/"}`, details("imageUrl", "is given twice")},
		"twice, three times":     {`{` + image + `,"enhance":true,"enhance":true,"enhance":1}`, details("enhance", "is given twice; must be a boolean, not a number")},
		"twice in the depth":     {`{` + image + `,"enhance":{"a":[{"b":1,"b":2}]}}`, details("/enhance/a/0/b", "is given twice", "enhance", "must be a boolean, not an object")},
		"a pointer with escapes": {`{` + image + `,"a/b":{"~":1,"~":2}}`, details("/a~1b/~0", "is given twice", "a/b", knownNames)},
		"an empty name":          {`{` + image + `,"":1}`, details("/", knownNames)},
		"a name like a pointer":  {`{` + image + `,"/enhance":1}`, details("/~1enhance", knownNames)},
		"an endless name":        {`{` + image + `,"` + strings.Repeat("é", 40) + `":1}`, details(strings.Repeat("é", 32)+"...", knownNames)},
		"everything at once": {`{"imageUrl":"ftp://x","language":5,"enhance":"no","format":"pdf","x":null}`, details(
			"imageUrl", "must be an absolute URL that begins with https:, http: or data:", "language", "must be a string, not a number",
			"enhance", "must be a boolean, not a string", "format", "must be one of json, text, hocr, alto, page, tsv", "x", knownNames)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, f := mustNew(t, nil).fails(t, http.StatusBadRequest, extraction(c.body))
			assert.Equal(t, c.want, f.Details)
			for field, fault := range f.Details {
				assert.Contains(t, f.Message, field+": "+fault)
			}
		})
	}
}

func details(pairs ...string) map[string]string {
	m := map[string]string{}
	for i := 0; i < len(pairs); i += 2 {
		m[pairs[i]] = pairs[i+1]
	}
	return m
}

func TestHandler_bounds_the_faults_of_an_answer(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for i := range 500 {
		fmt.Fprintf(&b, `"x%03d":1,`, i)
	}
	_, f := mustNew(t, nil).fails(t, http.StatusBadRequest, extraction(`{`+b.String()+image+`}`))
	assert.Len(t, f.Details, 33)
	assert.Equal(t, "has 468 more faults", f.Details["body"])
	assert.Contains(t, f.Details, "x031")
}

func TestHandler_names_every_fault_around_a_body(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(*http.Request)
		want   map[string]string
	}{
		"no content type":     {set("Content-Type"), details("Content-Type", "is missing; must be application/json")},
		"another type":        {set("Content-Type", "text/json"), details("Content-Type", "must be application/json")},
		"a form":              {set("Content-Type", "application/x-www-form-urlencoded"), details("Content-Type", "must be application/json")},
		"a suffix":            {set("Content-Type", "application/problem+json"), details("Content-Type", "must be application/json")},
		"a type that is none": {set("Content-Type", "application/json; ="), details("Content-Type", "must be application/json")},
		"another charset":     {set("Content-Type", "application/json; charset=latin1"), details("Content-Type", "must be application/json, with no parameter but charset=utf-8")},
		"two types":           {set("Content-Type", "application/json", "application/json"), details("Content-Type", "is given twice; must be application/json")},
		"compressed":          {set("Content-Encoding", "gzip"), details("Content-Encoding", "must be absent or identity; send the body uncompressed")},
		"compressed twice":    {set("Content-Encoding", "identity", "br"), details("Content-Encoding", "must be absent or identity; send the body uncompressed")},
		"an empty key":        {set("Idempotency-Key", ""), details("Idempotency-Key", "must be 1 to 255 visible ASCII characters")},
		"a key with a blank":  {set("Idempotency-Key", "a b"), details("Idempotency-Key", "must be 1 to 255 visible ASCII characters")},
		"a key beyond ASCII":  {set("Idempotency-Key", "é"), details("Idempotency-Key", "must be 1 to 255 visible ASCII characters")},
		"a key too long":      {set("Idempotency-Key", strings.Repeat("k", 256)), details("Idempotency-Key", "must be 1 to 255 visible ASCII characters")},
		"two keys":            {set("Idempotency-Key", "a", "a"), details("Idempotency-Key", "is given twice")},
		"a query":             {query("verbose=1&x"), details("verbose", "is not a query parameter of this operation; it takes none", "x", "is not a query parameter of this operation; it takes none")},
		"a field as a query":  {query("imageUrl=https://example.org/"), details("imageUrl", "is not a query parameter of this operation; it takes none")},
		"a malformed query":   {query("%zz"), details("query", "is malformed; this operation takes no query parameters")},
		"a semicolon":         {query("a;b"), details("query", "is malformed; this operation takes no query parameters")},
		"several at once": {func(r *http.Request) {
			r.URL.RawQuery = "enhance=1"
			r.Header["Idempotency-Key"] = []string{""}
		}, details("enhance", "is not a query parameter of this operation; it takes none", "Idempotency-Key", "must be 1 to 255 visible ASCII characters")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := extraction(`{` + image + `}`)
			c.change(r)
			_, f := mustNew(t, nil).fails(t, http.StatusBadRequest, r)
			assert.Equal(t, c.want, f.Details)
		})
	}
}

func set(name string, values ...string) func(*http.Request) {
	return func(r *http.Request) { r.Header[name] = values }
}

func query(raw string) func(*http.Request) {
	return func(r *http.Request) { r.URL.RawQuery = raw }
}

func TestHandler_takes_what_is_harmless(t *testing.T) {
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
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := extraction(" {\n" + image + ",\t\"language\" : \"fr\\u006d\"\r} ")
			change(r)
			assert.Equal(t, http.StatusOK, mustNew(t, nil).do(t, r).StatusCode)
		})
	}
}

func TestHandler_bounds_the_body(t *testing.T) {
	t.Parallel()
	const limit = 28 << 20
	body := `{` + image + `}` + strings.Repeat(" ", limit)
	for name, c := range map[string]struct {
		size, length int
		want         int
	}{
		"28 MiB":                          {limit, limit, 200},
		"28 MiB in chunks":                {limit, -1, 200},
		"one byte more":                   {limit + 1, limit + 1, 400},
		"one byte more in chunks":         {limit + 1, -1, 400},
		"one byte more, and none is sent": {0, limit + 1, 400},
		"more than it promises to be":     {limit + 1, 10, 400},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := extraction(body[:c.size])
			r.ContentLength = int64(c.length)
			d := mustNew(t, nil)
			if c.want == http.StatusOK {
				assert.Equal(t, c.want, d.do(t, r).StatusCode)
				return
			}
			_, f := d.fails(t, c.want, r)
			assert.Equal(t, details("body", "must be at most 28 MiB"), f.Details)
		})
	}
}

func TestHandler_tells_of_a_body_that_does_not_arrive(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		err  error
		want string
	}{
		"in time":  {fmt.Errorf("read: %w", os.ErrDeadlineExceeded), "did not arrive in time"},
		"in whole": {fmt.Errorf("unexpected EOF at /internal/place"), "ended early, or is not framed as HTTP requires"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := with(httptest.NewRequest(http.MethodPost, "/api/v1/extract", broken{c.err}))
			_, f := mustNew(t, nil).fails(t, http.StatusBadRequest, r)
			assert.Equal(t, details("body", c.want), f.Details)
		})
	}
}

// broken is a body that fails.
type broken struct{ err error }

func (b broken) Read([]byte) (int, error) { return 0, b.err }

func TestHandler_lets_the_status_have_neither_body_nor_parameters(t *testing.T) {
	t.Parallel()
	d := mustNew(t, nil)
	r := with(httptest.NewRequest(http.MethodGet, "/api/v1/status?a=1", strings.NewReader("{}")))
	res, f := d.fails(t, http.StatusBadRequest, r)
	assert.Equal(t, details("a", "is not a query parameter of this operation; it takes none", "body", "must be absent; this operation takes none"), f.Details)
	assert.NotEmpty(t, res.Header.Get("RateLimit"))
	r = with(httptest.NewRequest(http.MethodGet, "/api/v1/status", broken{fmt.Errorf("EOF")}))
	r.ContentLength = -1
	assert.Equal(t, http.StatusOK, d.do(t, r).StatusCode, "chunks without a byte are no body")
}

// Every rule of the request's schemas must have a sentence of its own.
func TestDocument_has_a_sentence_for_every_rule_of_a_request(t *testing.T) {
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
