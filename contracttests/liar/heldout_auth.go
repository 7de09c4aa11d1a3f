package liar

import (
	"net/http"
	"regexp"
	"strings"
	"sync"
	"time"
)

var resetNumber = regexp.MustCompile(`"reset":(\d+)`)

// tooLarge is beyond what a body may have.
const tooLarge = 28 << 20

func heldOutAuth() []Defect {
	d := func(name, explanation string, l lie) Defect {
		return Defect{Name: name, Area: "auth", Explanation: explanation, lie: l}
	}
	return []Defect{
		d("remembered-caller", "A caller who has just shown a key needs none for a while.", func(honest server) server {
			var mu sync.Mutex
			var last *call
			var at time.Time
			return func(c *call) *reply {
				a := honest(c)
				if !c.api() {
					return a
				}
				mu.Lock()
				defer mu.Unlock()
				if a.status != http.StatusUnauthorized && a.status != http.StatusNotFound && a.status != http.StatusMethodNotAllowed {
					last, at = c, time.Now()
				}
				if a.status == http.StatusUnauthorized && c.request.Header.Get("Authorization") == "" && last != nil && time.Since(at) < time.Second {
					return honest(c.as(last.key()))
				}
				return a
			}
		}),
		d("key-cut-off", "Only the first 24 characters of a key count.", before(func(c *call) {
			if k := c.key(); len(k) > 24 {
				*c = *c.as(k[:24])
			}
		})),
		d("scheme-in-lower-case-refused-on-extract", "bearer in lower case is refused for extractions.", before(func(c *call) {
			if v := c.request.Header.Get("Authorization"); c.extracts() && !strings.HasPrefix(v, "Bearer") {
				c.request.Header.Del("Authorization")
			}
		})),
		d("size-before-key", "A body that is too large is a 400 whoever sends it.", func(honest server) server {
			return func(c *call) *reply {
				a := honest(c)
				if a.status == http.StatusUnauthorized && c.extracts() && len(c.body) > tooLarge {
					return honest(c.as("ocr_test_ok_liar"))
				}
				return a
			}
		}),
		{"refused-key-counts", "limits", "A request that is refused for its key counts against the account that called last.", "", func(honest server) server {
			var mu sync.Mutex
			var last string
			taken := map[string]int64{}
			return func(c *call) *reply {
				a := honest(c)
				if !c.api() {
					return a
				}
				mu.Lock()
				defer mu.Unlock()
				if a.status == http.StatusUnauthorized && c.extracts() {
					taken[last]++
				} else if _, _, ok := window(a); ok {
					last = c.key()
				}
				remainingBy(a, -taken[c.key()])
				return a
			}
		}},
		{"replay-without-key", "idempotency", "A repeat gets the stored answer without a key.", "", func(honest server) server {
			var mu sync.Mutex
			kept := map[string]*reply{}
			return func(c *call) *reply {
				a := honest(c)
				id := c.idempotencyKey()
				if id == "" || !c.extracts() {
					return a
				}
				mu.Lock()
				defer mu.Unlock()
				if b := kept[id]; a.status == http.StatusUnauthorized && b != nil {
					b.header.Set("X-Request-Id", a.header.Get("X-Request-Id"))
					return b
				}
				if extracted(c, a) {
					kept[id] = &reply{a.status, a.header.Clone(), a.body}
				}
				return a
			}
		}},
	}
}
