package generate

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/getkin/kin-openapi/openapi3"
)

// dot is a PNG of one white pixel.
const dot = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII="

// unusualValues are valid values of a field, by what is unusual about them. Their hosts need not exist: requests are sent from
// an account without points, for which no image is fetched. Each value is sent in every run, except web addresses: of these a
// run chooses some.
var unusualValues = []struct {
	field, what string
	values      []string
}{
	{"imageUrl", webAddress, append(Addresses(), unfetchableURLs...)},
	{"imageUrl", "is inline", []string{"data:image/png;base64," + dot, "DATA:image/png;BASE64," + dot, "data:;base64," + dot, "data:application/octet-stream;base64," + dot}},
	{"language", "is in another case", []string{"EN", "En", "eN", "EN-gb", "en-latn", "EN-LATN-GB", "en-gb", "eN-lATN-Gb"}},
	{"language", "has a region", []string{"en-GB", "en-US", "en-AU", "en-001", "en-Latn-AU", "en-Latn-001"}},
	{"language", "has a script", []string{"en-Latn", "en-LATN"}},
	{"language", "has a variant or an extension", []string{
		"en-GB-oxendict", "en-scouse", "en-fonipa", "en-GB-scotland-fonipa", "en-u-ca-gregory", "en-a-bbb", "en-t-de", "en-GB-u-co-phonebk", "en-x-old", "en-x-a", "en-Latn-GB-x-old-style", "en-Latn-US-u-va-posix", "en-a-bbb-x-a-ccc",
	}},
	{"language", "is as long as it may be", []string{"en-x-aaaaaaaa-bbbbbbbb-cccccccc-dd3", "en-Latn-GB-x-abcdefgh-abcdefgh-abc"}},
	{"format", "is one of the list", nil},
	{"Idempotency-Key", "has one character", singleCharacters()},
	{"Idempotency-Key", "is as long as it may be", []string{strings.Repeat("k", 255), strings.Repeat("k", 65), strings.Repeat("k", 129), strings.Repeat("~", 255)}},
	{"Idempotency-Key", "is of punctuation", []string{`!"#$%&'()*+,-./:;<=>?@[\]^_{|}~` + "`", `"quoted"`, "a,b", "a;b=c", "%41", "-a", "0", "00", "{}", "a/b", "<a>", `\`, "1e3", "null", "2026-01-15T12:00:00Z", "550e8400-e29b-41d4-a716-446655440000", "550E8400E29B41D4A716446655440000"}},
}

const webAddress = "is a web address"

// singleCharacters are the visible ASCII characters that are neither letters nor digits, and one lower-case letter, one
// upper-case letter and one digit.
func singleCharacters() (all []string) {
	for c := '!'; c <= '~'; c++ {
		if !unicode.IsLetter(c) && !unicode.IsDigit(c) || strings.ContainsRune("0aZ", c) {
			all = append(all, string(c))
		}
	}
	return all
}

// unusualHeaders are headers that a server must accept or ignore. Frameworks react to some of them by themselves, so that a
// server can break the contract without a line of its own.
var unusualHeaders = map[string]map[string]string{
	"headers that nobody asked for":       {"X-Custom": "yes", "Traceparent": "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"},
	"a preference for another type":       {"Accept": "text/plain, application/xml;q=0.5"},
	"a preference for another language":   {"Accept-Language": "de"},
	"an offer to read gzip":               {"Accept-Encoding": "gzip"},
	"another method in a header":          {"X-HTTP-Method-Override": "DELETE"},
	"an X-Request-Id with a space":        {"X-Request-Id": "two words"},
	"an X-Request-Id of 500 characters":   {"X-Request-Id": strings.Repeat("x", 500)},
	"a precondition and a range of bytes": {"If-None-Match": "*", "Range": "bytes=0-3"},
}

// Variants are unusual requests that the contract permits, each value a rule of its own. They find servers that refuse too
// much.
func Variants(schema *openapi3.Schema) (rules []Rule) {
	add := func(set, field, what string, change func(d *Draft)) {
		rules = append(rules, Rule{Name: field + " " + what, Place: "field " + field, Set: set, draw: fixed(change)})
	}
	for _, u := range unusualValues {
		values := u.values
		if values == nil {
			for _, v := range schema.Properties[u.field].Value.Enum {
				values = append(values, fmt.Sprint(v))
			}
		}
		set := ""
		if u.what == webAddress {
			set = "addresses"
		}
		for _, v := range values {
			add(set, u.field, fmt.Sprintf("%s: %s", u.what, shown(v)), func(d *Draft) {
				if u.field == idempotencyKey {
					d.Header.Set(u.field, v)
					return
				}
				d.set(u.field, quoted(v))
			})
		}
	}
	for _, enhance := range []string{"true", "false"} {
		add("", "enhance", "is "+enhance, func(d *Draft) { d.set("enhance", []byte(enhance)) })
	}
	for _, media := range []string{"application/json;charset=utf-8", "application/json; charset=UTF-8", `application/json; charset="utf-8"`, "APPLICATION/JSON", "Application/Json ; Charset=Utf-8"} {
		add("", "Content-Type", "is "+media, func(d *Draft) { d.Header.Set("Content-Type", media) })
	}
	for _, blanks := range []string{" ", "\t", "\n", "\r", "\r\n \t\n", strings.Repeat(" ", manyBlanks), strings.Repeat("\r\n", manyBlanks)} {
		for what, write := range around(blanks) {
			rules = append(rules, Rule{Name: "the body " + what + " " + shortName(blanks), Place: "body", draw: fixed(func(d *Draft) { d.spoil = write })})
		}
	}
	for what, headers := range unusualHeaders {
		rules = append(rules, Rule{Name: "there is " + what, Place: "header " + what, draw: fixed(func(d *Draft) {
			for name, value := range headers {
				d.Header.Set(name, value)
			}
		})})
	}
	slices.SortFunc(rules, func(a, b Rule) int { return cmp.Compare(a.Name, b.Name) })
	return rules
}

// shown formats a value for the name of a variant.
func shown(value string) string {
	if len(value) > 100 {
		return fmt.Sprintf("%q of %d bytes", value[:40]+"..."+value[len(value)-20:], len(value))
	}
	return fmt.Sprintf("%q", value)
}

// manyBlanks is more white space than the buffers of most readers hold, in bytes.
const manyBlanks = 5000

const idempotencyKey = "Idempotency-Key"
