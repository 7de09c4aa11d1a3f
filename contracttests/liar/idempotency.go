package liar

import (
	"net/http"
	"strings"
	"sync"
	"time"
)

func idempotencyLies() []Defect {
	d := func(name, explanation string, l lie) Defect {
		return Defect{Name: name, Area: "idempotency", Explanation: explanation, lie: l}
	}
	rename := func(change func(key string) string) lie {
		return before(func(c *call) {
			if key := c.idempotencyKey(); key != "" && len(c.request.Header.Values("Idempotency-Key")) == 1 {
				c.request.Header = c.request.Header.Clone()
				c.request.Header.Set("Idempotency-Key", change(key))
			}
		})
	}
	return []Defect{
		d("idempotency-key-ignored", "The Idempotency-Key is ignored: a repeat is carried out again.", before(func(c *call) { c.request.Header.Del("Idempotency-Key") })),
		d("idempotency-key-cut-off", "Only the first 40 characters of an Idempotency-Key count.", rename(func(k string) string { return k[:min(40, len(k))] })),
		d("idempotency-key-in-any-case", "Idempotency keys are the same in any case of letters.", rename(strings.ToLower)),
		d("replay-is-charged", "A repeat is charged.", func(honest server) server {
			var n counter
			return charges(func(c *call, a *reply, _ int) int64 {
				if extracted(c, a) && c.idempotencyKey() != "" && n.next(c.key()+" "+c.idempotencyKey()) > 1 {
					return 10
				}
				return 0
			})(honest)
		}),
		d("replay-with-present-points", "A repeat tells the points left now instead of the stored answer.", repeated(func(honest server, c *call, a *reply) {
			if now := left(honest, c); now > 0 {
				a.edit(func(o map[string]any) { o["remainingPoints"] = now })
			}
		})),
		d("replay-costs-nothing-told", "A repeat says that it cost 0 points.", repeated(func(_ server, _ *call, a *reply) { a.edit(func(o map[string]any) { o["pointsUsed"] = 0 }) })),
		d("replay-reads-again", "A repeat tells another processing time.", repeated(func(_ server, _ *call, a *reply) {
			a.edit(func(o map[string]any) { o["processingTime"] = 1 })
		})),
		d("replay-marked", "A repeat has a field that says so.", repeated(func(_ server, _ *call, a *reply) { a.edit(func(o map[string]any) { o["replayed"] = true }) })),
		d("replay-as-409", "A repeat is refused as a duplicate.", repeated(func(_ server, _ *call, a *reply) { a.status = 409 })),
		d("replay-loses-document", "A repeat comes without its document.", repeated(func(_ server, _ *call, a *reply) { a.edit(func(o map[string]any) { delete(o, "document") }) })),
		d("conflict-replays", "Another request with the same key gets the stored answer.", func(honest server) server {
			var mu sync.Mutex
			kept := map[string]*reply{}
			return func(c *call) *reply {
				a := honest(c)
				id := c.key() + " " + c.idempotencyKey()
				mu.Lock()
				defer mu.Unlock()
				if extracted(c, a) && c.idempotencyKey() != "" {
					kept[id] = a
				}
				if b := kept[id]; conflict(c, a) && b != nil {
					return &reply{b.status, a.header, b.body}
				}
				return a
			}
		}),
		d("conflict-as-409", "Another request with the same key is a 409.", recode(conflict, 409)),
		d("conflict-as-422", "Another request with the same key is a 422.", recode(conflict, 422)),
		d("conflict-names-body", "Another request with the same key is said to be wrong in its body.", after(conflict, func(_ *call, a *reply) {
			a.replace(`"Idempotency-Key":`, `"body":`)
		})),
		d("conflict-carried-out", "Another request with the same key is carried out.", func(honest server) server {
			return func(c *call) *reply {
				a := honest(c)
				if conflict(c, a) {
					fresh := c.with(c.body)
					fresh.request.Header = c.request.Header.Clone()
					fresh.request.Header.Del("Idempotency-Key")
					return honest(fresh)
				}
				return a
			}
		}),
		d("conflict-only-by-image", "Requests with the same key count as the same where their image is.", same("language", "enhance", "format")),
		d("conflict-not-by-format", "Requests with the same key count as the same whatever their format is.", same("format")),
		d("conflict-not-by-enhance", "Requests with the same key count as the same whether enhanced or not.", same("enhance")),
		d("keys-shared-by-accounts", "Stored answers are found by other accounts.", func(honest server) server {
			var mu sync.Mutex
			kept := map[string]*reply{}
			return func(c *call) *reply {
				id := c.idempotencyKey()
				if !c.extracts() || id == "" {
					return honest(c)
				}
				a := honest(c)
				mu.Lock()
				defer mu.Unlock()
				if b := kept[id]; b != nil && a.status == http.StatusOK {
					return &reply{b.status, a.header, b.body}
				}
				if a.status == http.StatusOK {
					kept[id] = a
				}
				return a
			}
		}),
		d("errors-are-kept", "The answer to a malformed request is stored as well.", kept(func(c *call, a *reply) bool { return a.status == 400 && !conflict(c, a) })),
		d("image-errors-are-kept", "The answer to an image that cannot be had is stored as well.", kept(func(_ *call, a *reply) bool {
			return a.status == 400 && strings.Contains(string(a.body), "image could not")
		})),
		d("failures-are-kept", "The answer to a request on which the server fails is stored as well.", kept(func(_ *call, a *reply) bool { return a.status == 500 })),
		d("no-waiting", "A repeat at the same time is refused instead of waiting.", func(honest server) server {
			var mu sync.Mutex
			running := map[string]bool{}
			return func(c *call) *reply {
				id := c.key() + " " + c.idempotencyKey()
				if c.idempotencyKey() == "" || !c.extracts() {
					return honest(c)
				}
				mu.Lock()
				busy := running[id]
				running[id] = true
				mu.Unlock()
				a := honest(c)
				if busy {
					a.status = 409
				}
				mu.Lock()
				delete(running, id)
				mu.Unlock()
				return a
			}
		}),
		d("both-carried-out", "Repeats at the same time are all carried out.", func(honest server) server {
			var mu sync.Mutex
			running := map[string]int{}
			return func(c *call) *reply {
				id := c.key() + " " + c.idempotencyKey()
				if c.idempotencyKey() == "" || !c.extracts() {
					return honest(c)
				}
				mu.Lock()
				running[id]++
				n := running[id]
				mu.Unlock()
				defer func() {
					mu.Lock()
					running[id]--
					mu.Unlock()
				}()
				if n > 1 {
					time.Sleep(time.Millisecond)
					fresh := c.with(c.body)
					fresh.request.Header = c.request.Header.Clone()
					fresh.request.Header.Del("Idempotency-Key")
					return honest(fresh)
				}
				return honest(c)
			}
		}),
		d("long-key-passes", "An Idempotency-Key of 256 characters is accepted.", rename(func(k string) string { return k[:min(255, len(k))] })),
		d("key-of-255-refused", "An Idempotency-Key of 255 characters is refused.", rename(func(k string) string {
			if len(k) > 128 {
				return k + strings.Repeat("k", 256)
			}
			return k
		})),
		d("empty-key-passes", "An empty Idempotency-Key is ignored.", before(func(c *call) {
			if v, ok := c.request.Header["Idempotency-Key"]; ok && len(v) == 1 && v[0] == "" {
				c.request.Header.Del("Idempotency-Key")
			}
		})),
		d("key-with-blank-passes", "An Idempotency-Key with a blank in it is accepted.", rename(func(k string) string { return strings.ReplaceAll(k, " ", "_") })),
		d("two-keys-pass", "Of two Idempotency-Key headers the first counts.", before(func(c *call) {
			if v := c.request.Header.Values("Idempotency-Key"); len(v) > 1 {
				c.request.Header.Set("Idempotency-Key", v[0])
			}
		})),
		d("forgotten-after-an-hour", "Stored answers are forgotten after an hour.", func(honest server) server {
			return aged(honest, func(age time.Duration) string {
				if age >= time.Hour {
					return "-later"
				}
				return ""
			})
		}),
		d("kept-for-two-days", "Stored answers are kept for two days.", func(honest server) server {
			var mu sync.Mutex
			kept := map[string]*reply{}
			return func(c *call) *reply {
				a := honest(c)
				if !extracted(c, a) || c.idempotencyKey() == "" {
					return a
				}
				mu.Lock()
				defer mu.Unlock()
				id := c.key() + " " + c.idempotencyKey() + " " + string(c.body)
				if b := kept[id]; b != nil {
					return &reply{b.status, a.header, b.body}
				}
				kept[id] = a
				return a
			}
		}),
		d("replay-needs-points", "A repeat is refused where no points are left.", repeated(func(honest server, c *call, a *reply) {
			if left(honest, c) < 10 {
				*a = *honest(c.as("ocr_test_empty_liar"))
			}
		})),
	}
}

// conflict is the answer to another request with a used key.
func conflict(c *call, a *reply) bool {
	return c.extracts() && a.status == 400 && c.idempotencyKey() != "" && strings.Contains(string(a.body), `"Idempotency-Key"`)
}

// repeated changes answers to repeats.
func repeated(change func(honest server, c *call, a *reply)) lie {
	return func(honest server) server {
		var n counter
		return func(c *call) *reply {
			a := honest(c)
			if extracted(c, a) && c.idempotencyKey() != "" && n.next(c.key()+" "+c.idempotencyKey()) > 1 {
				change(honest, c, a)
			}
			return a
		}
	}
}

// same lets requests with one key differ in fields: they are replaced by those of the first.
func same(names ...string) lie {
	return func(honest server) server {
		var mu sync.Mutex
		first := map[string]map[string]any{}
		return func(c *call) *reply {
			o := c.asks()
			if !c.extracts() || c.idempotencyKey() == "" || o == nil {
				return honest(c)
			}
			id := c.key() + " " + c.idempotencyKey()
			mu.Lock()
			f := first[id]
			if f == nil {
				first[id] = o
			}
			mu.Unlock()
			if f == nil {
				return honest(c)
			}
			for _, name := range names {
				if v, ok := f[name]; ok {
					o[name] = v
				}
			}
			if len(f) == len(o) && f["imageUrl"] == o["imageUrl"] && f["language"] == o["language"] && f["enhance"] == o["enhance"] && f["format"] == o["format"] {
				return honest(c.with(encode(f)))
			}
			return honest(c)
		}
	}
}

// kept stores answers for which the condition holds, as if they were successes.
func kept(holds when) lie {
	return func(honest server) server {
		var mu sync.Mutex
		stored := map[string]*reply{}
		return func(c *call) *reply {
			id := c.key() + " " + c.idempotencyKey()
			if c.idempotencyKey() == "" || !c.extracts() {
				return honest(c)
			}
			mu.Lock()
			defer mu.Unlock()
			a := honest(c)
			if b := stored[id]; b != nil {
				return &reply{b.status, a.header, b.body}
			}
			if holds(c, a) {
				stored[id] = a
			}
			return a
		}
	}
}

// aged lets what is stored under a key depend on its age, by the server's own clock.
func aged(honest server, suffix func(age time.Duration) string) server {
	var mu sync.Mutex
	first := map[string]int64{}
	return func(c *call) *reply {
		if !c.extracts() || len(c.request.Header.Values("Idempotency-Key")) != 1 || c.idempotencyKey() == "" {
			return honest(c)
		}
		ask := c.with(nil)
		ask.request.Method, ask.request.URL.Path = http.MethodGet, "/api/v1/status"
		now := int64(0)
		if r, ok := object(honest(ask).body)["rateLimit"].(map[string]any); ok {
			now = number(r, "reset")
		}
		id := c.key() + " " + c.idempotencyKey()
		mu.Lock()
		begun, seen := first[id]
		if !seen {
			first[id], begun = now, now
		}
		mu.Unlock()
		other := c.with(c.body)
		other.request.Header = c.request.Header.Clone()
		other.request.Header.Set("Idempotency-Key", c.idempotencyKey()+suffix(time.Duration(now-begun)*time.Second))
		return honest(other)
	}
}
