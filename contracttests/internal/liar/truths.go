package liar

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf16"
	"unicode/utf8"
)

// Truths returns answers that differ from those of the project's own servers and still keep the contract. No case may
// fail on them.
func Truths() []Defect {
	var all []Defect
	for _, r := range slices.Concat(truthsOfForm(), truthsOfMeaning()) {
		all = append(all, Defect{Area: "truth", Does: r.does, lie: r.lie})
	}
	return all
}

// TogetherTrue are servers that together show all truths, each about a third of them. Truths that exclude each other, such as
// two ways to write nextReset, are in different servers.
func TogetherTrue() (all []Defect) {
	const servers = 3
	groups := make([][]lie, servers)
	for i, r := range slices.Concat(truthsOfMeaning(), truthsOfForm()) { // what changes bytes comes last
		groups[i%servers] = append(groups[i%servers], r.lie)
	}
	for i, g := range groups {
		all = append(all, Defect{Area: "truth", Does: fmt.Sprintf("shows group %d of the truths", i+1), lie: chain(g...)})
	}
	return all
}

// truth is a row without a case.
func truth(does string, l lie) row { return row{does, "", l} }

// truthsOfForm write the same answer in a different way.
func truthsOfForm() []row {
	millis, offset := replacing(`:00Z"`, `:00.000Z"`), replacing(`:00Z"`, `:00+00:00"`)
	return []row{
		truth("names fields in details by JSON pointers", details(func(all object) object {
			renamed := object{}
			for name, reason := range all {
				renamed[ifField(func(name string) string { return "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(name) })(name)] = reason
			}
			return renamed
		})),
		// The order depends on the answer, so that a stored one stays as it is.
		truth("sends the fields of many answers in another order", on(always, func(_ *call, a *reply) {
			if o := a.object(); o != nil && len(a.body)%2 == 0 {
				a.body = encode(o)
			}
		})),
		truth("adds fields as a later version of the contract may", chain(
			on(always, edit(func(o object) { o["debug"] = object{"worker": 3} }), inside("rateLimit", func(o object) { o["burst"] = 5 })),
			redraft(laterVersion, asYAML, asJSON),
		)),
		truth("names the charset in Content-Type", on(always, header("Content-Type", "application/json; charset=utf-8"))),
		truth("reports nextReset to the millisecond", on(status(402), raw(millis))),
		truth("reports nextReset with an offset of zero", on(status(402), raw(offset))),
		truth("reports Created in PAGE-XML without a zone", document("page", matching(`(<(?:Created|LastChange)>[^<]*)Z<`, `$1<`))),
		truth("leaves ids of lines and words out of ALTO", document("alto", matching(`<(TextLine|String) ID="[^"]*"`, `<$1`))),
		truth("leaves ids out of hOCR", document("hocr", matching(` id="[^"]*"`, ``))),
		truth("leaves the blanks between words out of ALTO", document("alto", matching(`\s*<SP [^>]*/>`, ``))),
		truth("leaves the reading order out of PAGE-XML, which is that of the file", document("page", matching(`(?s)<ReadingOrder>.*?</ReadingOrder>`, ``))),
		truth("separates blocks by one line feed", on(isResult, text(replacing("\n\n", "\n")))),
		truth("reports the window with a 404 and a 405", replaceWhen(both(status(404, 405), not(isKeyless)), func(honest server, c *call, a *reply) *reply {
			a.takeWindow(c.status(honest))
			return a
		})),
		truth("adds the headers of a gateway", on(always, header("Server", "gateway"), header("Via", "1.1 gateway"),
			header("Vary", "Accept-Encoding"), header("Strict-Transport-Security", "max-age=31536000"))),
		truth("names products in the headers that are for them", on(always, header("Server", "Jetty(9.4.43.v20210629) Kestrel"), header("Via", "1.1 varnish, 1.1 nginx"), header("X-Runtime", "0.012345"))),
		truth("allows http://localhost:3000", on(callIs(func(c *call) bool {
			return c.request.Header.Get("Origin") == "http://localhost:3000"
		}), header("Access-Control-Allow-Origin", "http://localhost:3000"), header("Vary", "Origin"))),
		truth("escapes slashes and whatever is not ASCII in JSON", on(always, raw(inASCII))),
		truth("writes every letter of its JSON as an escape", on(always, raw(inEscapes))),
		truth("writes JSON over several lines", on(always, func(_ *call, a *reply) {
			var b bytes.Buffer
			if json.Indent(&b, a.body, "", "\t") == nil {
				a.body = append(b.Bytes(), "\r\n"...)
			}
		})),
		truth("marks a repeat with a header", repeats(apply(header("Idempotent-Replayed", "true")))),
		truth("compresses answers for clients that offer gzip or any coding", on(both(always, callIs(func(c *call) bool {
			return slices.Contains([]string{"gzip", "*", "GZIP;q=0.001"}, c.request.Header.Get("Accept-Encoding"))
		})), compress, header("Content-Encoding", "GZIP"), header("Vary", "Accept-Encoding"))),
	}
}

// laterVersion makes a later version of the contract, which has two more fields.
func laterVersion(_ *call, doc map[string]any) {
	doc["info"].(map[string]any)["version"] = "1.99.0"
	for name, schema := range doc["components"].(map[string]any)["schemas"].(map[string]any) {
		if properties, ok := schema.(map[string]any)["properties"].(map[string]any); ok && name != "ExtractionRequest" {
			properties["debug"] = map[string]any{"type": "object", "properties": map[string]any{"worker": map[string]any{"type": "integer"}}}
			properties["burst"] = map[string]any{"type": "integer"}
		}
	}
}

// truthsOfMeaning differ in what the contract leaves to the server.
func truthsOfMeaning() []row {
	return []row{
		truth("lists the supported languages in a sentence", supportedLanguages(func(s string) string {
			_, list, ok := strings.Cut(s, "choose one of ")
			if !ok {
				return s
			}
			i := strings.LastIndex(list, ", ")
			return "this one is not supported; those that are are " + list[:i] + " and " + list[i+2:]
		})),
		truth("reads nothing from a faint page", fields(stringField("imageUrl", matching(`^.*/low-confidence$`, "https://mock.invalid/blank")))),
		truth("blames the field for half of a surrogate pair in it", on(both(status(400), callIs(func(c *call) bool {
			return bytes.Contains(c.body, []byte(`\ud800`))
		})), raw(replacing(`"body":`, `"imageUrl":`)))),
		truth("tells clients to retry a second late", on(status(429), retryAfter(func(seconds int64) string { return fmt.Sprint(min(60, seconds+1)) }))),
		truth("rounds the seconds in RateLimit down", replaceWhen(always, func(honest server, c *call, a *reply) *reply {
			if left, seconds, ok := window(a); ok && seconds > 0 && c.now(honest).Nanosecond() > 0 {
				setHeaderWindow(a, left, seconds-1)
			}
			return a
		})),
		truth("says why an image could not be fetched", on(isUnfetched, edit(func(o object) {
			const reason = "there is no such host, or its connection was refused"
			o["details"], o["message"] = object{"imageUrl": reason}, "imageUrl: "+reason
		}))),
	}
}

// inASCII writes JSON with escapes.
func inASCII(text string) string {
	var b strings.Builder
	for _, r := range strings.ReplaceAll(text, "/", `\/`) {
		switch {
		case r < utf8.RuneSelf:
			b.WriteRune(r)
		case r > 0xffff:
			fmt.Fprintf(&b, `\u%04x\u%04x`, 0xd800+(r-0x10000)>>10, 0xdc00+(r-0x10000)&0x3ff)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}

// stringLiteral finds the strings of JSON, names included.
var stringLiteral = regexp.MustCompile(`"(?:[^"\\]|\\.)*"`)

// inEscapes writes every letter of the strings in JSON as an escape.
func inEscapes(text string) string {
	return stringLiteral.ReplaceAllStringFunc(text, func(literal string) string {
		var s string
		if json.Unmarshal([]byte(literal), &s) != nil {
			return literal
		}
		var b strings.Builder
		for _, unit := range utf16.Encode([]rune(s)) {
			fmt.Fprintf(&b, `\u%04x`, unit)
		}
		return `"` + b.String() + `"`
	})
}

// Skewed is an honest server whose clock is off. A mock whose clock stands still cannot be skewed.
func Skewed(honest http.Handler, by time.Duration) http.Handler {
	return New(honest, Defect{lie: on(always, func(c *call, a *reply) {
		now := time.Now().Add(by).UTC()
		a.header.Set("Date", now.Format(http.TimeFormat))
		addToWindow("reset", int64(by/time.Second))(c, a)
		if a.status == http.StatusPaymentRequired { // the month may have ended on one of the two clocks only
			set("nextReset", time.Date(now.Year(), now.Month()+1, 1, 0, 0, 0, 0, time.UTC).Format(time.RFC3339))(c, a)
		}
	})})
}
