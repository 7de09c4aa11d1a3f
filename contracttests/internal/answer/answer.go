package answer

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"mime"
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/getkin/kin-openapi/openapi3"
)

// Answer is one answer as it came over the wire.
type Answer struct {
	Method string
	Path   string // relative to the base path
	Status int
	Header http.Header
	Body   []byte // whole, as sent

	Request []byte   // the body and the address of the request, which an answer may quote
	Secrets []string // what no answer may contain: the keys of the run
}

// Check holds the answer against the document. It returns the members of the body, nil where there is no JSON object,
// and one sentence for each fault.
func (c *Contract) Check(a Answer) (body map[string]any, faults []string) {
	want := c.expected(a)
	if want == nil {
		return nil, []string{c.undocumented(a)}
	}
	faults = append(faults, c.checkHeaders(a, want)...)
	faults = append(faults, checkContentType(a.Header)...)
	faults = append(faults, leaks(a)...)
	if a.Method == http.MethodHead {
		return nil, faults
	}
	value, err := ParseJSON(a.Body)
	if err != nil {
		return nil, append(faults, err.Error())
	}
	schema := want.Content.Get("application/json").Schema.Value
	faults = append(faults, checkSchema(schema, value)...)
	faults = append(faults, checkLiterals(schema, value, "")...)
	body, _ = value.(map[string]any)
	return body, append(faults, checkProse(body)...)
}

func (c *Contract) undocumented(a Answer) string {
	if op, ok := c.Operation(a.Method, a.Path); ok {
		return fmt.Sprintf("%s %s answers only with %s, not with %d", a.Method, a.Path, list(op.Statuses()), a.Status)
	}
	if len(c.Methods(a.Path)) > 0 {
		return fmt.Sprintf("%s is not a method of %s: the answer must be 405, not %d", a.Method, a.Path, a.Status)
	}
	return fmt.Sprintf("there is nothing at %s: the answer must be 404, not %d", a.Path, a.Status)
}

func list(statuses []int) string {
	words := make([]string, len(statuses))
	for i, s := range statuses {
		words[i] = fmt.Sprint(s)
	}
	return strings.Join(words, ", ")
}

// checkHeaders wants each documented header once and in its form, and none of the document's headers where they do not
// belong: a RateLimit on a 401 would tell of an account to someone who has no key of it.
func (c *Contract) checkHeaders(a Answer, want *openapi3.Response) (faults []string) {
	names := make([]string, 0, len(c.headers))
	for name := range c.headers {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		values, ref := a.Header.Values(name), want.Headers[name]
		switch {
		case ref == nil && len(values) > 0:
			faults = append(faults, fmt.Sprintf("the header %s does not belong to a %d", name, a.Status))
		case ref == nil:
		case len(values) == 0 && ref.Value.Required:
			faults = append(faults, fmt.Sprintf("the header %s is missing", name))
		case len(values) > 1:
			faults = append(faults, fmt.Sprintf("the header %s stands %d times", name, len(values)))
		case len(values) == 1:
			if err := checkHeaderValue(ref.Value.Schema.Value, values[0]); err != "" {
				faults = append(faults, fmt.Sprintf("the header %s: %q %s", name, values[0], err))
			}
		}
	}
	if a.Status == http.StatusMethodNotAllowed {
		faults = append(faults, c.checkAllow(a)...)
	}
	if enc := a.Header.Get("Content-Encoding"); enc != "" {
		faults = append(faults, fmt.Sprintf("the body is encoded as %q, which the request did not offer", enc))
	}
	return append(faults, checkDate(a.Header)...)
}

// checkAllow wants the methods of the path, no less and no more (RFC 9110, section 15.5.6).
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
		return []string{fmt.Sprintf("a 405 names the methods of the path in Allow: %q, not %q", strings.Join(want, ", "), strings.Join(got, ", "))}
	}
	return nil
}

func checkHeaderValue(schema *openapi3.Schema, text string) string {
	var value any = text
	if schema.Type.Is("integer") {
		if !digits(text) {
			return "must be digits alone"
		}
		n, _ := new(big.Float).SetString(text)
		f, _ := n.Float64()
		value = f
	}
	if faults := checkSchema(schema, value); len(faults) > 0 {
		return strings.TrimPrefix(faults[0], "the body ")
	}
	return ""
}

func digits(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}

func checkContentType(h http.Header) []string {
	values := h.Values("Content-Type")
	if len(values) != 1 {
		return []string{fmt.Sprintf("the header Content-Type stands %d times", len(values))}
	}
	media, params, err := mime.ParseMediaType(values[0])
	charset, hasCharset := params["charset"]
	if err != nil || media != "application/json" || hasCharset && !strings.EqualFold(charset, "utf-8") || len(params) > 1 || len(params) == 1 && !hasCharset {
		return []string{fmt.Sprintf("the header Content-Type must be application/json, not %q", values[0])}
	}
	return nil
}

// MaxSkew is how far a server's clock may be off before its dates count as wrong.
const MaxSkew = 5 * time.Minute

func checkDate(h http.Header) []string {
	values := h.Values("Date")
	if len(values) != 1 {
		return []string{fmt.Sprintf("the header Date stands %d times (RFC 9110, section 6.6.1)", len(values))}
	}
	date, err := time.Parse(http.TimeFormat, values[0])
	if err != nil {
		return []string{fmt.Sprintf("the header Date: %q is not a date of HTTP (RFC 9110, section 5.6.7)", values[0])}
	}
	if off := time.Since(date).Abs(); off > MaxSkew {
		return []string{fmt.Sprintf("the header Date is %s off the time here", off.Round(time.Second))}
	}
	return nil
}

// checkSchema validates against one schema of the document.
func checkSchema(schema *openapi3.Schema, value any) (faults []string) {
	err := schema.VisitJSON(plain(value), openapi3.MultiErrors(), openapi3.EnableFormatValidation(),
		openapi3.WithStringFormatValidator("date-time", openapi3.NewCallbackValidator(dateTime)))
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
			faults = append(faults, "the body: "+e.Error())
			continue
		}
		faults = append(faults, strings.TrimSuffix(place(se.JSONPointer())+" "+se.Reason, " "))
	}
	slices.Sort(faults)
	return faults
}

func place(pointer []string) string {
	if len(pointer) == 0 {
		return "the body"
	}
	return "/" + strings.Join(pointer, "/") + ":"
}

// dateTime wants an instant that exists (RFC 3339, section 5.6), in UTC as the document says.
func dateTime(s string) error {
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		return fmt.Errorf("%q is not an instant of RFC 3339", s)
	}
	if _, offset := t.Zone(); offset != 0 {
		return fmt.Errorf("%q is not in UTC", s)
	}
	return nil
}

// checkLiterals wants integers written as integers: 10.0 and 1e1 are integers to JSON Schema, but break the clients of
// typed languages.
func checkLiterals(schema *openapi3.Schema, value any, at string) (faults []string) {
	switch v := value.(type) {
	case json.Number:
		if schema.Type.Is("integer") && !digits(strings.TrimPrefix(v.String(), "-")) {
			faults = append(faults, fmt.Sprintf("%s: %s is not written as an integer", at, v))
		}
	case map[string]any:
		for name, member := range v {
			if ref := schema.Properties[name]; ref != nil {
				faults = append(faults, checkLiterals(ref.Value, member, at+"/"+name)...)
			}
		}
	case []any:
		if schema.Items != nil {
			for i, member := range v {
				faults = append(faults, checkLiterals(schema.Items.Value, member, fmt.Sprintf("%s/%d", at, i))...)
			}
		}
	}
	slices.Sort(faults)
	return faults
}

// checkProse wants words where words are due: an error that is blank helps nobody, and text has no control characters
// but those that separate lines and pages.
func checkProse(body map[string]any) (faults []string) {
	for _, name := range []string{"error", "message"} {
		if s, ok := body[name].(string); ok && !strings.ContainsFunc(s, unicode.IsLetter) {
			faults = append(faults, fmt.Sprintf("/%s: %q says nothing", name, s))
		}
	}
	details, _ := body["details"].(map[string]any)
	for field, reason := range details {
		if s, ok := reason.(string); strings.TrimSpace(field) == "" || ok && !strings.ContainsFunc(s, unicode.IsLetter) {
			faults = append(faults, fmt.Sprintf("/details/%s: %q does not say what is wrong", field, reason))
		}
	}
	if text, ok := body["text"].(string); ok {
		if i := strings.IndexFunc(text, func(r rune) bool {
			return unicode.IsControl(r) && r != '\n' && r != '\f' || r == unicode.ReplacementChar
		}); i >= 0 {
			faults = append(faults, fmt.Sprintf("/text has a character that no text has, after %q", tail(text[:i])))
		}
	}
	return faults
}

func tail(s string) string {
	r := []rune(s)
	return string(r[max(0, len(r)-20):])
}
