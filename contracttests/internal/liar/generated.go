package liar

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/getkin/kin-openapi/openapi3"

	"uncial/gen"
)

// answerCases name the case that must catch what is wrong with the form of an answer, by operation and status.
var answerCases = map[string]string{
	"extract 200": minimalRequest, "extract 400": malformed, "extract 401": "extract/401/no-key", "extract 402": noPoints,
	"extract 429": usedUp, "extract 500": "extract/500/key",
	"status 200": statusRecord, "status 400": "status/400/takes-nothing", "status 401": "status/401/no-key", "status 500": "status/500/key",
}

// fieldCases name the case for fields that only some answers have.
var fieldCases = map[string]string{"document": formatHOCR, "edits": formatsEnhanced, "fetch": fetchReason, "reader": readerCase, "weak": weakCase, "version": readerCase, "limitedBy": "extract/402/limited-by"}

// extractionFields are fields of shared schemas that only extractions have.
var extractionFields = map[string]bool{"fetch": true}

// likelyStatuses are what servers answer by mistake for a documented status.
var likelyStatuses = map[int][]int{200: {201, 204}, 400: {422, 200}, 401: {403}, 402: {403, 200}, 429: {503}, 500: {503}}

// nearMisses are header values that a lenient check would let pass. Every header is sent as "not right" as well.
var nearMisses = map[string][]string{
	"Cache-Control": {"private, max-age=60"},
	"Content-Type": {
		"text/plain; charset=utf-8", "application/problem+json", "application/vnd.uncial+json", "application/json; charset=iso-8859-1",
	},
	"Date":             {"Thu, 01 Jan 1970 00:00:00 GMT", "2026-01-15T12:00:00Z"},   // a clock never set; not the form of HTTP
	"RateLimit":        {"limit=60, remaining=59, reset=42", `"account";r=-1;t=42`}, // the form of older drafts
	"RateLimit-Policy": {`"account";q=60;w=3600`, `"default";q=60;w=60`},
	"Retry-After":      {"Thu, 15 Jan 2026 12:01:00 GMT"}, // allowed by RFC 9110, not by the contract
	"WWW-Authenticate": {"bearer", `Basic realm="uncial"`},
	"X-Request-Id":     {"request 17"},
}

// generated returns the defects made from openapi.yaml: for each answer of each operation one defect for each way to spoil
// its status, headers, fields and JSON. The error names an answer that no case is known for.
func generated() ([]Defect, error) {
	doc, err := gen.GetSpec()
	if err != nil {
		return nil, fmt.Errorf("read the contract: %w", err)
	}
	var all []Defect
	for _, path := range slices.Sorted(maps.Keys(doc.Paths.Map())) {
		for verb, op := range doc.Paths.Value(path).Operations() {
			for code, response := range op.Responses.Map() {
				name := op.OperationID + " " + code
				if answerCases[name] == "" {
					return nil, fmt.Errorf("no case is named for the answer %q of openapi.yaml", name)
				}
				spoiler := answerSpoiler{name: name, caughtBy: answerCases[name]}
				spoiler.status, _ = strconv.Atoi(code)
				spoiler.holds = both(status(spoiler.status), callIs(func(c *call) bool {
					return c.request.Method == verb && c.request.URL.Path == "/api/v1"+path
				}))
				spoiler.spoilStatus()
				spoiler.spoilHeaders(response.Value.Headers, doc.Components.Headers)
				spoiler.spoilJSON()
				spoiler.spoilFields(response.Value.Content.Get("application/json").Schema.Value, "", spoiler.caughtBy)
				all = append(all, spoiler.defects...)
			}
		}
	}
	slices.SortFunc(all, func(a, b Defect) int { return cmp.Compare(a.Does, b.Does) })
	return all, nil
}

// answerSpoiler makes the defects of one answer of one operation.
type answerSpoiler struct {
	name, caughtBy string // name is operation and status, as in "extract 200"
	status         int
	holds          when
	defects        []Defect
}

// add adds a defect that shows in every answer of this operation with this status.
func (s *answerSpoiler) add(caughtBy, does string, changes ...change) {
	s.defects = append(s.defects, Defect{"generated", s.name + ": " + does, caughtBy, on(s.holds, changes...), nil})
}

// spoilStatus answers with another status and changes nothing else.
func (s *answerSpoiler) spoilStatus() {
	for _, code := range likelyStatuses[s.status] {
		changes := []change{recode(code)}
		if code == http.StatusNoContent {
			changes = append(changes, raw(func(string) string { return "" }))
		}
		s.add(s.caughtBy, fmt.Sprintf("answers with status %d", code), changes...)
	}
}

// spoilHeaders spoils each header of the answer, those of HTTP included, and adds those of other answers: a RateLimit on a
// 401 would reveal an account to a stranger.
func (s *answerSpoiler) spoilHeaders(own, known openapi3.Headers) {
	for name, ref := range own {
		if ref.Value.Required {
			s.add(s.caughtBy, "leaves out the header "+name, header(name, ""))
		}
		s.spoilHeader(name, fmt.Sprint(ref.Value.Example))
	}
	s.spoilHeader("Content-Type", "application/json")
	s.spoilHeader("Date", time.Now().UTC().Format(http.TimeFormat))
	s.add(s.caughtBy, "sends a Date an hour behind", dateBehind)
	for name, component := range map[string]string{"WWW-Authenticate": "WWWAuthenticate", "Retry-After": "RetryAfter", "RateLimit": "RateLimit"} {
		if own[name] == nil {
			s.add(s.caughtBy, "adds the header "+name, header(name, fmt.Sprint(known[component].Value.Example)))
		}
	}
}

// spoilHeader sends wrong values for a header, and a right one twice.
func (s *answerSpoiler) spoilHeader(name, right string) {
	for _, value := range append(nearMisses[name], "not right") {
		s.add(s.caughtBy, fmt.Sprintf("sends the header %s as %q", name, value), header(name, value))
	}
	s.add(s.caughtBy, "sends the header "+name+" twice", header(name, right), func(_ *call, a *reply) { a.header.Add(name, right) })
}

// spoilJSON spoils the JSON as a whole. Lenient parsers accept most of this.
func (s *answerSpoiler) spoilJSON() {
	for does, f := range map[string]func(body string) string{
		"cuts off the last bytes of the JSON": func(b string) string { return b[:len(b)-3] },
		"sends data after the JSON":           func(b string) string { return b + "{}" },
		"sends a comment after the JSON":      func(b string) string { return b + "<!-- contact support -->" },
		"sends a byte order mark":             func(b string) string { return "\ufeff" + b },
		"sends an array around the JSON":      func(b string) string { return "[" + strings.TrimSpace(b) + "]" },
		"sends an object around the JSON":     func(b string) string { return `{"data":` + strings.TrimSpace(b) + "}" },
		"sends a field twice":                 func(b string) string { return strings.Replace(b, "{", `{"success":true,`, 1) },
		"sends bytes that are not UTF-8":      replacing("a", "\xe4"),
		"sends half of a surrogate pair":      matching(`("(?:text|plan|message)":")`, `$1\ud83d`),
	} {
		s.add(s.caughtBy, does, raw(f))
	}
}

// spoilFields spoils each field of an object; at is where the object stands in the body, as in "/rateLimit", or "" for the body
// itself, and caughtBy the case for its fields. A field that an answer happens to lack is not spoiled: it would be a defect
// that does not show.
func (s *answerSpoiler) spoilFields(schema *openapi3.Schema, at, caughtBy string) {
	on := func(f func(o object)) change { return within(strings.Split(at, "/")[1:], f) }
	if at == "" {
		on = edit
	}
	s.add(caughtBy, "adds an unknown field to "+cmp.Or(at, "the body"), on(func(o object) { o["debug"] = "worker 3" }))
	for name, ref := range schema.Properties {
		if extractionFields[name] && !strings.HasPrefix(s.name, "extract ") {
			continue
		}
		field, caughtBy := at+"/"+name, cmp.Or(fieldCases[name], caughtBy)
		if fieldCases[name] == "" { // whether an answer needs the others depends on the request
			s.add(caughtBy, "leaves out "+field, on(func(o object) { delete(o, name) }))
		}
		replaced := func(does string, value func(old any) any) {
			s.add(caughtBy, does, on(func(o object) {
				if old, ok := o[name]; ok {
					o[name] = value(old)
				}
			}))
		}
		if snake := snakeCase(name); snake != name {
			s.add(caughtBy, "writes "+field+" as "+snake, on(func(o object) {
				o[snake] = o[name]
				delete(o, name)
			}))
		}
		replaced("sends null for "+field, func(any) any { return nil })
		for does, value := range wrongValues(ref.Value) {
			replaced("sends "+does+" for "+field, value)
		}
		if ref.Value.Type.Is("object") && len(ref.Value.Properties) > 0 {
			s.spoilFields(ref.Value, field, caughtBy)
		}
	}
	if at != "" {
		s.add(caughtBy, "repeats a field of "+at, raw(matching(`("`+at[1:]+`":\{"(\w+)":)`, `${1}1,"$2":`)))
	}
}

// wrongValues are values that a schema forbids, by what they are. Integers with a decimal point or an exponent are integers
// to JSON Schema, but break clients in typed languages.
func wrongValues(schema *openapi3.Schema) map[string]func(old any) any {
	constant := func(v any) func(any) any { return func(any) any { return v } }
	literal := func(suffix string) func(any) any {
		return func(old any) any { return json.RawMessage(fmt.Sprint(old) + suffix) }
	}
	values := map[string]func(any) any{}
	switch {
	case schema.Type.Is("string"):
		values["a number"] = constant(7)
		if schema.MinLength > 0 || schema.Pattern != "" || len(schema.Enum) > 0 || schema.Format != "" {
			values["an empty string"] = constant("")
		}
		if schema.Pattern != "" || len(schema.Enum) > 0 || schema.Format != "" {
			values["a forbidden string"] = constant("Not Right")
		}
		if len(schema.Enum) > 0 || strings.HasPrefix(schema.Pattern, "^[a-z]") {
			values["its value in another case"] = swapCase
		}
	case schema.Type.Is("boolean"):
		values["a string"] = func(old any) any { return fmt.Sprint(old) }
		if len(schema.Enum) > 0 {
			values["its opposite"] = func(old any) any { return old == false }
		}
	case schema.Type.Is("integer"):
		values["a string"] = func(old any) any { return fmt.Sprint(old) }
		values["a fraction"] = literal(".5")
		values["an integer with a decimal point"] = literal(".0")
		values["an integer with an exponent"] = literal("e0")
		if len(schema.Enum) > 0 {
			values["another number"] = constant(20)
		}
	case schema.Type.Is("number"):
		values["a string"] = func(old any) any { return fmt.Sprint(old) }
	case schema.Type.Is("array"):
		values["a string"] = constant("none")
	case schema.Type.Is("object"):
		values["a list"] = func(old any) any { return []any{old} }
		values["a string"] = constant("none")
	}
	if schema.Min != nil {
		values["a number below its minimum"] = constant(*schema.Min - 1)
	}
	if schema.Max != nil {
		values["a number above its maximum"] = constant(*schema.Max + 1)
	}
	return values
}

// swapCase writes capitals in lower case, and all else in capitals.
func swapCase(value any) any {
	s := fmt.Sprint(value)
	if s == strings.ToUpper(s) {
		return strings.ToLower(s)
	}
	return strings.ToUpper(s)
}

// snakeCase writes a name in camel case with underscores.
func snakeCase(name string) string {
	return strings.ToLower(capital.ReplaceAllString(name, "_$0"))
}

var capital = regexp.MustCompile(`[A-Z]`)
