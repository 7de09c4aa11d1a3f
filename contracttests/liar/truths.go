package liar

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"
)

// Truths are ways to answer otherwise than the project's own servers that keep the contract all the same. A suite that
// reports one of them cries wolf.
func Truths() []Defect {
	d := func(name, explanation string, l lie) Defect {
		return Defect{Name: name, Area: "truth", Explanation: explanation, lie: l}
	}
	return []Defect{
		d("details-as-pointers", "Details name fields by JSON pointers.", details(func(all map[string]any) map[string]any {
			other := map[string]any{}
			for name, reason := range all {
				if name != "body" && !strings.HasPrefix(name, "/") && http.CanonicalHeaderKey(name) != name {
					name = "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
				}
				other[name] = reason
			}
			return other
		})),
		d("members-in-another-order", "The members of an answer stand in another order each time.", func(honest server) server {
			var n counter
			return after(func(c *call, a *reply) bool { return always(c, a) && n.next("")%2 == 0 }, func(_ *call, a *reply) {
				if o := object(a.body); o != nil {
					a.body = encode(o)
				}
			})(honest)
		}),
		d("content-type-with-charset", "The Content-Type names the charset.", header(always, "Content-Type", "application/json; charset=utf-8")),
		d("next-reset-with-milliseconds", "The reset of the points is told to the millisecond.", text(status(402), func(b string) string { return strings.Replace(b, `:00Z"`, `:00.000Z"`, 1) })),
		d("next-reset-with-offset", "The reset of the points is told with an offset of nothing.", text(status(402), func(b string) string { return strings.Replace(b, `:00Z"`, `:00+00:00"`, 1) })),
		d("created-without-zone", "PAGE-XML tells when it was made without a zone.", document("page", regexpReplace(`(<(?:Created|LastChange)>[^<]*)Z<`, `$1<`))),
		d("alto-words-without-ids", "Lines and words of ALTO have no ids.", document("alto", regexpReplace(`<(TextLine|String) ID="[^"]*"`, `<$1`))),
		d("hocr-without-ids", "hOCR has no ids.", document("hocr", regexpReplace(` id="[^"]*"`, ``))),
		d("alto-without-blanks", "ALTO leaves out the blanks between words.", document("alto", regexpReplace(`\s*<SP [^>]*/>`, ``))),
		d("page-without-reading-order", "PAGE-XML leaves out the reading order, which is that of the file.", document("page", regexpReplace(`(?s)<ReadingOrder>.*?</ReadingOrder>`, ``))),
		d("blocks-parted-by-a-line-feed", "Blocks are parted by a line feed alone.", textOf(replacing("\n\n", "\n"))),
		d("rate-limit-on-404", "Answers to paths and methods that there are not tell the window as well.", func(honest server) server {
			return func(c *call) *reply {
				a := honest(c)
				if c.api() && (a.status == http.StatusNotFound || a.status == http.StatusMethodNotAllowed) && c.key() != "" {
					ask := c.with(nil)
					ask.request.Method, ask.request.URL.Path, ask.request.URL.RawQuery = http.MethodGet, "/api/v1/status", ""
					a.windowOf(honest(ask))
				}
				return a
			}
		}),
		d("headers-of-a-gateway", "A gateway adds headers of its own.", after(always, func(_ *call, a *reply) {
			a.header.Set("Server", "gateway")
			a.header.Set("Via", "1.1 gateway")
			a.header.Set("Vary", "Accept-Encoding")
			a.header.Set("Strict-Transport-Security", "max-age=31536000")
		})),
		d("json-in-ascii", "JSON has escapes for slashes and for all that is not ASCII.", text(always, inASCII)),
		d("json-over-lines", "JSON is written over several lines.", after(always, func(_ *call, a *reply) {
			var b bytes.Buffer
			if json.Indent(&b, a.body, "", "\t") == nil {
				a.body = append(b.Bytes(), "\r\n"...)
			}
		})),
		d("replays-marked-in-a-header", "Repeats have a header that says so.", repeated(func(_ server, _ *call, a *reply) { a.header.Set("Idempotent-Replayed", "true") })),
		d("gzip-where-offered", "Answers are compressed where that was offered.", after(always, func(c *call, a *reply) {
			if c.request.Header.Get("Accept-Encoding") != "gzip" {
				return
			}
			var b bytes.Buffer
			w := gzip.NewWriter(&b)
			_, _ = w.Write(a.body) // a buffer never fails
			_ = w.Close()
			a.body = b.Bytes()
			a.header.Set("Content-Encoding", "gzip")
			a.header.Set("Vary", "Accept-Encoding")
		})),
		d("languages-in-prose", "The languages that can be read are listed in a sentence.", details(func(all map[string]any) map[string]any {
			s, _ := all["language"].(string)
			if _, list, ok := strings.Cut(s, "supported: "); ok {
				i := strings.LastIndex(list, ", ")
				all["language"] = "this one is not supported; those that are are " + list[:i] + " and " + list[i+2:]
			}
			return all
		})),
		d("faint-page-unread", "Nothing is read from a page that can hardly be read.", asks(func(o map[string]any) {
			if s, _ := o["imageUrl"].(string); strings.HasSuffix(s, "/low-confidence") {
				o["imageUrl"] = "https://mock.invalid/blank"
			}
		})),
		d("halves-of-pairs-blamed-on-the-field", "Half of a surrogate pair is a fault of the field that it stands in.", func(honest server) server {
			return func(c *call) *reply {
				a := honest(c)
				if a.status == http.StatusBadRequest && bytes.Contains(c.body, []byte(`\ud800`)) {
					a.replace(`"body":`, `"imageUrl":`)
				}
				return a
			}
		}),
		d("retry-after-a-second-more", "A 429 adds a second to be sure.", after(status(429), func(_ *call, a *reply) {
			if _, in, ok := window(a); ok {
				a.header.Set("Retry-After", fmt.Sprint(min(60, in+1)))
			}
		})),
		d("seconds-rounded-down", "RateLimit rounds the seconds down.", func(honest server) server {
			return func(c *call) *reply {
				a := honest(c)
				if left, in, ok := window(a); ok && c.api() && in > 0 && now(honest, c).Nanosecond() > 0 {
					a.header.Set("RateLimit", fmt.Sprintf(`"account";r=%d;t=%d`, left, in-1))
				}
				return a
			}
		}),
		d("address-blamed-in-words", "A 400 says why the image could not be fetched.", after(status(400), func(_ *call, a *reply) {
			a.edit(func(o map[string]any) {
				if all, ok := o["details"].(map[string]any); ok && strings.Contains(fmt.Sprint(o["error"]), "image") {
					all["imageUrl"] = "there is no such host, or its connection was refused"
					o["message"] = "imageUrl: there is no such host, or its connection was refused"
				}
			})
		})),
	}
}

// inASCII writes the JSON with escapes.
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

// Skewed is an honest server whose clock is off. Only the clock of a mock that runs can be.
func Skewed(honest http.Handler, by time.Duration) http.Handler {
	return New(honest, Defect{lie: after(always, func(_ *call, a *reply) {
		a.header.Set("Date", time.Now().Add(by).UTC().Format(http.TimeFormat))
		a.edit(func(o map[string]any) {
			if r, ok := o["rateLimit"].(map[string]any); ok {
				r["reset"] = number(r, "reset") + int64(by/time.Second)
			}
		})
	})})
}
