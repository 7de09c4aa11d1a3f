package answer

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"mime"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/getkin/kin-openapi/openapi3"
)

// Answer is one answer as it was received, after HTTP has removed its framing. The body is complete: an answer that was cut
// off is an error of the exchange.
type Answer struct {
	Method string
	Path   string // relative to the base path
	Status int
	// Refusal is the status with which HTTP itself requires a refusal, such as 417; 0 for everything else.
	Refusal int
	Header  http.Header
	Body    []byte

	// Served is the contract that the server serves as its own, of whatever version: fields outside of it are problems. nil if
	// it serves none.
	Served  *Contract
	URL     string  // of the request, which an answer may quote
	Request []byte  // body of the request, which an answer may quote
	Origin  string  // header of the request, which Access-Control-Allow-Origin repeats
	Secrets Secrets // the keys of the run, of which no answer may show a part
}

// Check compares the answer with the contract. It returns the members of the body, nil if it is not a JSON object, and one
// sentence for each problem.
func (c *Contract) Check(a Answer) (body map[string]any, problems []string) {
	want := c.expected(a)
	if want == nil {
		return nil, []string{c.undocumented(a)}
	}
	problems = append(problems, c.checkHeaders(a, want)...)
	problems = append(problems, checkContentType(a.Header)...)
	value, err := ParseJSON(a.Body)
	problems = append(problems, leaks(a, value)...)
	// Answers to HEAD have no body (RFC 9110, section 9.3.2).
	if a.Method == http.MethodHead {
		return nil, problems
	}
	if err != nil {
		return nil, append(problems, err.Error())
	}
	// Every documented answer is JSON.
	schema := want.Content.Get("application/json").Schema.Value
	problems = append(problems, checkSchema(schema, value)...)
	if a.Served != nil {
		problems = append(problems, checkUnknown(a.Served.schemaOf(a), value, "")...)
	}
	problems = append(problems, checkLiterals(schema, value, "")...)
	body, _ = value.(map[string]any)
	problems = append(problems, checkFetch(body)...)
	return body, append(problems, checkProse(body)...)
}

// undocumented returns the problem of an answer whose status the contract does not document there. It says which ones it does.
func (c *Contract) undocumented(a Answer) string {
	if a.Refusal != 0 {
		return fmt.Sprintf("HTTP requires %d, whatever the path and the key, not %d", a.Refusal, a.Status)
	}
	if op, ok := c.Operation(a.Method, a.Path); ok {
		return fmt.Sprintf("%s %s must answer with one of %s, not with %d", a.Method, a.Path, strings.Trim(strings.ReplaceAll(fmt.Sprint(op.Statuses()), " ", ", "), "[]"), a.Status)
	}
	if len(c.Methods(a.Path)) > 0 {
		return fmt.Sprintf("%s does not support %s: the answer must be 405, not %d", a.Path, a.Method, a.Status)
	}
	return fmt.Sprintf("there is nothing at %s: the answer must be 404, not %d", a.Path, a.Status)
}

// checkHeaders requires each documented header exactly once and in its form, and no documented header on other answers: a
// RateLimit on a 401 would describe an account to someone without its key.
func (c *Contract) checkHeaders(a Answer, want *openapi3.Response) (problems []string) {
	for _, name := range c.Headers() {
		values, ref := a.Header.Values(name), want.Headers[name]
		switch {
		case ref == nil && len(values) > 0:
			problems = append(problems, fmt.Sprintf("the header %s must not be part of a %d", name, a.Status))
		case ref == nil:
		case len(values) == 0 && ref.Value.Required:
			problems = append(problems, fmt.Sprintf("the header %s is missing", name))
		case len(values) > 1:
			problems = append(problems, fmt.Sprintf("the header %s occurs %d times", name, len(values)))
		case len(values) == 1:
			if err := checkHeaderValue(ref.Value.Schema.Value, values[0]); err != "" {
				problems = append(problems, fmt.Sprintf("the header %s: %q %s", name, values[0], err))
			}
		}
	}
	// Allow is not in the contract, because 405 is not a status of an operation.
	if a.Status == http.StatusMethodNotAllowed {
		problems = append(problems, c.checkAllow(a)...)
	}
	if enc := a.Header.Get("Content-Encoding"); enc != "" {
		problems = append(problems, fmt.Sprintf("the Content-Encoding is %q, which the request did not offer", enc))
	}
	return append(problems, checkDate(a.Header)...)
}

// checkAllow requires exactly the methods of the path (RFC 9110, section 15.5.6).
func (c *Contract) checkAllow(a Answer) []string {
	var got []string
	for _, line := range a.Header.Values("Allow") {
		for method := range strings.SplitSeq(line, ",") {
			if method = strings.TrimSpace(method); method != "" {
				got = append(got, method)
			}
		}
	}
	slices.Sort(got)
	if want := c.Methods(a.Path); !slices.Equal(got, want) {
		return []string{fmt.Sprintf("the header Allow of a 405 must list the methods of the path, %q, not %q", strings.Join(want, ", "), strings.Join(got, ", "))}
	}
	return nil
}

// checkHeaderValue validates a header against its schema and returns what is wrong, or "". Integers must be plain
// digits: some readers accept "+1" or " 1", others do not (RFC 9110, section 10.2.3).
func checkHeaderValue(schema *openapi3.Schema, text string) string {
	var value any = text
	if schema.Type.Is("integer") {
		if !digits(text) {
			return "must consist of digits"
		}
		n, _ := new(big.Float).SetString(text)
		f, _ := n.Float64()
		value = f
	}
	if problems := checkSchema(schema, value); len(problems) > 0 {
		return strings.TrimPrefix(problems[0], "the body ")
	}
	return ""
}

// digits reports whether the text is one or more ASCII digits. Signs, blanks and other scripts are refused.
func digits(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}

// checkContentType requires application/json, alone or with the charset utf-8, which RFC 8259 makes redundant but
// harmless.
func checkContentType(h http.Header) []string {
	values := h.Values("Content-Type")
	if len(values) != 1 {
		return []string{fmt.Sprintf("the header Content-Type occurs %d times", len(values))}
	}
	media, params, err := mime.ParseMediaType(values[0])
	charset, hasCharset := params["charset"]
	if err != nil || media != "application/json" || hasCharset && !strings.EqualFold(charset, "utf-8") || len(params) > 1 || len(params) == 1 && !hasCharset {
		return []string{fmt.Sprintf("the header Content-Type must be application/json, not %q", values[0])}
	}
	return nil
}

// MaxSkew is the maximum deviation of a server's clock. Windows and months are judged by the server's own clock, so a small
// deviation does no harm.
const MaxSkew = 5 * time.Minute

// checkDate requires one Date that is close to our clock, because rate-limit windows are computed from it.
func checkDate(h http.Header) []string {
	values := h.Values("Date")
	if len(values) != 1 {
		return []string{fmt.Sprintf("the header Date occurs %d times (RFC 9110, section 6.6.1)", len(values))}
	}
	date, err := time.Parse(http.TimeFormat, values[0])
	if err != nil {
		return []string{fmt.Sprintf("the header Date: %q is not an HTTP date (RFC 9110, section 5.6.7)", values[0])}
	}
	if off := time.Since(date).Abs(); off > MaxSkew {
		return []string{fmt.Sprintf("the header Date differs from our clock by %s", off.Round(time.Second))}
	}
	return nil
}

// checkSchema validates a value against a schema of the contract.
func checkSchema(schema *openapi3.Schema, value any) (problems []string) {
	// kin-openapi does not check date-time as strictly as RFC 3339; uri does not occur in answers.
	err := schema.VisitJSON(withFloats(value), openapi3.MultiErrors(), openapi3.EnableFormatValidation(),
		openapi3.WithStringFormatValidator("date-time", openapi3.NewCallbackValidator(checkDateTime)))
	if err == nil {
		return nil
	}
	var all openapi3.MultiError
	if !errors.As(err, &all) {
		all = openapi3.MultiError{err}
	}
	for _, e := range all {
		var se *openapi3.SchemaError
		if !errors.As(e, &se) {
			problems = append(problems, "the body: "+e.Error())
			continue
		}
		reason := se.Reason
		for _, w := range plainWords {
			reason = w.theirs.ReplaceAllString(reason, w.ours)
		}
		problems = append(problems, strings.TrimSuffix(location(se.JSONPointer())+" "+reason, " "))
	}
	// The order of properties is random.
	slices.Sort(problems)
	return problems
}

// plainWords rewords the messages of kin-openapi for people who do not know its schemas.
var plainWords = []struct {
	theirs *regexp.Regexp
	ours   string
}{
	{regexp.MustCompile(`^property (".*") is unsupported$`), "has the field $1, which the contract does not have"},
	{regexp.MustCompile(`^property ".*" is missing$`), "is missing"},
	{regexp.MustCompile(`^(?:value )?doesn't match any schema from "(?:any|one)Of"$`), "has none of the forms that the contract allows"},
	{regexp.MustCompile(`^value is not one of the allowed values `), "must be one of "},
	{regexp.MustCompile(`^string doesn't match the regular expression "(.*)"$`), "must match the pattern $1"},
	{regexp.MustCompile(`^string doesn't match the format "(.*?)"`), "must have the format $1"},
	{regexp.MustCompile(`^minimum string length is 1$`), "must not be empty"},
	{regexp.MustCompile(`^minimum string length is (\d+)$`), "must have at least $1 characters"},
	{regexp.MustCompile(`^maximum string length is (\d+)$`), "must have at most $1 characters"},
	{regexp.MustCompile(`^minimum number of items is (\d+)$`), "must have at least $1 items"},
	{regexp.MustCompile(`^maximum number of items is (\d+)$`), "must have at most $1 items"},
	{regexp.MustCompile(`^(?:value|number) must be `), "must be "},
}

// location names the faulty value by its JSON pointer, at the beginning of a problem.
func location(pointer []string) string {
	if len(pointer) == 0 {
		return "the body"
	}
	return "/" + strings.Join(pointer, "/") + ":"
}

// checkDateTime requires an existing instant (RFC 3339, section 5.6), in UTC as the contract says.
func checkDateTime(s string) error {
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		return fmt.Errorf("%q is not a date-time of RFC 3339", s)
	}
	if _, offset := t.Zone(); offset != 0 {
		return fmt.Errorf("%q is not in UTC", s)
	}
	return nil
}

// checkUnknown requires the contract to know every field. The schemas of answers are open, so that later versions can add
// fields.
func checkUnknown(schema *openapi3.Schema, value any, at string) (problems []string) {
	if schema == nil || len(schema.AllOf)+len(schema.AnyOf)+len(schema.OneOf) > 0 { // of other versions
		return nil
	}
	switch v := value.(type) {
	case map[string]any:
		for name, member := range v {
			switch ref := schema.Properties[name]; {
			case ref != nil:
				problems = append(problems, checkUnknown(ref.Value, member, at+"/"+name)...)
			case schema.AdditionalProperties.Schema == nil:
				problems = append(problems, fmt.Sprintf("%s: the contract has no such field", at+"/"+name))
			}
		}
	case []any:
		if schema.Items != nil {
			for i, member := range v {
				problems = append(problems, checkUnknown(schema.Items.Value, member, fmt.Sprintf("%s/%d", at, i))...)
			}
		}
	}
	slices.Sort(problems)
	return problems
}

// checkLiterals requires integers to be written as integers: 10.0 and 1e1 are integers to JSON Schema, but break clients
// in typed languages.
func checkLiterals(schema *openapi3.Schema, value any, at string) (problems []string) {
	switch v := value.(type) {
	case json.Number:
		if schema.Type.Is("integer") && !digits(strings.TrimPrefix(v.String(), "-")) {
			problems = append(problems, fmt.Sprintf("%s: %s is not written as an integer", at, v))
		}
	case map[string]any:
		for name, member := range v {
			if ref := schema.Properties[name]; ref != nil {
				problems = append(problems, checkLiterals(ref.Value, member, at+"/"+name)...)
			}
		}
	case []any:
		if schema.Items != nil {
			for i, member := range v {
				problems = append(problems, checkLiterals(schema.Items.Value, member, fmt.Sprintf("%s/%d", at, i))...)
			}
		}
	}
	slices.Sort(problems)
	return problems
}

// checkFetch requires the time for the next attempt exactly where there should be one.
func checkFetch(body map[string]any) []string {
	fetch, _ := body["fetch"].(map[string]any)
	if fetch == nil {
		return nil
	}
	_, hasTime := fetch["retryAfter"]
	if retryable, ok := fetch["retryable"].(bool); ok && retryable != hasTime {
		return []string{"/fetch/retryAfter must be present if, and only if, /fetch/retryable is true"}
	}
	return nil
}

// checkProse requires errors and details to contain words, and texts to contain no control characters except those that
// separate lines and pages.
func checkProse(body map[string]any) (problems []string) {
	for _, name := range []string{"error", "message"} {
		if s, ok := body[name].(string); ok && !strings.ContainsFunc(s, unicode.IsLetter) {
			problems = append(problems, fmt.Sprintf("/%s: %q contains no words", name, s))
		}
	}
	details, _ := body["details"].(map[string]any)
	// The schema requires strings; here they must say something.
	for field, reason := range details {
		if s, ok := reason.(string); ok && !strings.ContainsFunc(s, unicode.IsLetter) {
			problems = append(problems, fmt.Sprintf("/details/%s: %q contains no words", field, reason))
		}
	}
	if text, ok := body["text"].(string); ok {
		if i := strings.IndexFunc(text, func(r rune) bool {
			return unicode.IsControl(r) && r != '\n' && r != '\f' || strings.ContainsRune(neverOnPages, r)
		}); i >= 0 {
			r, _ := utf8.DecodeRuneInString(text[i:])
			problems = append(problems, fmt.Sprintf("/text contains the character %U, which no page has, after %q", r, lastRunes(text[:i], 20)))
		}
	}
	return problems
}

// neverOnPages are characters that no page has: the replacement character, line separators other than the line feed, the byte
// order mark, and the soft hyphen, which is printed as a hyphen.
const neverOnPages = "\uFFFD\u2028\u2029\uFEFF\u00AD"

// lastRunes returns the end of a text, to show where in it a problem is.
func lastRunes(s string, n int) string {
	r := []rune(s)
	return string(r[max(0, len(r)-n):])
}
