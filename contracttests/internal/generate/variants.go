package generate

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"pgregory.net/rapid"
)

// dot is a PNG of one white pixel.
const dot = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII="

// unusualValues are valid values of a field, by what is unusual about them. Their hosts need not exist: requests are sent
// from an account without points, for which no image is fetched.
var unusualValues = []struct {
	field, what string
	values      []string
}{
	{"imageUrl", "has 8,192 characters", []string{address(8192)}},
	{"imageUrl", "has a scheme in capitals", []string{"HTTPS://images.example.org/a.png", "HttP://images.example.org/a.png"}},
	{"imageUrl", "has no path", []string{"https://images.example.org", "http://images.example.org?page=1"}},
	{"imageUrl", "has a port, a query and a fragment", []string{"https://images.example.org:8443/a%20b.png?x=1&y=%2F#top", "http://images.example.org/iiif/p1/info.json"}},
	{"imageUrl", "has an IP address for a host", []string{"http://203.0.113.7/a.png", "http://[2001:db8::1]/a.png"}},
	{"imageUrl", "is inline", []string{"data:image/png;base64," + dot, "DATA:image/png;BASE64," + dot, "data:;base64," + dot, "data:application/octet-stream;base64," + dot}},
	{"language", "is in capitals", []string{"EN", "En"}},
	{"language", "has a region", []string{"en-GB", "en-US", "en-Latn-AU"}},
	{"format", "is json", []string{"json"}},
	{"format", "is text", []string{"text"}},
	{"format", "is hocr", []string{"hocr"}},
	{"format", "is alto", []string{"alto"}},
	{"format", "is page", []string{"page"}},
	{"format", "is tsv", []string{"tsv"}},
	{"format", "is pdf", []string{"pdf"}},
}

// unusualHeaders are headers that a server must accept or ignore. Frameworks react to some of them by themselves, so that a
// server can break the contract without a line of its own.
var unusualHeaders = map[string]map[string]string{
	"an Idempotency-Key of one character":  {"Idempotency-Key": "k"},
	"an Idempotency-Key of 255 characters": {"Idempotency-Key": strings.Repeat("k", 255)},
	"an Idempotency-Key of punctuation":    {"Idempotency-Key": `!"#$%&'()*+,-./:;<=>?@[\]^_{|}~`},
	"headers that nobody asked for":        {"X-Custom": "yes", "Traceparent": "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"},
	"a preference for another type":        {"Accept": "text/plain, application/xml;q=0.5"},
	"a preference for another language":    {"Accept-Language": "de"},
	"an offer to read gzip":                {"Accept-Encoding": "gzip"},
	"another method in a header":           {"X-HTTP-Method-Override": "DELETE"},
	"an X-Request-Id with a space":         {"X-Request-Id": "two words"},
	"an X-Request-Id of 500 characters":    {"X-Request-Id": strings.Repeat("x", 500)},
	"a precondition and a range of bytes":  {"If-None-Match": "*", "Range": "bytes=0-3"},
}

// Variants are unusual requests that the contract permits. They find servers that refuse too much.
func Variants() (rules []Rule) {
	add := func(field, what string, values ...json.RawMessage) {
		rules = append(rules, Rule{Name: field + " " + what, Place: "field " + field, Make: func(t *rapid.T) func(*Draft) {
			v := rapid.SampledFrom(values).Draw(t, field)
			return func(d *Draft) { d.set(field, v) }
		}})
	}
	for _, u := range unusualValues {
		var values []json.RawMessage
		for _, v := range u.values {
			values = append(values, quoted(v))
		}
		add(u.field, u.what, values...)
	}
	add("enhance", "is true", json.RawMessage("true"))
	add("enhance", "is false", json.RawMessage("false"))
	for what, headers := range unusualHeaders {
		// Two Idempotency-Keys must not be combined in one request.
		place := what
		if headers["Idempotency-Key"] != "" {
			place = "Idempotency-Key"
		}
		rules = append(rules, Rule{Name: "there is " + what, Place: "header " + place, Make: fixed(func(d *Draft) {
			for name, value := range headers {
				d.Header.Set(name, value)
			}
		})})
	}
	slices.SortFunc(rules, func(a, b Rule) int { return cmp.Compare(a.Name, b.Name) })
	return rules
}
