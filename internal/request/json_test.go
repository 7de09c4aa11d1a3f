package request_test

import (
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
)

const (
	knownNames = "is not a field of this request; known: enhance, format, imageUrl, language"
	noImage    = "is required; give the URL of the image to read"
	badTag     = "must be a BCP 47 language tag such as en or de-Latf"
)

var tooDeep = strings.Repeat("[", 33) + strings.Repeat("]", 33)

// bodyProblems are the details of a 400 for each body.
var bodyProblems = map[string]struct {
	body string
	want map[string]string
}{
	"empty":                         {``, details("body", "is empty; must be a JSON object")},
	"white space alone":             {" \n\t", details("body", "is not JSON: it ends where a value is expected (line 2, column 2)")},
	"a byte order mark":             {"\ufeff{" + image + "}", details("body", "must not begin with a byte order mark")},
	"not UTF-8":                     {"{\"imageUrl\":\"https://example.org/\xff\"}", details("body", "must be UTF-8")},
	"UTF-16":                        {"{\x00}\x00", details("body", `is not JSON: a name in double quotes is expected (line 1, column 2)`)},
	"not JSON":                      {`imageUrl=x`, details("body", "is not JSON: a value is expected (line 1, column 1)")},
	"cut short":                     {`{"imageUrl":`, details("body", "is not JSON: it ends where a value is expected (line 1, column 13)")},
	"an open string":                {`{"imageUrl":"x`, details("body", "is not JSON: it ends where the closing quote of a string is expected (line 1, column 15)")},
	"a trailing comma":              {`{` + image + `,}`, details("body", "is not JSON: a name in double quotes is expected (line 1, column 41)")},
	"a missing comma":               {`{` + image + ` "enhance":true}`, details("body", `is not JSON: "," or "}" is expected (line 1, column 41)`)},
	"a missing colon":               {`{"imageUrl" "x"}`, details("body", `is not JSON: ":" is expected (line 1, column 13)`)},
	"single quotes":                 {`{'imageUrl':'x'}`, details("body", "is not JSON: a name in double quotes is expected (line 1, column 2)")},
	"an array without commas":       {`["x" 1]`, details("body", `is not JSON: "," or "]" is expected (line 1, column 6)`)},
	"an escape in a name":           {`{"a\x":1}`, details("body", `is not JSON: an escape such as \n or \u00e9 is expected (line 1, column 5)`)},
	"a comment":                     {"{\n  // x\n}", details("body", "is not JSON: a name in double quotes is expected (line 2, column 3)")},
	"NaN":                           {`{"enhance":NaN}`, details("body", "is not JSON: a value is expected (line 1, column 12)")},
	"a leading zero":                {`{"enhance":01}`, details("body", `is not JSON: "," or "}" is expected (line 1, column 13)`)},
	"a bare minus":                  {`{"enhance":-}`, details("body", "is not JSON: a digit is expected (line 1, column 13)")},
	"a bare point":                  {`{"enhance":1.}`, details("body", "is not JSON: a digit is expected (line 1, column 14)")},
	"a bare exponent":               {`{"enhance":1e+}`, details("body", "is not JSON: a digit is expected (line 1, column 15)")},
	"a line feed in a string":       {"{\"imageUrl\":\"a\nb\"}", details("body", "is not JSON: a control character in a string must be escaped (line 1, column 15)")},
	"an unknown escape":             {`{"imageUrl":"\x41"}`, details("body", `is not JSON: an escape such as \n or \u00e9 is expected (line 1, column 15)`)},
	"a short escape":                {`{"imageUrl":"\u41"}`, details("body", `is not JSON: an escape such as \n or \u00e9 is expected (line 1, column 15)`)},
	"a lone high surrogate":         {`{"imageUrl":"\ud83d"}`, details("body", "has a lone surrogate, which is not a character (line 1, column 20)")},
	"a lone low surrogate":          {`{"imageUrl":"\ude00"}`, details("body", "has a lone surrogate, which is not a character (line 1, column 20)")},
	"surrogates in the wrong order": {`{"imageUrl":"\ude00\ud83d"}`, details("body", "has a lone surrogate, which is not a character (line 1, column 26)")},
	"trailing data":                 {`{` + image + `} {}`, details("body", "has data after the JSON value (line 1, column 42)")},
	"two documents":                 {`{` + image + `}{` + image + `}`, details("body", "has data after the JSON value (line 1, column 41)")},
	"too deep":                      {`{"imageUrl":` + tooDeep + `}`, details("body", "must not nest deeper than 32 levels")},
	"too many values":               {`[` + strings.Repeat("0,", 1_000) + `0]`, details("body", "must not have more than 1,000 values")},
	"an array":                      {`[]`, details("body", "must be an object, not an array")},
	"null":                          {`null`, details("body", "must be an object, not null")},
	"a string":                      {`"x"`, details("body", "must be an object, not a string")},
	"a number":                      {`-1.5e+300`, details("body", "must be an object, not a number")},
	"a boolean":                     {`true`, details("body", "must be an object, not a boolean")},

	"an empty object":        {`{}`, details("imageUrl", noImage)},
	"imageUrl null":          {`{"imageUrl":null}`, details("imageUrl", "must be a string, not null")},
	"imageUrl a number":      {`{"imageUrl":1}`, details("imageUrl", "must be a string, not a number")},
	"imageUrl an object":     {`{"imageUrl":{"url":"x"}}`, details("imageUrl", "must be a string, not an object")},
	"enhance a string":       {`{` + image + `,"enhance":"true"}`, details("enhance", "must be a boolean, not a string")},
	"enhance a huge number":  {`{` + image + `,"enhance":1e999999}`, details("enhance", "must be a boolean, not a number")},
	"enhance null":           {`{` + image + `,"enhance":null}`, details("enhance", "must be a boolean, not null")},
	"format unknown":         {`{` + image + `,"format":"docx"}`, details("format", "must be one of json, text, hocr, alto, page, tsv, pdf")},
	"format in capitals":     {`{` + image + `,"format":"JSON"}`, details("format", "must be one of json, text, hocr, alto, page, tsv, pdf")},
	"format a number":        {`{` + image + `,"format":7}`, details("format", "must be a string, not a number")},
	"language empty":         {`{` + image + `,"language":""}`, details("language", badTag)},
	"language with a space":  {`{` + image + `,"language":"en "}`, details("language", badTag)},
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
	"everything at once": {`{"imageUrl":"ftp://x","language":5,"enhance":"no","format":"docx","x":null}`, details(
		"imageUrl", "must be an absolute URL that begins with https:, http: or data:", "language", "must be a string, not a number",
		"enhance", "must be a boolean, not a string", "format", "must be one of json, text, hocr, alto, page, tsv, pdf", "x", knownNames)},
}

func TestOperation_Check_ReportsEveryProblemOfABody(t *testing.T) {
	t.Parallel()
	for name, c := range bodyProblems {
		t.Run("reports "+name, func(t *testing.T) {
			t.Parallel()
			got, _ := check(extraction(c.body))
			assert.Equal(t, c.want, got)
		})
	}
}

func TestOperation_Check_BoundsTheProblems(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for i := range 500 {
		fmt.Fprintf(&b, `"x%03d":1,`, i)
	}
	got, _ := check(extraction(`{` + b.String() + image + `}`))
	assert.Len(t, got, 33)
	assert.Equal(t, "has 468 more problems", got["body"])
	assert.Contains(t, got, "x031")
}

// The body arrives in pieces of any size, and every problem is still where it is.
func TestOperation_Check_DoesNotDependOnHowABodyArrives(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		`{"imageUrl":"https://example.org/\u00e9\ud83d\ude00é","language":"\u0065n"}`, "{\n  \"é\": tru }", "{\"a\":\"\xc3\x28\"}",
		`{"imageUrl":"data:image/png;base64,AA%2B\/\r\nAA=="}`, `{"imageUrl":"data:;base64,AA-_","imageUrl":"data:;base64,AA+"}`,
	} {
		whole, _ := check(extraction(body))
		r := extraction("")
		r.Body, r.ContentLength = io.NopCloser(iotest.OneByteReader(strings.NewReader(body))), -1
		pieces, _ := check(r)
		assert.Equal(t, whole, pieces, body)
	}
}
