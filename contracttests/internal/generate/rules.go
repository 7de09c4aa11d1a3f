package generate

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"maps"
	"net/http"
	"net/url"
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
	return Rule{Name: name + " " + what, Fields: []string{name}, Place: "field " + name, draw: draw}
}

// propertyRules break the type of a property, what its schema requires of strings, and the rule that it occurs once.
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
		"is given twice": {}, "is given twice, once with an escape in its name": {escaped: true}, "is given twice, once as null": {Value: json.RawMessage("null")},
	} {
		rules = append(rules, field(name, what, func(t *rapid.T) func(*Draft) {
			last := rapid.Bool().Draw(t, "good one last")
			return func(d *Draft) { d.repeat(name, second, last) }
		}))
	}
	slices.SortFunc(rules, func(a, b Rule) int { return strings.Compare(a.Name, b.Name) })
	return rules
}

// repeat adds the member a second time: before or after the valid one.
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

// invalidURLs are invalid URIs, and URIs from which no image can be fetched.
var invalidURLs = []string{
	"page.png", "/page.png", "//images.example.org/page.png", "images.example.org/page.png", "https:", "https://", "https:///page.png", "http:page.png",
	"ftp://images.example.org/a.png", "file:///etc/passwd", "gopher://images.example.org/", "javascript:alert(1)", "about:blank", "ws://images.example.org/a.png",
	" https://images.example.org/a.png", "\thttps://images.example.org/a.png",
	"data:,text", "data:image/png,abc", "data:image/png;base64", "data:;charset=utf-8,a",
}

// invalidTags are not language tags.
var invalidTags = []string{
	"en-x", "en-a", "en-u", "en-Latn-Cyrl", "de-Latn-Latf", "en-GB-US", "de-1901-1901", "en-a-bbb-a-ccc", "abcdefghi", "en-Latn-GB-", "english", "German", "Deutsch", "latin", "en, de;q=0.5", "en;q=0.5", "en GB", " en", "en ", "en\t",
	"en@euro", "C.UTF-8", "en/GB", "en:GB", "en|de", "en+de", "1en", "en-abcdefghi-x", "e n-GB", "\u200ben", "ｅｎ", "en\u00ad", "en-\u0661\u0662\u0663",
	"e", "en_GB", "en-", "-en", "en--GB", "e n", "english language", "12", "en;q=1", "*", "en,de", "en\n", "en\x00", "\u0435\u043d", "en-abcdefghi", "en.UTF-8",
}

// otherFormats are names that servers take for those of the contract: media types, extensions and longer names.
var otherFormats = []string{"text/plain", "application/json", "application/pdf", "plain", "txt", "html", "hOCR", "page-xml", "pagexml", "alto-xml", "csv", "pdfa", "searchable-pdf", "mets", "markdown"}

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
		for _, v := range schema.Enum {
			if s, ok := v.(string); ok && s != "" {
				try(strings.ToUpper(s), strings.ToUpper(s[:1])+s[1:])
			}
		}
		try(otherFormats...)
		try(" "+word, word+" ", word+"\n", word+"\x00", "docx", "xml", word+"2", first+","+word, word[:len(word)-1])
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
		maxLength := int(*m)
		wrong[fmt.Sprintf("is %d characters long", maxLength+1)] = func(*rapid.T) string { return (strings.Repeat("en-", maxLength) + "en")[:maxLength+1] }
	}
	return wrong
}

// unknownRules add fields that the schema lacks, among them some that look like its own. Names with "/" and "~" find
// servers that write JSON pointers without escapes; "__proto__" and its like find those that look names up in an object of
// their language.
func unknownRules(known []string) (rules []Rule) {
	add := func(what, name string) {
		rules = append(rules, Rule{Name: what, Fields: []string{name}, Place: "unknown " + what, draw: func(t *rapid.T) func(*Draft) {
			m := Member{Name: name, Value: spread(t, valuesOfUnknown, name)}
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
	for _, name := range unknownNames {
		add(fmt.Sprintf("%s is an unknown field", shortName(name)), name)
	}
	for _, name := range known {
		for _, similar := range []string{
			swapped(name), strings.ToUpper(name), name + " ", " " + name, "$" + name, "_" + name, "@" + name, "#" + name, "//" + name, "-" + name, "x-" + name, "X-" + name, name + "s", name + "2", name + "[]", name + "[0]", name + ".value", "body." + name,
			name + "\u200b", name + "\u00ad", name + "\x00", name + "\t", "\u200b" + name, strings.NewReplacer("a", "а", "e", "е").Replace(name), kebab(name), snake(name), name + ":", name + "*", name + "+", name + "%20", `"` + name + `"`, name + "\\",
		} {
			if slices.Contains(known, similar) {
				continue
			}
			add(fmt.Sprintf("%q is similar to %s", similar, name), similar)
		}
	}
	return rules
}

// unknownNames are names of unknown fields: letters of other scripts, digits, punctuation, control characters, the empty name,
// fields of answers, and names that programs give a special meaning.
var unknownNames = []string{
	"callback", "image", "url", "lang", "model", "Ünknown", "x", "__proto__", "constructor", "toString", "hasOwnProperty", "a/b", "m~n", "~1",
	"success", "text", "confidence", "pointsUsed", "document", "code", "error", "details",
	"", " ", "\t", "\n", "0", "1", "42", "-1", "1st", "2x", "é", "ключ", "画像", "שפה", "😀", "🖼️image", "e\u0301", "image.url", "a.b.c", "image[url]", "[]", "{}", "_", "__", "_id", "$", "$schema", "$ref", "@", "@context", "@type", "#", "# comment",
	"//", "// comment", "/* c */", "-", "--", "--x", "x-debug", "X-Trace", "a-b", "dry-run", "a_b", "dry_run", "DEBUG", "API", "a:b", "xml:lang", "a,b", "a;b", "a=b", "a+b", "a*", "*", "a%b", "%", "a b", "a'b", `a"b`, `a\b`, "\x00", "a\x00b", "a\x01b", "\x7f", "!", "?", "&", "<a>", "\u200b",
	"\u00ad", "\ufeff", "\u2060", strings.Repeat("n", 65), strings.Repeat("m", 1001), strings.Repeat("long ", 60),
}

// shortName is a name as reports show it.
func shortName(name string) string {
	if len(name) > 20 {
		return fmt.Sprintf("%q of %d bytes", name[:10]+"...", len(name))
	}
	if name != "" && !strings.ContainsFunc(name, func(r rune) bool { return r <= ' ' || r > '~' || r == '"' || r == '\\' }) {
		return name
	}
	return fmt.Sprintf("%+q", name)
}

// valuesOfUnknown are values of each kind. A server may drop unknown fields only if they say nothing.
var valuesOfUnknown = []json.RawMessage{
	[]byte("null"), []byte("false"), []byte("true"), []byte("0"), []byte("1.5"), []byte(`""`), []byte(`"yes"`), []byte("[]"), []byte(`["en"]`), []byte("{}"), []byte(`{"value":"en"}`),
}

// spread draws one of the values so that neighbouring rules draw different ones, whatever the seed: every value is drawn by
// some rule of each run.
func spread[T any](t *rapid.T, values []T, name string) T {
	h := fnv.New32a()
	_, _ = h.Write([]byte(name)) // never fails
	return values[(int(h.Sum32()>>1)+rapid.IntRange(0, len(values)-1).Draw(t, "value"))%len(values)]
}

// kebab and snake rewrite a name in camel case with hyphens or underscores; a name of one word gets one at its end.
func kebab(name string) string { return joined(name, "-") }
func snake(name string) string { return joined(name, "_") }

// joined respells a name in another convention, such as image_url for imageUrl. The result always differs from the name.
func joined(name, by string) string {
	if t := strings.ToLower(capital.ReplaceAllString(name, by+"$0")); t != name {
		return t
	}
	return name + by + "x"
}

var capital = regexp.MustCompile(`[A-Z]`)

// swapped is the name with its first letter in the other case.
func swapped(name string) string {
	if first := name[:1]; first != strings.ToUpper(first) {
		return strings.ToUpper(first) + name[1:]
	}
	return strings.ToLower(name[:1]) + name[1:]
}

// queries are query parameters of every kind: those that shadow fields, those that clients and proxies add, and unusual names.
var queries = []string{
	"page=1", "imageUrl=1", "format=1", "language=en", "enhance=true", "format=text", "format=alto", "format=pdf", "Format=alto", "language=de-Latf", "enhance=false", "imageUrl=https%3A%2F%2Fimages.example.org%2Fa.png", "verbose", "debug=1", "pretty=true", "callback=f", "fields=text", "lang=de", "v=1", "version=1.0", "api-version=2",
	"utm_source=x", "_=1", "_method=GET", "a=b", "z=", "1=2", "42", "a[]=1", "filter[x]=1", "DEBUG=1", "X=1", "timestamp=1767225600", "ts=1", "t=0", "a.b=1", "dry-run=1", "sort-by=x", "%C3%BC=1", "%E7%94%BB=1", "=1", "a%20b=1", "%2F=1", "page=1&page=2",
}

// headerRules break what surrounds the body: headers and the query. Each rule draws one of several lists of values for its
// header; an empty list removes the header.
func headerRules() (rules []Rule) {
	add := func(what, name, fields string, values ...[]string) {
		rules = append(rules, Rule{Name: what, Fields: []string{fields}, Place: "header " + name, draw: func(t *rapid.T) func(*Draft) {
			v := rapid.SampledFrom(values).Draw(t, name)
			return func(d *Draft) { d.Header[http.CanonicalHeaderKey(name)] = v }
		}})
	}
	const media, key = "Content-Type", "Idempotency-Key"
	each := func(what, name, fields string, values ...string) {
		for _, v := range values {
			add(fmt.Sprintf("%s: %q", what, v), name, fields, []string{v})
		}
	}
	add("the Content-Type is missing", media, media, []string{})
	each("the Content-Type is wrong", media, media,
		"text/plain", "application/xml", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "text/json", "application/jsonx", "application/ld+json", "application/octet-stream", "*/*", "json",
		"application/x-json", "text/x-json", "application/json5", "application/x-ndjson", "application/jsonl", "application/json-seq", "application/jsonp", "application/json-patch+json", "application/merge-patch+json", "application/problem+json",
		"application/vnd.api+json", "application/hal+json", "application/geo+json", "application/graphql+json", "application/x-javascript", "application/javascript", "text/javascript", "application/cbor", "application/yaml", "application/*",
		"application/json, text/plain", "application/json+x", "application/vnd.uncial+json", "image/png", "text/html", "application/jsonrequest")
	add("the Content-Type is given twice", media, media, []string{"application/json", "application/json"}, []string{"application/json", "text/plain"})
	each("the charset is not UTF-8", media, media, "application/json; charset=utf-16", "application/json; charset=iso-8859-1", "application/json; charset=us-ascii", "application/json; charset=windows-1252", `application/json; charset="utf-16le"`)
	each("the body claims to be compressed", "Content-Encoding", "Content-Encoding|body", "gzip", "br", "deflate", "x-gzip", "compress", "zstd")
	each("the Idempotency-Key is empty", key, key, "")
	each("the Idempotency-Key has 256 characters", key, key, strings.Repeat("k", 256))
	each("the Idempotency-Key has a space in it", key, key, "a b", "two words here", "a\tb")
	each("the Idempotency-Key is not ASCII", key, key, "schlüssel", "ключ", "k\u00a0k")
	add("the Idempotency-Key is given twice", key, key, []string{"one", "two"}, []string{"same", "same"})
	return append(rules, QueryRules()...)
}

// QueryRules add a query parameter. No operation takes one.
func QueryRules() (rules []Rule) {
	for _, q := range queries {
		name, _, _ := strings.Cut(q, "=")
		if decoded, err := url.QueryUnescape(name); err == nil {
			name = decoded
		}
		rules = append(rules, Rule{
			Name: fmt.Sprintf("there is a query %q", q), Fields: []string{name}, Place: "query " + name,
			draw: fixed(func(d *Draft) { d.Query = strings.TrimPrefix(d.Query+"&"+q, "&") }),
		})
	}
	return rules
}
