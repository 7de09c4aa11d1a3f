package liar

import (
	"bytes"
	"encoding/json"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

var (
	requestFields = []string{"imageUrl", "language", "enhance", "format"}
	formats       = []string{"json", "text", "hocr", "alto", "page", "tsv", "pdf"}
	hugeNumber    = regexp.MustCompile(`\d[eE]\+?\d{3,}`)
	strayPercent  = regexp.MustCompile(`%([^0-9A-Fa-f]|[0-9A-Fa-f][^0-9A-Fa-f]|.?$)`)
)

const (
	eachRule      = "extract/400/each-rule"
	everyImage    = "extract/200/every-image"
	everyOther    = "extract/400/every-other-file"
	waysToWrite   = "extract/200/ways-to-write-it"
	inlineImage   = "extract/200/inline-image"
	unusual       = "extract/402/unusual-but-right"
	languagesCase = "extract/200/languages"
)

// requestDefects accept what the contract forbids, or refuse what it allows.
func requestDefects() []row {
	return slices.Concat(syntaxDefects(), bodyDefects(), fieldDefects(), valueDefects(), refusedRequests())
}

// syntaxDefects accept bodies and headers that are malformed, or crash on them.
func syntaxDefects() []row {
	part := func(old, replacement string) lie {
		return body(func(b []byte) []byte { return bytes.ReplaceAll(b, []byte(old), []byte(replacement)) })
	}
	return []row{
		// encoding/json keeps the last of two equal fields, other parsers the first: a proxy may have checked the other
		// one.
		{"uses the last of two equal fields", eachRule, body(func(b []byte) []byte {
			if o := parse(b); o != nil && json.Valid(b) {
				return encode(o)
			}
			return b
		})},
		{"misses a repeated field if one name is written with escapes", eachRule, body(mergeEscapedNames)},
		// json.Decoder does this unless it is asked for the end (json.Decoder.More, InputOffset).
		{"ignores data after the JSON", eachRule, body(func(b []byte) []byte {
			var first json.RawMessage
			if json.NewDecoder(bytes.NewReader(b)).Decode(&first) == nil {
				return first
			}
			return b
		})},
		// Extensions of JSON5 and JSONC. RFC 8259 knows none of them.
		{"accepts a comma before the end of an object", eachRule, part(",}", "}")},
		{"accepts comments", eachRule, part("/**/", "")},
		// RFC 8259, section 8.1, allows parsers to ignore it; the contract does not.
		{"accepts a byte order mark", eachRule, body(func(b []byte) []byte { return bytes.TrimPrefix(b, []byte("\ufeff")) })},
		// encoding/json replaces both by U+FFFD, so that the text read is not the text sent.
		{"replaces bytes that are not UTF-8", eachRule, body(func(b []byte) []byte { return bytes.ToValidUTF8(b, []byte("a")) })},
		{"replaces half of a surrogate pair", eachRule, part(`\ud800`, "a")},
		// RFC 8259, section 7: control characters are escaped.
		{"accepts control characters in strings", eachRule, part("://\n", "://a")},
		// RFC 8259, section 2, knows four characters of white space; TrimSpace knows more.
		{"accepts form feeds and Unicode blanks around the JSON", eachRule, body(bytes.TrimSpace)},
		// Strings of C end at a NUL, and files of MS-DOS at a Ctrl-Z.
		{"accepts NULs after the JSON", eachRule, body(func(b []byte) []byte { return bytes.TrimRight(b, "\x00") })},
		{"accepts a Ctrl-Z after the JSON", eachRule, body(func(b []byte) []byte { return bytes.TrimSuffix(b, []byte("\x1a")) })},
		// What services send in front of JSON so that no page can load it as a script.
		{"accepts a guard in front of the JSON", eachRule, body(func(b []byte) []byte { return bytes.TrimPrefix(b, []byte(")]}'\n")) })},
		{"refuses many blanks after the JSON", "extract/402/unusual-but-right", refuse(func(c *call) bool { return bytes.HasSuffix(c.body, bytes.Repeat([]byte(" "), 1000)) })},
		// A value that a validator lets through reaches code that cannot handle it: Postgres has no NUL in text.
		{"fails on a NUL in a string", eachRule, crash(func(c *call) bool { return bytes.Contains(c.body, []byte(`\u0000`)) })},
		// 1e999 is valid JSON and beyond any float64.
		{"fails on a huge number", eachRule, crash(func(c *call) bool { return hugeNumber.Match(c.body) })},
		// Recursive parsers run out of stack.
		{"fails on deeply nested values", eachRule, crash(func(c *call) bool {
			return bytes.Contains(c.body, bytes.Repeat([]byte("["), 500)) || bytes.Contains(c.body, bytes.Repeat([]byte(`{"a":`), 500))
		})},
	}
}

// bodyDefects accept bodies with wrong headers, or where none is allowed.
func bodyDefects() []row {
	return []row{
		// A form in a browser can send text/plain to any host without asking, but not application/json.
		{"ignores the Content-Type", eachRule, rewrite(func(c *call) {
			if len(c.body) > 0 {
				c.request.Header["Content-Type"] = []string{"application/json"}
			}
		})},
		{"ignores the charset", eachRule, rewrite(func(c *call) {
			if strings.HasPrefix(c.request.Header.Get("Content-Type"), "application/json;") {
				c.request.Header.Set("Content-Type", "application/json")
			}
		})},
		// Header.Get returns only the first.
		{"accepts two Content-Type headers", eachRule, rewrite(func(c *call) {
			if len(c.request.Header["Content-Type"]) > 1 {
				c.request.Header.Set("Content-Type", "application/json")
			}
		})},
		// A caller that puts a field into the query assumes that it has an effect.
		{"ignores query parameters", "status/400/takes-nothing", rewrite(func(c *call) { c.request.URL.RawQuery = "" })},
		{"ignores the body of a request for the status", "status/400/takes-nothing", rewrite(func(c *call) {
			if c.isStatus() {
				c.body = nil
			}
		})},
		{"accepts blanks as the body of a request for the status", "status/400/takes-nothing", rewrite(func(c *call) {
			if c.isStatus() && len(bytes.TrimSpace(c.body)) == 0 {
				c.body = nil
			}
		})},
		{"refuses addresses with the extension of another file", "extract/200/every-form-of-address", rewrite(func(c *call) {
			if u, err := url.Parse(c.field("imageUrl")); err == nil && c.isExtract() && strings.HasSuffix(u.Path, ".pdf") {
				c.body = edited(c.body, func(o object) { o["imageUrl"] = "http://mock.invalid/not-an-image" })
			}
		})},
		{"refuses addresses that end without an extension", "extract/200/every-form-of-address", rewrite(func(c *call) {
			if u, err := url.Parse(c.field("imageUrl")); err == nil && c.isExtract() && u.Host == "images.example.org" && !strings.Contains(u.Path[strings.LastIndex(u.Path, "/")+1:], ".") {
				c.body = edited(c.body, func(o object) { o["imageUrl"] = "http://mock.invalid/not-an-image" })
			}
		})},
		// The statuses of the operations are closed: another type and an oversized body get a 400.
		{"answers 415 to another Content-Type", eachRule, on(both(status(400), bodyHas(`"Content-Type"`)), recode(415))},
		{"answers 413 to a large body", "extract/400/too-large", on(both(status(400), callIs(func(c *call) bool { return len(c.body) > largeBody })), recode(413))},
	}
}

// accept is a row for a field that must be refused. The case goes through the rules of the schema one by one.
func accept(does string, f func(o object)) row { return row{does, eachRule, fields(f)} }

// acceptLanguage is a row for a well-formed language that no model reads.
func acceptLanguage(does string, f func(o object)) row {
	return row{does, "extract/400/language", fields(f)}
}

// fieldDefects accept values of fields that the contract forbids.
func fieldDefects() []row {
	return []row{
		// The request is closed: a misspelled field would be left out silently.
		accept("ignores unknown fields", func(o object) { keepFields(o, func(name string) bool { return slices.Contains(requestFields, name) }) }),
		// `name in object` instead of hasOwnProperty.
		accept("knows the names that every JavaScript object inherits", func(o object) {
			keepFields(o, func(name string) bool {
				return !slices.Contains([]string{"constructor", "toString", "hasOwnProperty", "valueOf"}, name)
			})
		}),
		// encoding/json finds fields in any case. Past a strict validator this smuggles fields in.
		accept("ignores letter case in names of fields", func(o object) {
			for name, v := range o {
				if i := slices.IndexFunc(requestFields, func(known string) bool { return strings.EqualFold(known, name) }); i >= 0 {
					delete(o, name)
					o[requestFields[i]] = v
				}
			}
		}),
		// Coercion, as validators of forms do it: each of these turns a mistake of the caller into a charge.
		accept("takes a string for a boolean", func(o object) {
			if s, ok := o["enhance"].(string); ok {
				o["enhance"] = s == "true"
			}
		}),
		accept("takes a number for a boolean", func(o object) {
			if _, ok := o["enhance"].(json.Number); ok {
				o["enhance"] = true
			}
		}),
		accept("takes null for a field that is left out", func(o object) {
			keepFields(o, func(name string) bool { return o[name] != nil || name == "imageUrl" })
		}),
		accept("takes an empty string for a field that is left out", func(o object) {
			keepFields(o, func(name string) bool { return o[name] != "" || name == "imageUrl" })
		}),
		accept("takes an array of one for its element", func(o object) {
			for name, v := range o {
				if all, ok := v.([]any); ok && len(all) == 1 {
					o[name] = all[0]
				}
			}
		}),
		// A missing image must not cost points.
		{"reads a blank page if the request names none", malformed, fields(func(o object) {
			if _, ok := o["imageUrl"]; !ok {
				o["imageUrl"] = "https://mock.invalid/blank"
			}
		})},
	}
}

// valueDefects accept formats, languages and addresses that the contract does not have.
func valueDefects() []row {
	return []row{
		// The enum of the contract is exact.
		accept("ignores letter case in formats", stringField("format", strings.ToLower)),
		accept("ignores letter case in one of the formats", stringField("format", func(s string) string {
			if strings.EqualFold(s, "alto") {
				return "alto"
			}
			return s
		})),
		accept("takes media types for formats", stringField("format", func(s string) string {
			if s == "text/plain" {
				return "text"
			}
			return s
		})),
		accept("ignores white space around a format", stringField("format", strings.TrimSpace)),
		accept("answers an unknown format as json", stringField("format", func(s string) string {
			if slices.Contains(formats, s) {
				return s
			}
			return "json"
		})),
		// BCP 47 separates subtags by hyphens; golang.org/x/text/language accepts both.
		accept("accepts an underscore in a language", stringField("language", replacing("_", "-"))),
		// Matchers have a default. Text that is read with the wrong model looks plausible and is wrong.
		acceptLanguage("reads an unsupported language as English", stringField("language", matching("^(tlh|qaa).*", "en"))),
		acceptLanguage("ignores a script that the language is not written in", stringField("language", replacing("en-Cyrl", "en"))),
		// file: and gopher: give access to internal resources (server-side request forgery).
		accept("fetches images from addresses of any scheme", stringField("imageUrl", strings.NewReplacer("ftp://", "http://", "file:///", "http://localhost/", "gopher://", "http://").Replace)),
		accept("completes an address without a scheme", stringField("imageUrl", func(s string) string {
			if s == "" || strings.Contains(s, ":") {
				return s
			}
			return "https://images.example.org/" + strings.TrimLeft(s, "/ \t\n")
		})),
		// An address that is cut off leads elsewhere.
		accept("accepts addresses longer than 8,192 characters", stringField("imageUrl", func(s string) string {
			if strings.HasPrefix(s, "http") {
				return s[:min(len(s), 8192)]
			}
			return s
		})),
		// url.Parse refuses some of these and accepts others.
		accept("ignores white space around an address", stringField("imageUrl", strings.TrimSpace)),
		accept("accepts a stray % in an address", stringField("imageUrl", func(s string) string {
			if strings.HasPrefix(s, "http") {
				return strayPercent.ReplaceAllString(s, "%25$1")
			}
			return s
		})),
	}
}

// refusedRequests refuse requests that the contract allows.
func refusedRequests() []row {
	spoil := func(field, pattern string) lie { return fields(stringField(field, matching(pattern, ""))) }
	return []row{
		// RFC 9110, section 8.3: media types have parameters, in any case and with quotes.
		{"refuses a Content-Type with a charset", waysToWrite, refuse(func(c *call) bool {
			return strings.Contains(strings.ToLower(c.request.Header.Get("Content-Type")), "charset=")
		})},
		// RFC 8259: white space, escapes and order are free.
		{"refuses JSON over several lines", waysToWrite, refuse(func(c *call) bool { return bytes.Contains(c.body, []byte("\n")) && c.fields() != nil })},
		{"refuses JSON with escapes", waysToWrite, refuse(func(c *call) bool { return bytes.Contains(c.body, []byte(`\u00`)) })},
		// Code that needs a Content-Length.
		{"refuses a body sent in chunks", waysToWrite, refuse(func(c *call) bool { return len(c.request.TransferEncoding) > 0 })},
		{"refuses the fields in another order", waysToWrite, refuse(func(c *call) bool {
			format, image := bytes.Index(c.body, []byte(`"format"`)), bytes.Index(c.body, []byte(`"imageUrl"`))
			return format >= 0 && format < image
		})},
		// BCP 47: subtags are case-insensitive, and a region falls back to its language (RFC 4647, section 3.4).
		{"refuses a language with a region", languagesCase, spoil("language", "^en-GB$")},
		{"refuses a language in capitals", languagesCase, spoil("language", "^EN$")},
		{"refuses one of the languages that it lists", "extract/402/every-listed-language", spoil("language", "^la$")},
		// Models differ by script: ISO 15924 has Latf for Fraktur.
		{"reads Fraktur as German", languagesCase, fields(stringField("language", replacing("de-Latf", "de")))},
		// RFC 2397: data URLs may be percent-encoded.
		{"refuses inline images", inlineImage, spoil("imageUrl", "^data:.*")},
		{"refuses percent-encoding in an inline image", inlineImage, spoil("imageUrl", "^data:.*%.*")},
		{"refuses addresses longer than 2,048 characters", unusual, fields(stringField("imageUrl", func(s string) string {
			if strings.HasPrefix(s, "http") && len(s) > 2048 {
				return ""
			}
			return s
		}))},
		// RFC 3986, section 3.1: schemes are case-insensitive.
		{"refuses HTTPS in capitals", unusual, spoil("imageUrl", "^H.*")},
		{"refuses the format tsv", "extract/200/format-tsv", spoil("format", "^tsv$")},
	}
}

// fields changes the object that an extraction is asked with.
func fields(f func(o object)) lie {
	return body(func(b []byte) []byte {
		if len(b) > 1<<20 || !json.Valid(b) {
			return b
		}
		return edited(b, f)
	})
}

// stringField changes one field if it is a string.
func stringField(name string, f func(string) string) func(o object) {
	return func(o object) {
		if s, ok := o[name].(string); ok {
			o[name] = f(s)
		}
	}
}

// keepFields removes the fields that keep does not want.
func keepFields(o object, keep func(name string) bool) {
	for name := range o {
		if !keep(name) {
			delete(o, name)
		}
	}
}

// crash lets the server fail on malformed extractions for which the condition holds.
func crash(w func(c *call) bool) lie {
	return replaceWhen(both(status(400), callIs(func(c *call) bool { return c.isExtract() && w(c) })), func(honest server, c *call, a *reply) *reply {
		b := c.withKey(failingKey).ask(honest, "POST", extractPath, []byte(`{"imageUrl":"https://mock.invalid/printed"}`))
		b.takeWindow(a)
		return b
	})
}

// mergeEscapedNames drops a repeated field unless both names are written alike.
func mergeEscapedNames(b []byte) []byte {
	names, o := writtenNames(b), parse(b)
	if o == nil || !json.Valid(b) || len(o) == len(names) || len(slices.Compact(slices.Sorted(slices.Values(names)))) < len(names) {
		return b
	}
	return encode(o)
}

// writtenNames are the names in the object as they are written, escapes included.
func writtenNames(b []byte) (names []string) {
	d := json.NewDecoder(bytes.NewReader(b))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil
	}
	for d.More() {
		start := d.InputOffset()
		if _, err := d.Token(); err != nil {
			return nil
		}
		names = append(names, string(bytes.TrimLeft(b[start:d.InputOffset()], ", \r\n\t")))
		var value json.RawMessage
		if d.Decode(&value) != nil {
			return nil
		}
	}
	return names
}
