package generate

import (
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"pgregory.net/rapid"
)

// Rules are the ways to break a JSON request body of the schema, and the framing around it.
func Rules(schema *openapi3.Schema) []Rule {
	var rules []Rule
	for _, name := range sortedNames(schema) {
		rules = append(rules, propertyRules(name, schema.Properties[name].Value)...)
	}
	for _, name := range schema.Required {
		rules = append(rules, Rule{
			Name: name + " is missing", Fields: []string{name}, Place: "field " + name,
			Make: fixed(func(d *Draft) { d.remove(name) }),
		}, Rule{
			Name: name + " is written in another case", Fields: []string{name, swapped(name)}, Place: "field " + name,
			Make: fixed(func(d *Draft) {
				for i := range d.Members {
					if d.Members[i].Name == name {
						d.Members[i].Name = swapped(name)
					}
				}
			}),
		})
	}
	rules = append(rules, unknownRules(schema)...)
	rules = append(rules, bodyRules()...)
	return append(rules, headerRules()...)
}

func sortedNames(schema *openapi3.Schema) []string {
	var names []string
	for name := range schema.Properties {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// propertyRules breaks one property: its type, its repetition, and what its schema asks of strings.
func propertyRules(name string, schema *openapi3.Schema) []Rule {
	var rules []Rule
	rule := func(what string, value func(t *rapid.T) json.RawMessage) {
		rules = append(rules, Rule{
			Name: name + " " + what, Fields: []string{name}, Place: "field " + name,
			Make: func(t *rapid.T) func(*Draft) {
				v := value(t)
				return func(d *Draft) { d.set(name, v) }
			},
		})
	}
	for _, kind := range []string{"null", "boolean", "number", "string", "array", "object"} {
		if !schema.Type.Is(kind) {
			rule("is "+kind, func(t *rapid.T) json.RawMessage { return valueOf(t, kind) })
		}
	}
	rule("is its value in an array", func(*rapid.T) json.RawMessage { return append(append([]byte{'['}, defaults[name]...), ']') })
	if schema.Type.Is("string") {
		for what, text := range wrongStrings(schema) {
			rule(what, func(t *rapid.T) json.RawMessage { return quoted(text(t)) })
		}
	}
	same := func(v json.RawMessage) json.RawMessage { return v }
	rules = append(rules, repeated(name, "is given twice", false, same), repeated(name, "is given twice, once with an escape in its name", true, same),
		repeated(name, "is given twice, once as null", false, func(json.RawMessage) json.RawMessage { return json.RawMessage("null") }))
	slices.SortFunc(rules, func(a, b Rule) int { return strings.Compare(a.Name, b.Name) })
	return rules
}

// repeated writes the member a second time. Which of the two counts differs between readers, so that neither may.
func repeated(name, what string, escaped bool, second func(json.RawMessage) json.RawMessage) Rule {
	return Rule{
		Name: name + " " + what, Fields: []string{name}, Place: "field " + name,
		Make: func(t *rapid.T) func(*Draft) {
			last := rapid.Bool().Draw(t, "good one last")
			return func(d *Draft) {
				good := defaults[name]
				for _, m := range d.Members {
					if m.Name == name {
						good = m.Value
					}
				}
				d.remove(name)
				pair := []Member{{Name: name, Value: good}, {Name: name, Value: second(good), Escaped: escaped}}
				if last {
					slices.Reverse(pair)
				}
				d.Members = append(d.Members, pair...)
			}
		},
	}
}

// defaults are good values for members that a base may not have.
var defaults = map[string]json.RawMessage{"imageUrl": []byte(`"https://images.example.org/a.png"`), "language": []byte(`"en"`), "enhance": []byte(`false`), "format": []byte(`"json"`)}

func valueOf(t *rapid.T, kind string) json.RawMessage {
	pick := func(values ...string) json.RawMessage {
		return json.RawMessage(rapid.SampledFrom(values).Draw(t, kind))
	}
	switch kind {
	case "null":
		return json.RawMessage("null")
	case "boolean":
		return pick("true", "false")
	case "number":
		return pick("0", "1", "-1", "1.5", "1e3", "9007199254740993")
	case "string":
		return pick(`"true"`, `"false"`, `"1"`, `"0"`, `""`, `"yes"`, `"null"`)
	case "array":
		return pick(`[]`, `["en"]`, `[true]`, `[null]`, `["https://images.example.org/a.png"]`)
	default:
		return pick(`{}`, `{"value":"en"}`, `{"url":"https://images.example.org/a.png"}`)
	}
}

// wrongStrings are strings that the schema forbids, by what is wrong with them.
func wrongStrings(schema *openapi3.Schema) map[string]func(*rapid.T) string {
	wrong := map[string]func(*rapid.T) string{}
	samples := func(values ...string) {
		for _, v := range values {
			if schema.VisitJSON(v) != nil {
				wrong[describe("is %+q", v)] = func(*rapid.T) string { return v }
			}
		}
	}
	samples("", " ", "\n")
	if len(schema.Enum) > 0 {
		word, _ := schema.Enum[len(schema.Enum)-1].(string)
		first, _ := schema.Enum[0].(string)
		samples(strings.ToUpper(first), strings.ToUpper(word), " "+word, word+" ", word+"\n", word+"\x00", "pdf", "xml", word+"2", first+","+word, word[:len(word)-1])
		wrong["is no value of the list"] = func(t *rapid.T) string {
			return rapid.StringMatching(`[a-z]{1,12}`).Filter(func(s string) bool { return schema.VisitJSON(s) != nil }).Draw(t, "value")
		}
		return wrong
	}
	if schema.Format == "uri" {
		samples(
			"page.png", "/page.png", "//images.example.org/page.png", "images.example.org/page.png", "https:", "https://", "https:///page.png", "http:page.png",
			"ftp://images.example.org/a.png", "file:///etc/passwd", "gopher://images.example.org/", "javascript:alert(1)", "about:blank", "ws://images.example.org/a.png",
			" https://images.example.org/a.png", "\thttps://images.example.org/a.png",
			"data:,text", "data:image/png,abc", "data:image/png;base64", "data:;charset=utf-8,a",
		)
		for what, text := range map[string]string{
			"has a blank in it": "a b.png", "has a NUL in it": "a\x00b.png", "has a line feed in it": "a\nb.png", "has a control character in it": "a\x7fb.png",
			"ends with a blank": "a.png ", "ends with a line feed": "a.png\n", "has a stray % in it": "a%zz.png", "ends with a stray %": "a.png?x=%",
		} {
			wrong[what] = func(*rapid.T) string { return "https://images.example.org/" + text }
		}
		for _, way := range schema.AnyOf {
			if m := way.Value.MaxLength; m != nil && *m < maxTried {
				most := int(*m)
				wrong[describe("is a web address of %d characters", most+1)] = func(*rapid.T) string { return Address(most + 1) }
			}
		}
	}
	if schema.Pattern != "" {
		pattern := regexp.MustCompile(schema.Pattern)
		samples("e", "en_GB", "en-", "-en", "en--GB", "e n", "english language", "12", "en;q=1", "*", "en,de", "en\n", "en\x00", "\u0435\u043d", "en-abcdefghi", "en.UTF-8")
		wrong["does not match its pattern"] = func(t *rapid.T) string {
			return rapid.StringMatching(`[ -~]{2,20}`).Filter(func(s string) bool { return !pattern.MatchString(s) }).Draw(t, "value")
		}
	}
	if schema.MaxLength != nil && *schema.MaxLength < maxTried {
		most := int(*schema.MaxLength)
		wrong[describe("is %d characters long", most+1)] = func(*rapid.T) string { return (strings.Repeat("en-", most) + "en")[:most+1] }
	}
	return wrong
}

// maxTried bounds the length of values that are made to be one character too long.
const maxTried = 100_000

// Address is a web address of that many characters.
func Address(length int) string {
	const head = "https://images.example.org/"
	return head + strings.Repeat("a", length-len(head))
}

// unknownRules add fields that the schema does not have.
func unknownRules(schema *openapi3.Schema) []Rule {
	known := sortedNames(schema)
	unknown := func(what string, names ...string) Rule {
		return Rule{Name: what, Place: "unknown " + what, Fields: nil, Make: func(t *rapid.T) func(*Draft) {
			name := rapid.SampledFrom(names).Draw(t, "name")
			value := valueOf(t, rapid.SampledFrom([]string{"null", "boolean", "number", "string", "array", "object"}).Draw(t, "kind"))
			first := rapid.Bool().Draw(t, "first")
			return func(d *Draft) {
				if first {
					d.Members = slices.Insert(d.Members, 0, Member{Name: name, Value: value})
				} else {
					d.Members = append(d.Members, Member{Name: name, Value: value})
				}
			}
		}}
	}
	var rules []Rule
	for _, name := range []string{
		"callback", "image", "url", "lang", "model", "Ünknown", "x", "success", "pointsUsed", "__proto__", "constructor", "toString", "a/b", "m~n", "~1",
	} {
		r := unknown(name+" is no field", name)
		r.Fields = []string{name}
		rules = append(rules, r)
	}
	for _, name := range known {
		for _, other := range []string{swapped(name), strings.ToUpper(name), name + " ", "$" + name} {
			r := unknown(describe("%q stands beside %s", other, name), other)
			r.Fields = []string{other}
			rules = append(rules, r)
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

// bodyRules break the JSON itself.
func bodyRules() []Rule {
	var rules []Rule
	fields := "body"
	spoil := func(what string, change func(t *rapid.T) func([]byte) []byte) {
		rules = append(rules, Rule{Name: "the body " + what, Fields: []string{fields}, Place: "body", Make: func(t *rapid.T) func(*Draft) {
			s := change(t)
			return func(d *Draft) { d.Spoil = s }
		}})
	}
	replace := func(what string, texts ...string) {
		spoil(what, func(t *rapid.T) func([]byte) []byte {
			text := rapid.SampledFrom(texts).Draw(t, what)
			return func([]byte) []byte { return []byte(text) }
		})
	}
	around := func(what string, change func(string) string) {
		spoil(what, func(*rapid.T) func([]byte) []byte {
			return func(b []byte) []byte { return []byte(change(string(b))) }
		})
	}
	replace("is empty", "")
	replace("is white space", " ", "\n", "\r\n\t ")
	replace("is no object", `[]`, `"text"`, `1`, `null`, `true`, `[{"imageUrl":"https://images.example.org/a.png"}]`)
	replace("is not JSON", `imageUrl=https://images.example.org/a.png`, `<request/>`, `{'imageUrl':'https://images.example.org/a.png'}`, `{imageUrl:"https://images.example.org/a.png"}`)
	spoil("is cut off", func(t *rapid.T) func([]byte) []byte {
		n := rapid.IntRange(1, 8).Draw(t, "bytes")
		return func(b []byte) []byte { return b[:max(1, len(b)-n)] }
	})
	spoil("is followed by more", func(t *rapid.T) func([]byte) []byte {
		more := rapid.SampledFrom([]string{"{}", "x", ",", "null", "\x00", "]", "}", `{"imageUrl":1}`, "//"}).Draw(t, "more")
		return func(b []byte) []byte { return append(slices.Clone(b), more...) }
	})
	around("stands twice", func(s string) string { return s + "\n" + s })
	around("ends with a comma", func(s string) string { return strings.TrimSuffix(s, "}") + ",}" })
	around("has a comment", func(s string) string { return "{/**/" + s[1:] })
	around("begins with a byte order mark", func(s string) string { return "\ufeff" + s })
	around("is in UTF-16", func(s string) string {
		var b strings.Builder
		for _, c := range []byte(s) {
			b.WriteByte(c)
			b.WriteByte(0)
		}
		return b.String()
	})
	around("begins or ends with white space that JSON has none of", func(s string) string { return "\f" + s + "\u00a0" })
	around("has a number with a leading zero", func(s string) string { return `{"enhance":01,` + s[1:] })
	around("has NaN", func(s string) string { return `{"enhance":NaN,` + s[1:] })
	around("has True", func(s string) string { return `{"enhance":True,` + s[1:] })
	// A reader that gets over these finds fault with the field.
	fields = "body|imageUrl"
	around("is not UTF-8", func(s string) string { return strings.Replace(s, "://", "://\xff", 1) })
	around("has half of a surrogate pair", func(s string) string { return strings.Replace(s, "://", `://\ud800`, 1) })
	around("has a control character in a string", func(s string) string { return strings.Replace(s, "://", "://\n", 1) })
	around("has an escape that there is none of", func(s string) string { return strings.Replace(s, "://", `://\x41`, 1) })
	around("has a number beyond all bounds", func(string) string { return `{"imageUrl":1e400}` })
	around("nests very deep", func(string) string {
		return `{"imageUrl":` + strings.Repeat("[", depth) + strings.Repeat("]", depth) + `}`
	})
	return rules
}

// depth is that of a value that nests deeper than any reader should follow.
const depth = 5000

// headerRules break what stands around the body.
func headerRules() []Rule {
	var rules []Rule
	header := func(what, name, fields string, values ...[]string) {
		rules = append(rules, Rule{
			Name: what, Fields: []string{fields}, Place: "header " + name,
			Make: func(t *rapid.T) func(*Draft) {
				v := rapid.SampledFrom(values).Draw(t, name)
				return func(d *Draft) { d.Header[http.CanonicalHeaderKey(name)] = v }
			},
		})
	}
	one := func(values ...string) (all [][]string) {
		for _, v := range values {
			all = append(all, []string{v})
		}
		return all
	}
	header("the Content-Type is missing", "Content-Type", "Content-Type", []string{})
	header("the Content-Type is another", "Content-Type", "Content-Type", one("text/plain", "application/xml", "application/x-www-form-urlencoded",
		"multipart/form-data; boundary=x", "text/json", "application/jsonx", "application/ld+json", "application/octet-stream", "*/*", "json")...)
	header("the Content-Type is given twice", "Content-Type", "Content-Type", []string{"application/json", "application/json"}, []string{"application/json", "text/plain"})
	header("the charset is not UTF-8", "Content-Type", "Content-Type", one("application/json; charset=utf-16", "application/json; charset=iso-8859-1")...)
	header("the body claims to be compressed", "Content-Encoding", "Content-Encoding|body", one("gzip", "br", "deflate")...)
	header("the Idempotency-Key is empty", "Idempotency-Key", "Idempotency-Key", one("")...)
	header("the Idempotency-Key has 256 characters", "Idempotency-Key", "Idempotency-Key", one(strings.Repeat("k", 256))...)
	header("the Idempotency-Key has a blank in it", "Idempotency-Key", "Idempotency-Key", one("a b", "two words here")...)
	header("the Idempotency-Key is not ASCII", "Idempotency-Key", "Idempotency-Key", one("schlüssel", "ключ", "k\u00a0k")...)
	header("the Idempotency-Key is given twice", "Idempotency-Key", "Idempotency-Key", []string{"one", "two"}, []string{"same", "same"})
	for _, name := range []string{"page", "imageUrl", "format"} {
		rules = append(rules, Rule{
			Name: "there is a query parameter " + name, Fields: []string{name}, Place: "query " + name,
			Make: fixed(func(d *Draft) { d.Query = strings.TrimPrefix(d.Query+"&"+name+"=1", "&") }),
		})
	}
	return rules
}

// Variants are unusual requests that the contract allows, for servers that refuse too much.
func Variants() []Rule {
	var rules []Rule
	set := func(what, name string, values ...string) {
		rules = append(rules, Rule{Name: name + " " + what, Place: "field " + name, Make: func(t *rapid.T) func(*Draft) {
			v := rapid.SampledFrom(values).Draw(t, name)
			return func(d *Draft) { d.set(name, quoted(v)) }
		}})
	}
	set("has 8,192 characters", "imageUrl", Address(8192))
	set("has a scheme in capitals", "imageUrl", "HTTPS://images.example.org/a.png", "HttP://images.example.org/a.png")
	set("has no path", "imageUrl", "https://images.example.org", "http://images.example.org?page=1")
	set("has a port, a query and a fragment", "imageUrl", "https://images.example.org:8443/a%20b.png?x=1&y=%2F#top", "http://images.example.org/iiif/p1/info.json")
	set("is a number for an address", "imageUrl", "http://203.0.113.7/a.png", "http://[2001:db8::1]/a.png")
	set("is inline", "imageUrl", "data:image/png;base64,"+dot, "DATA:image/png;BASE64,"+dot, "data:;base64,"+dot, "data:application/octet-stream;base64,"+dot)
	set("is in capitals", "language", "EN", "En")
	set("has a region", "language", "en-GB", "en-US", "en-Latn-AU")
	for _, format := range []string{"json", "text", "hocr", "alto", "page", "tsv"} {
		set("is "+format, "format", format)
	}
	for _, value := range []string{"true", "false"} {
		rules = append(rules, Rule{Name: "enhance is " + value, Place: "field enhance", Make: fixed(func(d *Draft) { d.set("enhance", json.RawMessage(value)) })})
	}
	for what, v := range map[string]string{"of one character": "k", "of 255 characters": strings.Repeat("k", 255), "of marks": `!"#$%&'()*+,-./:;<=>?@[\]^_{|}~`} {
		rules = append(rules, Rule{Name: "there is an Idempotency-Key " + what, Place: "header Idempotency-Key", Make: fixed(func(d *Draft) { d.Header.Set("Idempotency-Key", v) })})
	}
	for what, headers := range map[string]map[string]string{
		"headers that nobody asked for":     {"X-Custom": "yes", "Traceparent": "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"},
		"a wish for another type":           {"Accept": "text/plain, application/xml;q=0.5"},
		"a wish for another language":       {"Accept-Language": "de"},
		"an offer to read gzip":             {"Accept-Encoding": "gzip"},
		"another method in a header":        {"X-HTTP-Method-Override": "DELETE"},
		"an X-Request-Id with a blank":      {"X-Request-Id": "two words"},
		"an X-Request-Id of 500 characters": {"X-Request-Id": strings.Repeat("x", 500)},
		"a condition and a range":           {"If-None-Match": "*", "Range": "bytes=0-3"},
	} {
		rules = append(rules, Rule{Name: "there is " + what, Place: "header " + what, Make: fixed(func(d *Draft) {
			for name, value := range headers {
				d.Header.Set(name, value)
			}
		})})
	}
	slices.SortFunc(rules, func(a, b Rule) int { return strings.Compare(a.Name, b.Name) })
	return rules
}

// dot is a PNG of one white pixel.
const dot = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII="
