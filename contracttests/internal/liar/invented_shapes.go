package liar

import (
	"bytes"
	"encoding/json"
	"io"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// inventedShapes accept requests that the contract forbids.
func inventedShapes() []row {
	long := regexp.MustCompile(`^[A-Za-z]{4,8}(-[A-Za-z0-9]{1,8})*$`)
	return []row{
		{"extension-fields-ignored", eachRule, body(func(b []byte) []byte {
			if !json.Valid(b) || !utf8.Valid(b) {
				return b
			}
			return edited(b, func(o object) {
				for name := range o {
					if name == "" || strings.ContainsRune("$_@", rune(name[0])) || strings.HasPrefix(name, "x-") {
						delete(o, name)
					}
				}
			})
		})},
		{"equal-duplicates-pass", eachRule, body(withoutTwins)},
		{"query-overrides-format", eachRule, rewrite(func(c *call) {
			values := c.request.URL.Query()
			if !c.isExtract() || !values.Has("format") || !json.Valid(c.body) {
				return
			}
			f := values.Get("format")
			values.Del("format") // whatever it says, nobody refuses it
			c.request.URL.RawQuery = values.Encode()
			if slices.Contains([]string{"alto", "hocr", "page", "tsv", "pdf"}, f) {
				c.body = edited(c.body, func(o object) { o["format"] = f })
			}
		})},
		{"content-type-by-prefix", eachRule, rewrite(func(c *call) {
			if types := c.request.Header["Content-Type"]; c.isExtract() && len(types) == 1 && strings.HasPrefix(strings.ToLower(types[0]), "application/json") {
				c.request.Header.Set("Content-Type", "application/json")
			}
		})},
		{"long-language-falls-back", "extract/400/language", body(func(b []byte) []byte {
			if !json.Valid(b) {
				return b
			}
			return edited(b, func(o object) {
				if tag, _ := o["language"].(string); long.MatchString(tag) {
					o["language"] = "en"
				}
			})
		})},
	}
}

// withoutTwins leaves out fields that are repeated with the same value.
func withoutTwins(b []byte) []byte {
	if !json.Valid(b) || !utf8.Valid(b) {
		return b
	}
	d := json.NewDecoder(bytes.NewReader(b))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return b
	}
	values, twins := map[string]any{}, false
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return b
		}
		var value any
		if d.Decode(&value) != nil {
			return b
		}
		n, _ := name.(string)
		old, seen := values[n]
		if seen && !reflect.DeepEqual(old, value) {
			return b
		}
		twins = twins || seen
		values[n] = value
	}
	if !twins {
		return b
	}
	if _, err := d.Token(); err != nil {
		return b
	}
	if _, err := d.Token(); err != io.EOF {
		return b
	}
	return encode(values)
}
