package generate

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"pgregory.net/rapid"
)

// good is a valid URL for values that are wrong in another respect. Nothing fetches it: requests with it are invalid.
const good = "https://images.example.org/a.png"

// defaults are valid values for members that a base may lack.
var defaults = map[string]json.RawMessage{"imageUrl": quoted(good), "language": quoted("en"), "enhance": []byte(`false`), "format": quoted("json")}

// samples are values of each JSON type. Lenient readers convert some of them to another type: "true" to true, 0 to false, an
// array to its only element.
var samples = map[string][]string{
	"null":    {"null"},
	"boolean": {"true", "false"},
	"number":  {"0", "1", "-1", "1.5", "1e3", "9007199254740993"},
	"string":  {`"true"`, `"false"`, `"1"`, `"0"`, `""`, `"yes"`, `"null"`},
	"array":   {`[]`, `["en"]`, `[true]`, `[null]`, `["` + good + `"]`},
	"object":  {`{}`, `{"value":"en"}`, `{"url":"` + good + `"}`},
}

// sampleOf draws a value of a JSON type.
func sampleOf(t *rapid.T, kind string) json.RawMessage {
	return json.RawMessage(rapid.SampledFrom(samples[kind]).Draw(t, kind))
}

// Rules are the ways to break a JSON request of the schema: its fields, unknown fields, the JSON itself, and headers. The
// order is the same in every process. Names of rules appear in reports.
func Rules(schema *openapi3.Schema) []Rule {
	var rules []Rule
	names := slices.Sorted(maps.Keys(schema.Properties))
	for _, name := range names {
		rules = append(rules, propertyRules(name, schema.Properties[name].Value)...)
	}
	for _, name := range schema.Required {
		missing := field(name, "is missing", fixed(func(d *Draft) { d.remove(name) }))
		renamed := field(name, "is written in another letter case", fixed(func(d *Draft) {
			for i := range d.Members {
				if d.Members[i].Name == name {
					d.Members[i].Name = swapped(name)
				}
			}
		}))
		renamed.Fields = append(renamed.Fields, swapped(name))
		rules = append(rules, missing, renamed)
	}
	return slices.Concat(rules, unknownRules(names), bodyRules(), headerRules())
}

// field is a rule about one field.
func field(name, what string, draw func(t *rapid.T) func(*Draft)) Rule {
	return Rule{Name: name + " " + what, Fields: []string{name}, Place: "field " + name, Make: draw}
}

// propertyRules break the type of a property, what its schema requires of strings, and that it is given once.
func propertyRules(name string, schema *openapi3.Schema) []Rule {
	var rules []Rule
	value := func(what string, draw func(t *rapid.T) json.RawMessage) {
		rules = append(rules, field(name, what, func(t *rapid.T) func(*Draft) {
			v := draw(t)
			return func(d *Draft) { d.set(name, v) }
		}))
	}
	for kind := range samples {
		if !schema.Type.Is(kind) {
			value("is "+kind, func(t *rapid.T) json.RawMessage { return sampleOf(t, kind) })
		}
	}
	value("is its value in an array", func(*rapid.T) json.RawMessage { return json.RawMessage("[" + string(defaults[name]) + "]") })
	if schema.Type.Is("string") {
		for what, text := range wrongStrings(schema) {
			value(what, func(t *rapid.T) json.RawMessage { return quoted(text(t)) })
		}
	}
	// Readers differ in which of two equal names counts, so the contract permits neither. RFC 8259, section 4, leaves it open.
	for what, second := range map[string]Member{
		"is given twice": {}, "is given twice, once with an escape in its name": {Escaped: true}, "is given twice, once as null": {Value: json.RawMessage("null")},
	} {
		rules = append(rules, field(name, what, func(t *rapid.T) func(*Draft) {
			last := rapid.Bool().Draw(t, "good one last")
			return func(d *Draft) { d.repeat(name, second, last) }
		}))
	}
	slices.SortFunc(rules, func(a, b Rule) int { return strings.Compare(a.Name, b.Name) })
	return rules
}

// repeat gives the member a second time: before or behind the valid one.
func (d *Draft) repeat(name string, second Member, last bool) {
	valid := Member{Name: name, Value: defaults[name]}
	if i := slices.IndexFunc(d.Members, func(m Member) bool { return m.Name == name }); i >= 0 {
		valid.Value = d.Members[i].Value
	}
	d.remove(name)
	second.Name = name
	if second.Value == nil {
		second.Value = valid.Value
	}
	if last {
		d.Members = append(d.Members, second, valid)
	} else {
		d.Members = append(d.Members, valid, second)
	}
}

// maxTried is the longest value that is generated to exceed a limit by one character.
const maxTried = 100_000

// invalidURLs are values that a URI must not have, or that no image can be fetched from.
var invalidURLs = []string{
	"page.png", "/page.png", "//images.example.org/page.png", "images.example.org/page.png", "https:", "https://", "https:///page.png", "http:page.png",
	"ftp://images.example.org/a.png", "file:///etc/passwd", "gopher://images.example.org/", "javascript:alert(1)", "about:blank", "ws://images.example.org/a.png",
	" https://images.example.org/a.png", "\thttps://images.example.org/a.png",
	"data:,text", "data:image/png,abc", "data:image/png;base64", "data:;charset=utf-8,a",
}

// invalidTags are not language tags.
var invalidTags = []string{"e", "en_GB", "en-", "-en", "en--GB", "e n", "english language", "12", "en;q=1", "*", "en,de", "en\n", "en\x00", "\u0435\u043d", "en-abcdefghi", "en.UTF-8"}

// wrongStrings are strings that the schema forbids, by what is wrong with them. Values that the schema permits after all are
// left out, so that a change of the contract needs no change of the lists.
func wrongStrings(schema *openapi3.Schema) map[string]func(*rapid.T) string {
	wrong := map[string]func(*rapid.T) string{}
	try := func(values ...string) {
		for _, v := range values {
			if schema.VisitJSON(v) != nil {
				wrong[fmt.Sprintf("is %+q", v)] = func(*rapid.T) string { return v }
			}
		}
	}
	draw := func(what, pattern string, isWrong func(string) bool) {
		wrong[what] = func(t *rapid.T) string { return rapid.StringMatching(pattern).Filter(isWrong).Draw(t, "value") }
	}
	try("", " ", "\n")
	// Variations of a permitted value find comparisons that trim or ignore letter case.
	if len(schema.Enum) > 0 {
		first, _ := schema.Enum[0].(string)
		word, _ := schema.Enum[len(schema.Enum)-1].(string)
		try(strings.ToUpper(first), strings.ToUpper(word), " "+word, word+" ", word+"\n", word+"\x00", "docx", "xml", word+"2", first+","+word, word[:len(word)-1])
		draw("is not in the list", `[a-z]{1,12}`, func(s string) bool { return schema.VisitJSON(s) != nil })
		return wrong
	}
	if schema.Format == "uri" {
		try(invalidURLs...)
		for what, text := range map[string]string{
			"has a space in it": "a b.png", "has a NUL in it": "a\x00b.png", "has a line feed in it": "a\nb.png", "has a control character in it": "a\x7fb.png",
			"ends with a space": "a.png ", "ends with a line feed": "a.png\n", "has an invalid escape in it": "a%zz.png", "ends with a single %": "a.png?x=%",
		} {
			wrong[what] = func(*rapid.T) string { return "https://images.example.org/" + text }
		}
		// imageUrl has a limit for web addresses and a larger one for data: URLs, which is too large to try.
		for _, way := range schema.AnyOf {
			if m := way.Value.MaxLength; m != nil && *m < maxTried {
				wrong[fmt.Sprintf("is a web address of %d characters", *m+1)] = func(*rapid.T) string { return address(int(*m) + 1) }
			}
		}
	}
	if schema.Pattern != "" {
		pattern := regexp.MustCompile(schema.Pattern)
		try(invalidTags...)
		draw("does not match its pattern", `[ -~]{2,20}`, func(s string) bool { return !pattern.MatchString(s) })
	}
	if m := schema.MaxLength; m != nil && *m < maxTried {
		most := int(*m)
		wrong[fmt.Sprintf("is %d characters long", most+1)] = func(*rapid.T) string { return (strings.Repeat("en-", most) + "en")[:most+1] }
	}
	return wrong
}

// address is a web address of that many characters.
func address(length int) string {
	const head = "https://images.example.org/"
	return head + strings.Repeat("a", length-len(head))
}

// unknownRules add fields that the schema lacks, among them some that look like its own. Names with "/" and "~" find
// servers that write JSON pointers without escapes; "__proto__" and its like find those that look names up in an object of
// their language.
func unknownRules(known []string) (rules []Rule) {
	add := func(what, name string) {
		rules = append(rules, Rule{Name: what, Fields: []string{name}, Place: "unknown " + what, Make: func(t *rapid.T) func(*Draft) {
			kind := rapid.SampledFrom([]string{"null", "boolean", "number", "string", "array", "object"}).Draw(t, "kind")
			m := Member{Name: name, Value: sampleOf(t, kind)}
			at := rapid.Bool().Draw(t, "first")
			return func(d *Draft) {
				if at {
					d.Members = slices.Insert(d.Members, 0, m)
				} else {
					d.Members = append(d.Members, m)
				}
			}
		}})
	}
	for _, name := range []string{
		"callback", "image", "url", "lang", "model", "Ünknown", "x", "success", "pointsUsed", "__proto__", "constructor", "toString", "a/b", "m~n", "~1",
	} {
		add(name+" is an unknown field", name)
	}
	for _, name := range known {
		for _, similar := range []string{swapped(name), strings.ToUpper(name), name + " ", "$" + name} {
			add(fmt.Sprintf("%q is similar to %s", similar, name), similar)
		}
	}
	return rules
}

// swapped is the name with its first letter in the other case.
func swapped(name string) string {
	if first := name[:1]; first != strings.ToUpper(first) {
		return strings.ToUpper(first) + name[1:]
	}
	return strings.ToLower(name[:1]) + name[1:]
}

// headerRules break what surrounds the body: headers and the query. Each rule draws one of several lists of values for its
// header; an empty list removes the header.
func headerRules() (rules []Rule) {
	add := func(what, name, fields string, values ...[]string) {
		rules = append(rules, Rule{Name: what, Fields: []string{fields}, Place: "header " + name, Make: func(t *rapid.T) func(*Draft) {
			v := rapid.SampledFrom(values).Draw(t, name)
			return func(d *Draft) { d.Header[http.CanonicalHeaderKey(name)] = v }
		}})
	}
	one := func(values ...string) (all [][]string) {
		for _, v := range values {
			all = append(all, []string{v})
		}
		return all
	}
	const media, key = "Content-Type", "Idempotency-Key"
	add("the Content-Type is missing", media, media, []string{})
	add("the Content-Type is wrong", media, media, one("text/plain", "application/xml", "application/x-www-form-urlencoded",
		"multipart/form-data; boundary=x", "text/json", "application/jsonx", "application/ld+json", "application/octet-stream", "*/*", "json")...)
	add("the Content-Type is given twice", media, media, []string{"application/json", "application/json"}, []string{"application/json", "text/plain"})
	add("the charset is not UTF-8", media, media, one("application/json; charset=utf-16", "application/json; charset=iso-8859-1")...)
	add("the body claims to be compressed", "Content-Encoding", "Content-Encoding|body", one("gzip", "br", "deflate")...)
	add("the Idempotency-Key is empty", key, key, one("")...)
	add("the Idempotency-Key has 256 characters", key, key, one(strings.Repeat("k", 256))...)
	add("the Idempotency-Key has a space in it", key, key, one("a b", "two words here")...)
	add("the Idempotency-Key is not ASCII", key, key, one("schlüssel", "ключ", "k\u00a0k")...)
	add("the Idempotency-Key is given twice", key, key, []string{"one", "two"}, []string{"same", "same"})
	for _, name := range []string{"page", "imageUrl", "format"} {
		rules = append(rules, Rule{
			Name: "there is a query parameter " + name, Fields: []string{name}, Place: "query " + name,
			Make: fixed(func(d *Draft) { d.Query = strings.TrimPrefix(d.Query+"&"+name+"=1", "&") }),
		})
	}
	return rules
}
