package liar

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"golang.org/x/text/unicode/norm"
)

// subtleLies are lies of several areas that were thought of after the rules of the suite, to see what it misses.
func subtleLies() []Defect {
	d := func(name, area, explanation string, l lie) Defect {
		return Defect{Name: name, Area: area, Explanation: explanation, lie: l}
	}
	return []Defect{
		d("t-off-by-five-on-extract", "limits", "RateLimit of extractions tells five seconds less.", after(func(c *call, _ *reply) bool { return c.extracts() }, func(_ *call, a *reply) {
			if left, in, ok := window(a); ok {
				a.header.Set("RateLimit", fmt.Sprintf(`"account";r=%d;t=%d`, left, max(0, in-5)))
			}
		})),
		d("402-is-kept", "idempotency", "The answer 402 is stored.", kept(func(_ *call, a *reply) bool { return a.status == 402 })),
		d("stored-for-a-window", "idempotency", "Stored answers live as long as the window.", func(honest server) server {
			return aged(honest, func(age time.Duration) string {
				if age >= time.Minute {
					return "-later"
				}
				return ""
			})
		}),
		d("replay-loses-cache-control", "idempotency", "A repeat has no Cache-Control.", repeated(func(_ server, _ *call, a *reply) { a.header.Del("Cache-Control") })),
		d("post-status", "protocol", "POST asks for the status too.", other(http.MethodPost, http.MethodGet)),
		d("latf-as-de", "requests", "Fraktur is silently read as German.", asks(func(o map[string]any) {
			if o["language"] == "de-Latf" {
				o["language"] = "de"
			}
		})),
		d("confidence-always-99", "formats", "The confidence is always 0.99 where there is text.", fields(extracted, func(o map[string]any) {
			if o["text"] != "" {
				o["confidence"] = 0.99
			}
		})),
		d("processing-time-always-0", "formats", "The processing time is always 0.", set(extracted, "processingTime", 0)),
		d("processing-time-in-microseconds", "formats", "The processing time is in microseconds.", fields(extracted, func(o map[string]any) { o["processingTime"] = number(o, "processingTime") * 1000 })),
		d("reset-an-hour-late", "limits", "The reset is an hour late.", rateLimit(func(r map[string]any) { r["reset"] = number(r, "reset") + 3600 })),
		d("allow-in-lower-case", "protocol", "Allow is in lower case.", after(status(405), func(_ *call, a *reply) { a.header.Set("Allow", strings.ToLower(a.header.Get("Allow"))) })),
		d("options-is-200", "protocol", "OPTIONS is a 200.", after(status(405), func(c *call, a *reply) {
			if c.request.Method == http.MethodOptions {
				a.status = 200
			}
		})),
		d("bad-idempotency-key-does-not-count", "limits", "A request with a malformed Idempotency-Key does not count.", counts(func(_ *call, a *reply) bool {
			return a.status == 400 && strings.Contains(string(a.body), "Idempotency-Key")
		}, -1)),
		d("bad-image-does-not-count", "limits", "An image that cannot be had does not count.", counts(func(_ *call, a *reply) bool {
			return a.status == 400 && strings.Contains(string(a.body), "image could not")
		}, -1)),
		d("first-after-reset-is-free-of-count", "limits", "The first request of a new window does not count.", func(honest server) server {
			var mu sync.Mutex
			given := map[string]int64{}
			return func(c *call) *reply {
				a := honest(c)
				mu.Lock()
				defer mu.Unlock()
				m := policy.FindStringSubmatch(a.header.Get("RateLimit-Policy"))
				left, _, ok := window(a)
				if ok && m != nil && c.extracts() && fmt.Sprint(left+1) == m[1] && given[c.key()] < 2 {
					given[c.key()]++
				}
				if given[c.key()] == 2 {
					remainingBy(a, 1)
				}
				return a
			}
		}),
		d("words-escaped-twice", "formats", "Words in hOCR are escaped twice.", document("hocr", replacing("&", "&amp;"))),
		d("alto-content-with-blank", "formats", "Words in ALTO end with a blank.", document("alto", regexpReplace(`CONTENT="([^"]*)"`, `CONTENT="$1 "`))),
		d("xml-declares-latin-1", "formats", "XML declares Latin-1.", document("alto", replacing(`encoding="UTF-8"`, `encoding="ISO-8859-1"`))),
		d("page-xml-size-swapped", "formats", "Width and height are swapped in PAGE-XML.", document("page", regexpReplace(`imageWidth="2480" imageHeight="3508"`, `imageWidth="3508" imageHeight="2480"`))),
		d("garbage-after-root", "formats", "Something follows the root of hOCR.", document("hocr", func(s string) string { return s + "\n<!-- end --><p/>" })),
		d("text-decomposed", "formats", "The text is decomposed.", textOf(norm.NFD.String)),
		d("policy-of-another-name", "limits", "The policy has another name than the window.", after(always, func(_ *call, a *reply) { swap(a, "RateLimit-Policy", "account", "default") })),
		d("retry-after-late", "limits", "A 429 says to wait longer than the window lasts.", after(status(429), func(_ *call, a *reply) {
			if _, in, ok := window(a); ok {
				a.header.Set("Retry-After", fmt.Sprint(min(60, in+30)))
			}
		})),
		d("content-type-twice", "protocol", "Content-Type stands twice.", after(always, func(_ *call, a *reply) { a.header.Add("Content-Type", "application/json") })),
		d("replay-with-old-request-id", "idempotency", "A repeat has the X-Request-Id of the first.", func(honest server) server {
			var mu sync.Mutex
			ids := map[string]string{}
			return func(c *call) *reply {
				a := honest(c)
				if !extracted(c, a) || c.idempotencyKey() == "" {
					return a
				}
				mu.Lock()
				defer mu.Unlock()
				id := c.key() + c.idempotencyKey()
				if first := ids[id]; first != "" {
					a.header.Set("X-Request-Id", first)
				} else {
					ids[id] = a.header.Get("X-Request-Id")
				}
				return a
			}
		}),
		d("replay-with-old-window", "idempotency", "A repeat has the RateLimit of the first.", func(honest server) server {
			var mu sync.Mutex
			ids := map[string]string{}
			return func(c *call) *reply {
				a := honest(c)
				if !extracted(c, a) || c.idempotencyKey() == "" {
					return a
				}
				mu.Lock()
				defer mu.Unlock()
				id := c.key() + c.idempotencyKey()
				if first := ids[id]; first != "" {
					a.header.Set("RateLimit", first)
				} else {
					ids[id] = a.header.Get("RateLimit")
				}
				return a
			}
		}),
		d("a-language-not-listed", "requests", "A language that works is not listed.", details(func(all map[string]any) map[string]any {
			if s, ok := all["language"].(string); ok {
				all["language"] = strings.Replace(s, "de-Latf, ", "", 1)
			}
			return all
		})),
		d("message-object-object", "errors", "A message was not turned into text.", set(failed, "message", "[object Object]")),
		d("order-of-fields-matters", "requests", "Fields in another order are refused.", refuse(func(c *call) bool {
			s := string(c.body)
			return strings.Contains(s, `"format"`) && strings.Contains(s, `"imageUrl"`) && strings.Index(s, `"format"`) < strings.Index(s, `"imageUrl"`)
		})),
		d("points-given-back-late", "ledger", "The points of a failed extraction are given back a request later.", func(honest server) server {
			var mu sync.Mutex
			late := map[string]bool{}
			return func(c *call) *reply {
				a := honest(c)
				mu.Lock()
				defer mu.Unlock()
				if late[c.key()] && told(c, a) {
					shift(a, 10)
				}
				late[c.key()] = c.extracts() && (a.status == 500 || a.status == 400 && strings.Contains(string(a.body), "image could not"))
				return a
			}
		}),
		d("lost-update-of-points", "ledger", "Of extractions at the same time only one is charged.", func(honest server) server {
			var mu sync.Mutex
			running, given := map[string]int{}, map[string]int64{}
			return func(c *call) *reply {
				mu.Lock()
				if c.extracts() {
					running[c.key()]++
				}
				busy := running[c.key()] > 1
				mu.Unlock()
				a := honest(c)
				mu.Lock()
				defer mu.Unlock()
				if c.extracts() {
					running[c.key()]--
				}
				if busy && extracted(c, a) {
					given[c.key()] += 10
				}
				shift(a, -given[c.key()])
				return a
			}
		}),
		d("lost-update-of-window", "limits", "Of requests at the same time only one counts.", func(honest server) server {
			var mu sync.Mutex
			running, given := map[string]int{}, map[string]int64{}
			return func(c *call) *reply {
				mu.Lock()
				if c.extracts() {
					running[c.key()]++
				}
				busy := running[c.key()] > 1
				mu.Unlock()
				a := honest(c)
				mu.Lock()
				defer mu.Unlock()
				if c.extracts() {
					running[c.key()]--
				}
				if busy && c.extracts() {
					given[c.key()]++
				}
				remainingBy(a, given[c.key()])
				return a
			}
		}),
		d("never-zero-left", "limits", "RateLimit never tells 0.", after(always, func(_ *call, a *reply) {
			if left, in, ok := window(a); ok && left == 0 {
				tell(a, 1, in)
			}
		})),
		d("t-stands-still", "limits", "RateLimit always tells 60 seconds.", after(always, func(_ *call, a *reply) {
			if left, _, ok := window(a); ok {
				a.header.Set("RateLimit", fmt.Sprintf(`"account";r=%d;t=60`, left))
			}
		})),
		d("points-rounded-to-tens", "ledger", "The status rounds points to tens.", fields(told, func(o map[string]any) {
			r := number(o, "pointsRemaining") / 10 * 10
			o["pointsRemaining"], o["pointsUsed"] = r, number(o, "pointsTotal")-r
		})),
		d("byte-order-mark-in-document", "formats", "XML documents begin with a byte order mark.", document("page", func(s string) string { return "\ufeff" + s })),
		d("tsv-with-crlf", "formats", "TSV lines end as on Windows.", document("tsv", replacing("\n", "\r\n"))),
		d("query-as-404", "protocol", "A path with a query is a 404.", after(status(400), func(c *call, a *reply) {
			if c.request.URL.RawQuery != "" {
				a.status = 404
			}
		})),
		d("details-as-numbers", "errors", "details values are numbers.", details(func(all map[string]any) map[string]any {
			for k := range all {
				all[k] = json.Number("1")
			}
			return all
		})),
		d("401-for-status-of-empty", "auth", "An empty account is refused its status.", after(told, func(_ *call, a *reply) {
			if number(object(a.body), "pointsRemaining") == 0 {
				a.status = 401
			}
		})),
		d("402-shows-used", "errors", "A 402 tells the points used as those left.", fields(status(402), func(o map[string]any) { o["remainingPoints"] = 10000 - number(o, "remainingPoints") })),
		d("handwriting-has-print-text", "formats", "Handwriting gets a fixed text without documents.", after(extracted, func(c *call, a *reply) {
			if strings.Contains(c.asksFor("imageUrl"), "handwritten") && c.asksFor("format") == "text" {
				a.edit(func(o map[string]any) { o["text"] = "illegible" })
			}
		})),
	}
}
