package liar

import (
	"bytes"
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
	"strings"
)

var (
	hugeNumber   = regexp.MustCompile(`\d[eE]\+?\d{3,}`)
	strayPercent = regexp.MustCompile(`%([^0-9A-Fa-f]|[0-9A-Fa-f][^0-9A-Fa-f]|.?$)`)
)

func heldOutRequests() []Defect {
	d := func(name, explanation string, l lie) Defect {
		return Defect{Name: name, Area: "requests", Explanation: explanation, lie: l}
	}
	return []Defect{
		d("nul-is-500", "A NUL in a string makes the server fail.", crashes(func(c *call) bool { return bytes.Contains(c.body, []byte(`\u0000`)) })),
		d("huge-number-is-500", "A number beyond all bounds makes the server fail.", crashes(func(c *call) bool { return hugeNumber.Match(c.body) })),
		d("deep-nesting-is-500", "A value that nests very deep makes the server fail.", crashes(func(c *call) bool {
			return bytes.Contains(c.body, bytes.Repeat([]byte("["), 500)) || bytes.Contains(c.body, bytes.Repeat([]byte(`{"a":`), 500))
		})),
		d("inherited-names-pass", "The names that every object has by birth are taken for known fields.", asks(func(o map[string]any) {
			for _, name := range []string{"constructor", "toString", "hasOwnProperty", "valueOf"} {
				delete(o, name)
			}
		})),
		d("repeated-by-escape-passes", "A field that stands twice is not seen where one name is spelled with escapes.", body(func(b []byte) []byte {
			names, o := spelled(b), object(b)
			if o == nil || !json.Valid(b) || len(o) == len(names) || len(slices.Compact(slices.Sorted(slices.Values(names)))) < len(names) {
				return b
			}
			return encode(o)
		})),
		d("white-space-of-unicode-passes", "Form feeds and blanks of Unicode around the JSON are ignored.", body(bytes.TrimSpace)),
		d("empty-string-as-absent", "An empty string is taken for a field that was left out.", asks(func(o map[string]any) {
			for _, name := range knownFields[1:] {
				if o[name] == "" {
					delete(o, name)
				}
			}
		})),
		d("array-of-one-as-value", "An array of one is taken for what is in it.", asks(func(o map[string]any) {
			for _, name := range knownFields {
				if all, ok := o[name].([]any); ok && len(all) == 1 {
					o[name] = all[0]
				}
			}
		})),
		d("address-trimmed", "White space around an address is ignored.", asks(func(o map[string]any) {
			if s, ok := o["imageUrl"].(string); ok {
				o["imageUrl"] = strings.TrimSpace(s)
			}
		})),
		d("stray-percent-passes", "A stray % in an address is accepted.", asks(func(o map[string]any) {
			if s, ok := o["imageUrl"].(string); ok && strings.HasPrefix(s, "http") {
				o["imageUrl"] = strayPercent.ReplaceAllString(s, "%25$1")
			}
		})),
		d("two-content-types-pass", "Of two Content-Type headers one is enough.", before(func(c *call) {
			if len(c.request.Header["Content-Type"]) > 1 {
				c.request.Header.Set("Content-Type", "application/json")
			}
		})),
		d("content-type-on-status-refused", "The status is refused to clients that send a Content-Type without a body.", func(honest server) server {
			return func(c *call) *reply {
				if c.asksStatus() && c.request.Header.Get("Content-Type") != "" && len(c.body) == 0 && c.request.URL.RawQuery == "" {
					other := c.with(nil)
					other.request.URL.RawQuery = "Content-Type=x"
					return honest(other)
				}
				return honest(c)
			}
		}),
		d("extract-negotiates", "An extraction is a 406 for clients that would rather have another type.", after(extracted, func(c *call, a *reply) {
			if accept := c.request.Header.Get("Accept"); accept != "" && !strings.Contains(accept, "json") && !strings.Contains(accept, "*/*") {
				a.status = http.StatusNotAcceptable
			}
		})),
	}
}

// spelled are the names in the object as they are written, escapes and all.
func spelled(b []byte) (names []string) {
	d := json.NewDecoder(bytes.NewReader(b))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil
	}
	for d.More() {
		from := d.InputOffset()
		if _, err := d.Token(); err != nil {
			return nil
		}
		names = append(names, string(bytes.TrimLeft(b[from:d.InputOffset()], ", \r\n\t")))
		var value json.RawMessage
		if d.Decode(&value) != nil {
			return nil
		}
	}
	return names
}
