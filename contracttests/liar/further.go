package liar

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"
)

// furtherLies are a second such list.
func furtherLies() []Defect {
	d := func(name, area, explanation string, l lie) Defect {
		return Defect{Name: name, Area: area, Explanation: explanation, lie: l}
	}
	return []Defect{
		d("t-zero-in-status", "limits", "RateLimit of the status tells 0 seconds.", after(told, func(_ *call, a *reply) {
			if left, _, ok := window(a); ok {
				a.header.Set("RateLimit", fmt.Sprintf(`"account";r=%d;t=0`, left))
			}
		})),
		d("www-authenticate-lower", "protocol", "WWW-Authenticate is written in lower case.", header(status(401), "WWW-Authenticate", "bearer")),
		d("limit-tenfold", "limits", "The limit is told ten times as large everywhere.", after(always, func(_ *call, a *reply) {
			if m := policy.FindStringSubmatch(a.header.Get("RateLimit-Policy")); m != nil {
				swap(a, "RateLimit-Policy", "q="+m[1], "q="+m[1]+"0")
				a.edit(func(o map[string]any) {
					if r, ok := o["rateLimit"].(map[string]any); ok {
						r["limit"] = number(r, "limit") * 10
					}
				})
			}
		})),
		d("total-doubled", "ledger", "Every account is told twice its allowance.", fields(told, func(o map[string]any) {
			total := number(o, "pointsTotal") * 2
			o["pointsTotal"], o["pointsRemaining"] = total, total-number(o, "pointsUsed")
		})),
		d("bonus-after-402", "ledger", "After three answers 402 an account gets 10 points.", func(honest server) server {
			var n counter
			return charges(func(c *call, a *reply, _ int) int64 {
				if a.status == 402 && n.next(c.key()) == 3 {
					return -10
				}
				return 0
			})(honest)
		}),
		d("status-cached", "ledger", "The status is kept for a while and told again.", func(honest server) server {
			type entry struct {
				at time.Time
				a  *reply
			}
			var mu sync.Mutex
			cache := map[string]entry{}
			return func(c *call) *reply {
				a := honest(c)
				if !told(c, a) {
					return a
				}
				mu.Lock()
				defer mu.Unlock()
				if e, ok := cache[c.key()]; ok && time.Since(e.at) < 200*time.Millisecond {
					return &reply{200, a.header, e.a.body}
				}
				cache[c.key()] = entry{time.Now(), a}
				return a
			}
		}),
		d("status-limited-to-100", "limits", "The status is refused after 100 questions.", func(honest server) server {
			var n counter
			return after(func(c *call, a *reply) bool { return told(c, a) && n.next(c.key()) > 100 }, func(_ *call, a *reply) { a.status = 429 })(honest)
		}),
		d("body-cut-off", "protocol", "The status ends before its last bytes.", after(told, func(_ *call, a *reply) { a.body = a.body[:len(a.body)-3] })),
		d("tsv-pages-from-0", "formats", "TSV counts pages from 0.", document("tsv", regexpReplace(`(?m)^(\d)\t1\t`, "$1\t0\t"))),
		d("alto-page-numbers", "formats", "All pages of ALTO have the number 1.", document("alto", regexpReplace(`PHYSICAL_IMG_NR="\d+"`, `PHYSICAL_IMG_NR="1"`))),
		d("hocr-page-numbers", "formats", "All pages of hOCR have the number 0.", document("hocr", regexpReplace(`ppageno \d+`, `ppageno 0`))),
		d("alto-other-language", "formats", "ALTO names another language.", document("alto", regexpReplace(` LANG="[^"]*"`, ` LANG="la"`))),
		d("hocr-other-language", "formats", "hOCR names another language.", document("hocr", regexpReplace(`lang="[^"]*"`, `lang="la"`))),
		d("edits-reversed", "formats", "Edits are not in reading order.", fields(extracted, func(o map[string]any) {
			all, _ := o["edits"].([]any)
			for i, j := 0, len(all)-1; i < j; i, j = i+1, j-1 {
				all[i], all[j] = all[j], all[i]
			}
		})),
		d("edits-incomplete", "formats", "Only the first edit is told.", fields(extracted, func(o map[string]any) {
			if all, _ := o["edits"].([]any); len(all) > 1 {
				o["edits"] = all[:1]
			}
		})),
		d("edits-left-out", "formats", "Edits are never told.", remove(extracted, "edits")),
		d("edits-before-invented", "formats", "Edits tell a word before that was never read.", edits(func(e map[string]any) { e["before"] = "zzz" })),
		d("429-tells-full-window", "limits", "A 429 tells that requests are left.", after(status(429), func(_ *call, a *reply) {
			if _, in, ok := window(a); ok {
				a.header.Set("RateLimit", fmt.Sprintf(`"account";r=10;t=%d`, in))
			}
		})),
		d("first-request-does-not-count", "limits", "The first request of an account does not count.", func(honest server) server {
			var n counter
			return counts(func(c *call, a *reply) bool { return c.extracts() && a.status != 401 && n.next(c.key()) == 1 }, -1)(honest)
		}),
		d("every-twentieth-does-not-count", "limits", "Every twentieth request of an account does not count.", func(honest server) server {
			var n counter
			return counts(func(c *call, a *reply) bool { return c.extracts() && a.status != 401 && n.next(c.key())%20 == 0 }, -1)(honest)
		}),
		d("twelfth-costs-20", "ledger", "The twelfth extraction of an account costs 20 points.", charges(func(c *call, a *reply, n int) int64 {
			if extracted(c, a) && n == 12 {
				return 10
			}
			return 0
		})),
		d("image-fault-names-image", "errors", "An image that cannot be had is named image.", details(func(all map[string]any) map[string]any {
			if s, ok := all["imageUrl"].(string); ok && !strings.Contains(s, "must") && !strings.Contains(s, "required") {
				return map[string]any{"image": s}
			}
			return all
		})),
		d("tab-after-bearer", "auth", "A tab may follow Bearer.", before(func(c *call) {
			if v := c.request.Header.Get("Authorization"); strings.HasPrefix(v, "Bearer\t") {
				c.request.Header = c.request.Header.Clone()
				c.request.Header.Set("Authorization", strings.Replace(v, "\t", " ", 1))
			}
		})),
		d("text-ends-with-form-feed", "formats", "The text ends with a form feed.", textOf(func(s string) string {
			if s == "" {
				return s
			}
			return s + "\f"
		})),
		d("link-to-another-host", "protocol", "Link leads to another host.", header(always, "Link", `<https://docs.example.org/openapi.yaml>; rel="service-desc"`)),
		d("malformed-with-used-key-replays", "idempotency", "A malformed request with a used Idempotency-Key gets the stored answer.", func(honest server) server {
			var mu sync.Mutex
			kept := map[string]*reply{}
			return func(c *call) *reply {
				a := honest(c)
				if c.idempotencyKey() == "" || !c.extracts() {
					return a
				}
				mu.Lock()
				defer mu.Unlock()
				id := c.key() + c.idempotencyKey()
				if b := kept[id]; b != nil && a.status == 400 && !conflict(c, a) {
					return &reply{200, a.header, b.body}
				}
				if a.status == 200 {
					kept[id] = a
				}
				return a
			}
		}),
		d("date-an-hour-off", "protocol", "The Date is an hour behind.", after(always, func(_ *call, a *reply) {
			a.header.Set("Date", time.Now().Add(-time.Hour).UTC().Format(http.TimeFormat))
		})),
		d("conflict-is-charged", "ledger", "Another request with a used Idempotency-Key is charged.", charges(func(c *call, a *reply, _ int) int64 {
			if conflict(c, a) {
				return 10
			}
			return 0
		})),
		d("unsupported-language-is-charged", "ledger", "A language that cannot be read is charged.", charges(func(_ *call, a *reply, _ int) int64 {
			if a.status == 400 && strings.Contains(string(a.body), "supported") {
				return 10
			}
			return 0
		})),
		d("enhanced-as-string", "formats", "enhanced is a string.", fields(extracted, func(o map[string]any) { o["enhanced"] = fmt.Sprint(o["enhanced"]) })),
		d("word-confidences-constant", "formats", "Words of ALTO all have the confidence 1.", document("alto", regexpReplace(`WC="[^"]*"`, `WC="1"`))),
		d("vendor-media-type", "protocol", "The media type of results is a vendor's.", header(status(200), "Content-Type", "application/vnd.uncial+json")),
		d("half-carried-over", "ledger", "Half of what was left of a month is carried over.", monthly(func(then, now map[string]any) {
			half := number(then, "pointsRemaining") / 2
			now["pointsTotal"], now["pointsRemaining"] = number(now, "pointsTotal")+half, number(now, "pointsRemaining")+half
		})),
		d("similar-paths-found", "protocol", "Paths that only begin like a known one are found.", before(func(c *call) {
			if strings.HasPrefix(c.request.URL.Path, "/api/v1/extract") {
				c.request.URL.Path = "/api/v1/extract"
			}
		})),
		d("empty-status-refused", "auth", "An account without points is refused its status with a 402.", after(told, func(_ *call, a *reply) {
			if number(object(a.body), "pointsRemaining") < 10 {
				a.status = 402
			}
		})),
		d("free-plan-called-pro", "ledger", "The plan free is called pro.", fields(told, func(o map[string]any) {
			if o["plan"] == "free" {
				o["plan"] = "pro"
			}
		})),
		d("format-spelled-json-has-document-null", "formats", "document is null where there is none.", fields(extracted, func(o map[string]any) {
			if _, ok := o["document"]; !ok {
				o["document"] = nil
			}
		})),
		d("unicode-escaped-wrongly", "formats", "Apostrophes are sent as a private character.", textOf(replacing("'", "\ue000"))),
	}
}
