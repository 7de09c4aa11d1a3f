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

// unusualValues are valid values of a field, by what is unusual about them. Their hosts need not exist: requests are sent
// from an account without points, for which no image is fetched. Each value is sent in every run.
var unusualValues = []struct {
	field, what string
	values      []string
}{
	{"imageUrl", "is as long as it may be", []string{address(8192), address(4097), address(2049), "https://images.example.org/?q=" + strings.Repeat("a", 8000)}},
	{"imageUrl", "has a scheme in capitals", []string{"HTTPS://images.example.org/a.png", "HttP://images.example.org/a.png"}},
	{"imageUrl", "has no path", []string{"https://images.example.org", "http://images.example.org?page=1", "https://images.example.org#top", "https://images.example.org/", "https://images.example.org:8443"}},
	{"imageUrl", "has a port, a query and a fragment", []string{
		"https://images.example.org:8443/a%20b.png?x=1&y=%2F#top", "http://images.example.org:80/a.png", "https://images.example.org:443/a.png", "http://images.example.org:8080/a", "https://images.example.org/a?b", "https://images.example.org/a#b",
		"http://images.example.org/iiif/p1/info.json", "https://images.example.org/iiif/2/p1/full/max/0/default.jpg",
	}},
	{"imageUrl", "has an IP address for a host", []string{"http://203.0.113.7/a.png", "http://203.0.113.7:8080/a.png", "http://[2001:db8::1]/a.png", "http://[2001:db8::1]:8080/a.png"}},
	{"imageUrl", "has an unusual host", []string{"https://IMAGES.Example.ORG/a.png", "https://my_images.example.org/a.png", "https://xn--mnchen-3ya.example.org/a.png", "https://images.example.org./a.png", "http://images/a.png", "https://a-b.c-d.example.org/a.png", "https://1.example.org/a.png"}},
	{"imageUrl", "has an unusual path", []string{
		"https://images.example.org/%C3%BC/%E7%94%BB.png", "https://images.example.org/a%2Fb.png", "https://images.example.org/a;v=1/b.png", "https://images.example.org/a+b.png", "https://images.example.org/~me/a.png", "https://images.example.org/it's.png",
		"https://images.example.org/a(1).png", "https://images.example.org/@me/a.png", "https://images.example.org/a/../b.png", "https://images.example.org//a//b.png", "https://images.example.org/a*b!c,d=e&f$g", "https://images.example.org/a/", "https://images.example.org/a%25.png", "https://images.example.org/a:b",
	}},
	{"imageUrl", "has an unusual query", []string{"https://images.example.org/a?b=%20&c=%C3%BC", "https://images.example.org/a?b=c+d&e;f", "https://images.example.org/a?http://x.example/?y", "https://images.example.org/a?(b)*!'~@:/,$", "https://images.example.org/a?"}},
	{"imageUrl", "is inline", []string{"data:image/png;base64," + dot, "DATA:image/png;BASE64," + dot, "data:;base64," + dot, "data:application/octet-stream;base64," + dot}},
	{"imageUrl", "has an unusual extension", strings.Fields("https://images.example.org/a.gif https://images.example.org/a.pdf https://images.example.org/a.PHP https://images.example.org/a.svg https://images.example.org/a.jp2 https://images.example.org/a.html https://images.example.org/a.tar.gz https://images.example.org/a. https://images.example.org/.a https://images.example.org/a.png.txt")},
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

// singleCharacters are the visible ASCII characters that are neither letters nor digits, and one of each kind of those.
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

// Variants are unusual requests that the contract permits, each value a rule of its own. They find servers that refuse too much.
func Variants(schema *openapi3.Schema) (rules []Rule) {
	add := func(field string, what string, change func(d *Draft)) {
		rules = append(rules, Rule{Name: field + " " + what, Place: "field " + field, Make: fixed(change)})
	}
	for _, u := range unusualValues {
		values := u.values
		if values == nil {
			for _, v := range schema.Properties[u.field].Value.Enum {
				values = append(values, fmt.Sprint(v))
			}
		}
		for _, v := range values {
			add(u.field, fmt.Sprintf("%s: %s", u.what, shortName(v)), func(d *Draft) {
				if u.field == idempotencyKey {
					d.Header.Set(u.field, v)
					return
				}
				d.set(u.field, quoted(v))
			})
		}
	}
	for _, enhance := range []string{"true", "false"} {
		add("enhance", "is "+enhance, func(d *Draft) { d.set("enhance", []byte(enhance)) })
	}
	for _, media := range []string{"application/json;charset=utf-8", "application/json; charset=UTF-8", `application/json; charset="utf-8"`, "APPLICATION/JSON", "Application/Json ; Charset=Utf-8"} {
		add("Content-Type", "is "+media, func(d *Draft) { d.Header.Set("Content-Type", media) })
	}
	for what, headers := range unusualHeaders {
		rules = append(rules, Rule{Name: "there is " + what, Place: "header " + what, Make: fixed(func(d *Draft) {
			for name, value := range headers {
				d.Header.Set(name, value)
			}
		})})
	}
	slices.SortFunc(rules, func(a, b Rule) int { return cmp.Compare(a.Name, b.Name) })
	return rules
}

const idempotencyKey = "Idempotency-Key"
