package liar

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

var knownFields = []string{"imageUrl", "language", "enhance", "format"}

func requestLies() []Defect {
	d := func(name, explanation string, l lie) Defect {
		return Defect{Name: name, Area: "requests", Explanation: explanation, lie: l}
	}
	return []Defect{
		d("unknown-fields-pass", "Unknown fields are ignored.", asks(func(o map[string]any) {
			for name := range o {
				if !slices.Contains(knownFields, name) {
					delete(o, name)
				}
			}
		})),
		d("fields-in-any-case", "Fields are found in any case of letters.", asks(func(o map[string]any) {
			for name, v := range o {
				for _, known := range knownFields {
					if name != known && strings.EqualFold(name, known) {
						delete(o, name)
						o[known] = v
					}
				}
			}
		})),
		d("repeated-fields-pass", "Of a field that is given twice the last counts.", body(func(b []byte) []byte {
			if o := object(b); o != nil && json.Valid(b) {
				return encode(o)
			}
			return b
		})),
		d("trailing-data-passes", "What follows the JSON is ignored.", body(func(b []byte) []byte {
			var first json.RawMessage
			if json.NewDecoder(bytes.NewReader(b)).Decode(&first) == nil {
				return first
			}
			return b
		})),
		d("trailing-comma-passes", "A comma at the end of an object is ignored.", body(func(b []byte) []byte { return bytes.ReplaceAll(b, []byte(",}"), []byte("}")) })),
		d("comments-pass", "Comments are ignored.", body(func(b []byte) []byte { return bytes.ReplaceAll(b, []byte("/**/"), nil) })),
		d("byte-order-mark-passes", "A byte order mark is ignored.", body(func(b []byte) []byte { return bytes.TrimPrefix(b, []byte("\ufeff")) })),
		d("not-utf-8-passes", "Bytes that are not UTF-8 are replaced.", body(func(b []byte) []byte { return bytes.ToValidUTF8(b, []byte("a")) })),
		d("lone-surrogates-pass", "Half of a surrogate pair is replaced.", body(func(b []byte) []byte { return bytes.ReplaceAll(b, []byte(`\ud800`), []byte("a")) })),
		d("control-characters-pass", "Control characters in strings are accepted.", body(func(b []byte) []byte { return bytes.ReplaceAll(b, []byte("://\n"), []byte("://a")) })),
		d("content-type-ignored", "The body is read as JSON whatever it is declared as.", before(func(c *call) {
			if len(c.body) > 0 {
				c.request.Header["Content-Type"] = []string{"application/json"}
			}
		})),
		d("charset-ignored", "The charset of the body is ignored.", before(func(c *call) {
			if v := c.request.Header.Get("Content-Type"); strings.HasPrefix(v, "application/json;") {
				c.request.Header.Set("Content-Type", "application/json")
			}
		})),
		d("query-ignored", "Query parameters are ignored.", before(func(c *call) { c.request.URL.RawQuery = "" })),
		d("body-of-status-ignored", "A body with the question for the status is ignored.", before(func(c *call) {
			if c.asksStatus() {
				c.body = nil
			}
		})),
		d("strings-as-booleans", `"true" is taken for true.`, asks(func(o map[string]any) {
			if s, ok := o["enhance"].(string); ok {
				o["enhance"] = s == "true"
			}
		})),
		d("numbers-as-booleans", "1 is taken for true.", asks(func(o map[string]any) {
			if _, ok := o["enhance"].(json.Number); ok {
				o["enhance"] = true
			}
		})),
		d("null-as-absent", "null is taken for a field that was left out.", asks(func(o map[string]any) {
			for _, name := range knownFields[1:] {
				if v, ok := o[name]; ok && v == nil {
					delete(o, name)
				}
			}
		})),
		d("format-in-capitals", "Formats are found in any case of letters.", asks(lower("format"))),
		d("format-trimmed", "White space around a format is ignored.", asks(func(o map[string]any) {
			if s, ok := o["format"].(string); ok {
				o["format"] = strings.TrimSpace(s)
			}
		})),
		d("unknown-format-as-json", "A format that there is not is answered as json.", asks(func(o map[string]any) {
			if s, ok := o["format"].(string); ok && !slices.Contains([]string{"json", "text", "hocr", "alto", "page", "tsv"}, s) {
				o["format"] = "json"
			}
		})),
		d("unknown-language-as-english", "A language that cannot be read is read as English.", asks(func(o map[string]any) {
			if s, ok := o["language"].(string); ok && (strings.HasPrefix(s, "tlh") || strings.HasPrefix(s, "qaa")) {
				o["language"] = "en"
			}
		})),
		d("language-with-underscore", "en_GB is taken for en-GB.", asks(func(o map[string]any) {
			if s, ok := o["language"].(string); ok {
				o["language"] = strings.ReplaceAll(s, "_", "-")
			}
		})),
		d("script-ignored", "A script that the language is not written in is ignored.", asks(func(o map[string]any) {
			if o["language"] == "en-Cyrl" {
				o["language"] = "en"
			}
		})),
		d("any-scheme-passes", "Images may be at addresses of any scheme.", asks(func(o map[string]any) {
			if s, ok := o["imageUrl"].(string); ok {
				o["imageUrl"] = strings.NewReplacer("ftp://", "http://", "file:///", "http://localhost/", "gopher://", "http://").Replace(s)
			}
		})),
		d("relative-address-passes", "An address without a scheme is completed.", asks(func(o map[string]any) {
			if s, ok := o["imageUrl"].(string); ok && s != "" && !strings.Contains(s, ":") {
				o["imageUrl"] = "https://images.example.org/" + strings.TrimLeft(s, "/ \t\n")
			}
		})),
		d("longer-addresses-pass", "Addresses longer than 8,192 characters are accepted.", asks(func(o map[string]any) {
			if s, ok := o["imageUrl"].(string); ok && strings.HasPrefix(s, "http") && len(s) > 8192 {
				o["imageUrl"] = s[:8192]
			}
		})),
		d("missing-address-passes", "A request without an image is answered as for a blank one.", asks(func(o map[string]any) {
			if _, ok := o["imageUrl"]; !ok {
				o["imageUrl"] = "https://mock.invalid/blank"
			}
		})),
		d("charset-refused", "A Content-Type with a charset is refused.", refuse(func(c *call) bool {
			return strings.Contains(strings.ToLower(c.request.Header.Get("Content-Type")), "charset=")
		})),
		d("pretty-json-refused", "JSON over several lines is refused.", refuse(func(c *call) bool { return bytes.Contains(c.body, []byte("\n")) && object(c.body) != nil })),
		d("escapes-refused", "JSON with escapes is refused.", refuse(func(c *call) bool { return bytes.Contains(c.body, []byte(`\u00`)) })),
		d("regions-refused", "A language with a region is refused.", asks(func(o map[string]any) {
			if o["language"] == "en-GB" {
				o["language"] = "tlh"
			}
		})),
		d("capitals-in-language-refused", "A language in capitals is refused.", asks(func(o map[string]any) {
			if o["language"] == "EN" {
				o["language"] = "tlh"
			}
		})),
		d("inline-images-refused", "Images inside the request are refused.", asks(func(o map[string]any) {
			if s, ok := o["imageUrl"].(string); ok && strings.HasPrefix(s, "data:") {
				o["imageUrl"] = "x" + s
			}
		})),
		d("percent-encoded-images-refused", "Percent-encoding in an image inside the request is refused.", asks(func(o map[string]any) {
			if s, ok := o["imageUrl"].(string); ok && strings.HasPrefix(s, "data:") && strings.Contains(s, "%") {
				o["imageUrl"] = ""
			}
		})),
		d("long-addresses-refused", "Addresses longer than 2,048 characters are refused.", asks(func(o map[string]any) {
			if s, ok := o["imageUrl"].(string); ok && strings.HasPrefix(s, "http") && len(s) > 2048 {
				o["imageUrl"] = ""
			}
		})),
		d("scheme-in-capitals-refused", "HTTPS in capitals is refused.", asks(func(o map[string]any) {
			if s, ok := o["imageUrl"].(string); ok && strings.HasPrefix(s, "H") {
				o["imageUrl"] = ""
			}
		})),
		d("chunks-refused", "A body that is sent in chunks is refused.", func(honest server) server {
			return func(c *call) *reply {
				if len(c.request.TransferEncoding) > 0 && c.extracts() {
					return honest(c.with(nil))
				}
				return honest(c)
			}
		}),
		d("tsv-refused", "The format tsv is refused.", asks(func(o map[string]any) {
			if o["format"] == "tsv" {
				o["format"] = "tsv2"
			}
		})),
		d("a-listed-language-refused", "One of the languages that are listed is refused.", asks(func(o map[string]any) {
			if o["language"] == "la" {
				o["language"] = "tlh"
			}
		})),
		d("large-body-as-413", "A body that is too large is a 413.", after(func(c *call, a *reply) bool { return a.status == 400 && len(c.body) > 20<<20 }, func(_ *call, a *reply) { a.status = 413 })),
	}
}

// body changes the body of extractions on their way.
func body(change func(b []byte) []byte) lie {
	return before(func(c *call) {
		if c.extracts() {
			c.body = change(c.body)
		}
	})
}

// asks changes the object that an extraction asks with.
func asks(change func(o map[string]any)) lie {
	return body(func(b []byte) []byte {
		if len(b) > 1<<20 || !json.Valid(b) {
			return b
		}
		return edited(b, change)
	})
}

func lower(field string) func(o map[string]any) {
	return func(o map[string]any) {
		if s, ok := o[field].(string); ok {
			o[field] = strings.ToLower(s)
		}
	}
}

// refuse spoils extractions for which the condition holds.
func refuse(holds func(c *call) bool) lie {
	return before(func(c *call) {
		if c.extracts() && holds(c) {
			c.request.Header = c.request.Header.Clone()
			c.request.Header.Set("Content-Type", "text/plain")
		}
	})
}
