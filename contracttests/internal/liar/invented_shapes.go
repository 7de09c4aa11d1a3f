package liar

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// inventedShapes accept requests that the contract forbids, or refuse what it permits. The honest server refuses the
// replacement character as well, so the defect that replaces invalid UTF-8 removes it instead.
func inventedShapes() []row {
	long := regexp.MustCompile(`^[A-Za-z]{4,8}(-[A-Za-z0-9]{1,8})*$`)
	delays := regexp.MustCompile(`/slow-(\d+)$`)
	embedded := []string{"[::ffff:", "[64:ff9b:"}
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
		{"equal-duplicates-pass", eachRule, body(withoutRepeatedFields)},
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
		{"long-data-url-in-capitals", everyImage, refuseImage("must have at most 8,192 characters", func(p *picture) bool {
			return !strings.HasPrefix(p.header, "data:") && len(p.header)+1+len(p.encoded) > 8192
		})},
		{"line-feeds-in-strings", eachRule, body(func(b []byte) []byte {
			if json.Valid(b) || !utf8.Valid(b) {
				return b
			}
			if without := bytes.ReplaceAll(b, []byte("\n"), nil); json.Valid(without) && len(without) < len(b) {
				return without
			}
			return b
		})},
		{"chunked-body-ignored", "extract/200/ways-to-write-it", rewrite(func(c *call) {
			if c.isExtract() && slices.Contains(c.request.TransferEncoding, "chunked") {
				c.body = nil
			}
		})},
		{"replaces-what-is-not-utf-8", eachRule, body(func(b []byte) []byte {
			if bytes.Contains(b, []byte(`"data:image/png;name=`)) {
				return bytes.ToValidUTF8(b, nil)
			}
			return b
		})},
		{"expired-says-invalid-token", "status/401/expired", on(both(status(http.StatusUnauthorized), callIs(func(c *call) bool { return strings.HasPrefix(c.key(), "ocr_test_expired") })),
			header("WWW-Authenticate", `Bearer error="invalid_token", error_description="The key expired"`))},
		accept("null-in-unknown-fields", func(o object) {
			keepFields(o, func(name string) bool { return o[name] != nil || slices.Contains(requestFields, name) })
		}),
		{"internal-names-in-small-letters-only", refusedAddress, on(both(isExtraction, status(http.StatusBadRequest)), func(c *call, a *reply) {
			u, err := url.Parse(c.field("imageUrl"))
			if err != nil || u.Hostname() == strings.ToLower(u.Hostname()) || !strings.Contains(u.Hostname(), ".") {
				return
			}
			a.edit(func(o object) {
				if f, ok := o["fetch"].(object); ok && f["reason"] == "refused-address" {
					o["fetch"] = object{"reason": "no-address", "retryable": true, "retryAfter": 60}
				}
			})
		})},
		{"delays-of-four-digits", "extract/running-and-gone", refuse(func(c *call) bool {
			m := delays.FindStringSubmatch(c.field("imageUrl"))
			if m == nil {
				return false
			}
			n, _ := strconv.Atoi(m[1]) // digits
			return n > 9999
		})},
		{"accepts a body of GET /status in chunks", "status/400/takes-nothing", rewrite(func(c *call) {
			if c.isStatus() && slices.Contains(c.request.TransferEncoding, "chunked") {
				c.body = nil
			}
		})},
		{"accepts an Idempotency-Key beyond ASCII", eachRule, rewrite(func(c *call) {
			if key := c.idempotencyKey(); c.isExtract() && strings.ContainsFunc(key, func(r rune) bool { return r > 0x7f }) && !strings.ContainsFunc(key, func(r rune) bool { return r < '!' || r == 0x7f }) {
				c.request.Header.Set("Idempotency-Key", strings.Map(func(r rune) rune {
					if r > 0x7e {
						return 'x'
					}
					return r
				}, key))
			}
		})},
		{"connects to IPv4 addresses within IPv6", refusedAddress, on(both(isExtraction, status(http.StatusBadRequest)), func(c *call, a *reply) {
			u := strings.ToLower(c.field("imageUrl"))
			if slices.ContainsFunc(embedded, func(prefix string) bool { return strings.Contains(u, "//"+prefix) }) {
				inside("fetch", func(f object) {
					if f["reason"] == "refused-address" {
						f["reason"], f["retryable"], f["retryAfter"] = "unreachable", true, 60
					}
				})(c, a)
			}
		})},
	}
}

// withoutRepeatedFields leaves out fields that are repeated with the same value.
func withoutRepeatedFields(b []byte) []byte {
	if !json.Valid(b) || !utf8.Valid(b) {
		return b
	}
	d := json.NewDecoder(bytes.NewReader(b))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return b
	}
	values, repeated := map[string]any{}, false
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
		repeated = repeated || seen
		values[n] = value
	}
	if !repeated {
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
