package generate

import (
	"fmt"
	"slices"
	"strings"

	"pgregory.net/rapid"
)

// maxDepth is the number of nested arrays in a body that must be refused: recursive readers without a limit overflow their
// stack.
const maxDepth = 5000

// bodies are texts that replace the body, by what is wrong with them. The seed draws one text per rule, so every text is
// sent in some run, but not every text in each.
var bodies = []struct {
	what  string
	texts []string
}{
	{"is empty", []string{""}},
	{"is white space", []string{" ", "\n", "\r\n\t "}},
	{"is not an object", []string{`[]`, `"text"`, `1`, `null`, `true`, `[{"imageUrl":"https://images.example.org/a.png"}]`}},
	{"is not JSON", []string{`imageUrl=https://images.example.org/a.png`, `<request/>`, `{'imageUrl':'https://images.example.org/a.png'}`, `{imageUrl:"https://images.example.org/a.png"}`}},
}

// changes make a valid body wrong; servers must name "body" in details. For changesInField they may also name imageUrl,
// because some readers find these problems while reading its value. Keys complete "the body ...".
var (
	changes = map[string]func(body string) string{
		"occurs twice":                     func(s string) string { return s + "\n" + s },
		"ends with a comma":                func(s string) string { return strings.TrimSuffix(s, "}") + ",}" },
		"has a comment":                    func(s string) string { return "{/**/" + s[1:] },
		"is in UTF-16":                     toUTF16,
		"has a number with a leading zero": func(s string) string { return `{"enhance":01,` + s[1:] },
		"has NaN":                          func(s string) string { return `{"enhance":NaN,` + s[1:] },
		"has True":                         func(s string) string { return `{"enhance":True,` + s[1:] },
	}
	changesInField = map[string]func(body string) string{
		"is not UTF-8":                         inValue("\xff"),
		"is not UTF-8 in the type of an image": func(string) string { return `{"imageUrl":"data:image/png;name=` + "\xff" + `;base64,` + dot + `"}` },
		"is Latin-1": func(string) string {
			return `{"imageUrl":"data:image/png;name=caf` + "\xe9" + `.png;base64,` + dot + `"}`
		},
		"has half of a surrogate pair":          inValue(`\ud800`),
		"has a control character in a string":   inValue("\n"),
		"has an invalid escape":                 inValue(`\x41`),
		"has a number that exceeds every limit": func(string) string { return `{"imageUrl":1e400}` },
		"nests too deep": func(string) string {
			return `{"imageUrl":` + strings.Repeat("[", maxDepth) + strings.Repeat("]", maxDepth) + `}`
		},
	}
)

// around are the ways to write a text next to a body, by their names.
func around(text string) map[string]func(body []byte) []byte {
	return map[string]func([]byte) []byte{
		"is followed by": func(b []byte) []byte { return append(slices.Clone(b), text...) },
		"is preceded by": func(b []byte) []byte { return append([]byte(text), b...) },
	}
}

// notBlank are texts that must not precede or follow the JSON: other values, single signs, controls, and characters that JSON
// does not count as white space. Readers of streams stop at the end of the first value; others trim more than JSON permits.
var notBlank = []string{
	"{}", "[]", "null", "0", "x", `"`, ",", ";", ":", "}", "]", "{", "[", "//", "#", "/**/", `{"imageUrl":1}`, "\n{}", ")]}'\n", "\x00", " \x00", "\x00\x00\x00\x00", "\x01", "\x04", "\b", "\v", "\f",
	"\x1a", "\x1b", "\x1e", "\x7f", "\xff", "\u0085", "\u00a0", "\u200b", "\u2028", "\u3000", "\ufeff",
}

// inValue inserts a text into the URL of the image.
func inValue(text string) func(body string) string {
	return func(s string) string {
		for _, head := range []string{"://", ";base64,"} {
			if before, after, ok := strings.Cut(s, head); ok {
				return before + head + text + after
			}
		}
		return s
	}
}

// toUTF16 encodes ASCII as UTF-16LE.
func toUTF16(s string) string {
	var b strings.Builder
	for _, c := range []byte(s) {
		b.Write([]byte{c, 0})
	}
	return b.String()
}

// bodyRules break the JSON itself. Servers cannot report other fields of such a body, so fits combines them with headers
// only.
func bodyRules() (rules []Rule) {
	add := func(what, fields string, draw func(t *rapid.T) func([]byte) []byte) {
		rules = append(rules, Rule{Name: "the body " + what, Fields: []string{fields}, Place: "body", draw: func(t *rapid.T) func(*Draft) {
			change := draw(t)
			return func(d *Draft) { d.spoil = change }
		}})
	}
	for _, b := range bodies {
		add(b.what, "body", func(t *rapid.T) func([]byte) []byte {
			text := rapid.SampledFrom(b.texts).Draw(t, b.what)
			return func([]byte) []byte { return []byte(text) }
		})
	}
	// Up to eight bytes, so that the cut can fall into the value, its quotes or the bracket.
	add("is cut off", "body", func(t *rapid.T) func([]byte) []byte {
		n := rapid.IntRange(1, 8).Draw(t, "bytes")
		return func(b []byte) []byte { return b[:max(1, len(b)-n)] }
	})
	for _, more := range notBlank {
		for what, write := range around(more) {
			add(fmt.Sprintf("%s %+q", what, more), "body", func(*rapid.T) func([]byte) []byte { return write })
			rules[len(rules)-1].Set = "texts around the JSON"
		}
	}
	for fields, all := range map[string]map[string]func(string) string{"body": changes, "body|imageUrl": changesInField} {
		for what, change := range all {
			add(what, fields, func(*rapid.T) func([]byte) []byte { return func(b []byte) []byte { return []byte(change(string(b))) } })
		}
	}
	// Maps have no order, but equal seeds must make equal requests.
	slices.SortFunc(rules, func(a, b Rule) int { return strings.Compare(a.Name, b.Name) })
	return rules
}
