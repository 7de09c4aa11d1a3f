package liar

import (
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"sync"
)

func limitLies() []Defect {
	d := func(name, explanation string, l lie) Defect {
		return Defect{Name: name, Area: "limits", Explanation: explanation, lie: l}
	}
	return []Defect{
		d("status-counts", "Asking for the status counts against the limit.", counts(told, 1)),
		d("status-counts-sometimes", "Every tenth question for the status counts against the limit.", func(honest server) server {
			var n counter
			return counts(func(c *call, a *reply) bool { return told(c, a) && n.next(c.key())%10 == 0 }, 1)(honest)
		}),
		d("400-does-not-count", "A malformed request does not count.", counts(status(400), -1)),
		d("402-does-not-count", "A request that cannot be paid does not count.", counts(status(402), -1)),
		d("500-does-not-count", "A request on which the server fails does not count.", counts(status(500), -1)),
		d("extraction-counts-twice", "An extraction counts twice.", counts(extracted, 1)),
		d("404-counts", "A request to where nothing is counts.", counts(status(404), 1)),
		d("replay-does-not-count", "A repeat with an Idempotency-Key does not count.", func(honest server) server {
			var n counter
			return counts(func(c *call, a *reply) bool {
				return extracted(c, a) && c.idempotencyKey() != "" && n.next(c.key()+" "+c.idempotencyKey()) > 1
			}, -1)(honest)
		}),
		d("limit-does-not-fall", "The requests left stay what they were.", after(always, func(_ *call, a *reply) { left60(a) })),
		d("remaining-before-the-request", "RateLimit tells what was left before the request.", after(func(c *call, a *reply) bool {
			return c.extracts() && a.status != 429
		}, func(_ *call, a *reply) { remainingBy(a, 1) })),
		d("header-and-record-differ", "The record of the status tells one request less than the header.", rateLimit(func(r map[string]any) { r["remaining"] = number(r, "remaining") - 1 })),
		d("flat-and-nested-differ", "The two forms of the rate limit differ.", fields(told, func(o map[string]any) { o["rateLimitRemaining"] = number(o, "rateLimitRemaining") + 1 })),
		d("limit-of-record-differs", "The record tells another limit than the policy.", rateLimit(func(r map[string]any) { r["limit"] = number(r, "limit") * 2 })),
		d("limit-changes", "The limit is halved after some requests.", func(honest server) server {
			var n counter
			return after(func(c *call, _ *reply) bool { return c.api() && n.next(c.key()) > 5 }, func(_ *call, a *reply) {
				if m := policy.FindStringSubmatch(a.header.Get("RateLimit-Policy")); m != nil {
					q, _ := strconv.Atoi(m[1])
					a.header.Set("RateLimit-Policy", fmt.Sprintf(`"account";q=%d;w=60`, q/2))
				}
			})(honest)
		}),
		d("window-slides", "The window begins anew with each request.", after(always, func(_ *call, a *reply) { until(a, func(int64) int64 { return 60 }) })),
		d("window-of-two-minutes", "The window lasts two minutes.", after(always, func(_ *call, a *reply) { until(a, func(t int64) int64 { return t + 60 }) })),
		d("reset-in-the-past", "The window is told to have reset a minute ago.", rateLimit(func(r map[string]any) { r["reset"] = number(r, "reset") - 120 })),
		d("reset-a-minute-late", "The record tells the reset a minute late.", rateLimit(func(r map[string]any) { r["reset"] = number(r, "reset") + 60 })),
		d("retry-too-early", "A 429 says to try again before the window resets.", after(status(429), func(_ *call, a *reply) {
			a.header.Set("Retry-After", "1")
			_ = a
		})),
		d("one-too-many", "One request more than the limit is let through.", func(honest server) server {
			var mu sync.Mutex
			last, extra := map[string]*reply{}, map[string]bool{}
			return func(c *call) *reply {
				a := honest(c)
				if !c.extracts() {
					return a
				}
				mu.Lock()
				defer mu.Unlock()
				if a.status == 429 && !extra[c.key()] && last[c.key()] != nil {
					extra[c.key()] = true
					b := last[c.key()]
					b.header.Set("X-Request-Id", a.header.Get("X-Request-Id"))
					return b
				}
				last[c.key()] = &reply{a.status, a.header.Clone(), a.body}
				return a
			}
		}),
		d("one-too-few", "The last request of the window is refused.", func(honest server) server {
			return func(c *call) *reply {
				a := honest(c)
				if left, _, ok := window(a); ok && c.extracts() && left == 0 && a.status == 400 {
					return honest(c)
				}
				return a
			}
		}),
		d("status-is-limited", "The status is refused where the window is used up.", after(told, func(_ *call, a *reply) {
			if left, in, ok := window(a); ok && left == 0 {
				a.status = 429
				a.header.Set("Retry-After", fmt.Sprint(in))
				a.body = []byte(`{"success":false,"error":"Too many requests.","code":"RATE_LIMITED","message":"try again later","remainingPoints":0}`)
			}
		})),
		d("malformed-before-limit", "A malformed request is a 400 although the window is used up.", beforeLimit(func(c *call) bool { return object(c.body)["imageUrl"] == nil })),
		d("replay-before-limit", "A repeat is answered although the window is used up.", beforeLimit(func(c *call) bool { return c.idempotencyKey() != "" })),
		d("429-negative", "Requests beyond the limit make the number left negative.", after(status(429), func(_ *call, a *reply) {
			a.header.Set("RateLimit", `"account";r=-1;t=42`)
		})),
		d("429-tells-other-points", "A 429 tells other points than there are.", fields(status(429), func(o map[string]any) { o["remainingPoints"] = number(o, "remainingPoints") + 10 })),
		d("window-does-not-reset", "The window stays used up after its reset.", func(honest server) server {
			var mu sync.Mutex
			used := map[string]bool{}
			return func(c *call) *reply {
				a := honest(c)
				mu.Lock()
				defer mu.Unlock()
				if a.status == 429 {
					used[c.key()] = true
				} else if used[c.key()] && c.api() {
					remainingTo(a, 0)
				}
				return a
			}
		}),
		d("reset-gives-points", "The reset of the window gives the points back as well.", func(honest server) server {
			var mu sync.Mutex
			lowest, given := map[string]int64{}, map[string]int64{}
			return func(c *call) *reply {
				a := honest(c)
				left, _, ok := window(a)
				if !ok || !c.api() {
					return a
				}
				mu.Lock()
				defer mu.Unlock()
				before, seen := lowest[c.key()]
				lowest[c.key()] = left
				if o := object(a.body); seen && left > before && told(c, a) {
					given[c.key()] = number(o, "pointsUsed")
				}
				shift(a, -given[c.key()])
				return a
			}
		}),
		d("accounts-share-a-window", "All accounts count in the same window.", func(honest server) server {
			var mu sync.Mutex
			var all int64
			own := map[string]int64{}
			return func(c *call) *reply {
				a := honest(c)
				mu.Lock()
				defer mu.Unlock()
				if c.extracts() && a.status != 401 {
					all++
					own[c.key()]++
				}
				remainingBy(a, -(all-own[c.key()])%40)
				return a
			}
		}),
	}
}

var (
	limit  = regexp.MustCompile(`^"account";r=(\d+);t=(\d+)$`)
	policy = regexp.MustCompile(`^"account";q=(\d+);w=60$`)
)

// window reads RateLimit.
func window(a *reply) (left, in int64, ok bool) {
	m := limit.FindStringSubmatch(a.header.Get("RateLimit"))
	if m == nil {
		return 0, 0, false
	}
	left, _ = strconv.ParseInt(m[1], 10, 64)
	in, _ = strconv.ParseInt(m[2], 10, 64)
	return left, in, true
}

// tell writes the window into the header and the record.
func tell(a *reply, left, in int64) {
	_, before, _ := window(a)
	a.header.Set("RateLimit", fmt.Sprintf(`"account";r=%d;t=%d`, left, in))
	a.edit(func(o map[string]any) {
		if _, ok := o["rateLimitRemaining"]; ok {
			o["rateLimitRemaining"] = left
		}
		if r, ok := o["rateLimit"].(map[string]any); ok {
			r["remaining"], r["reset"] = left, number(r, "reset")+in-before
		}
	})
}

func remainingBy(a *reply, n int64) {
	if left, _, ok := window(a); ok && n != 0 {
		remainingTo(a, max(0, left+n))
	}
}

func remainingTo(a *reply, n int64) {
	if _, in, ok := window(a); ok {
		tell(a, n, in)
	}
}

func left60(a *reply) {
	if m := policy.FindStringSubmatch(a.header.Get("RateLimit-Policy")); m != nil && a.status != http.StatusTooManyRequests {
		q, _ := strconv.ParseInt(m[1], 10, 64)
		remainingTo(a, q)
	}
}

func until(a *reply, change func(t int64) int64) {
	if left, in, ok := window(a); ok {
		tell(a, left, change(in))
	}
}

// counter counts by name.
type counter struct {
	mu sync.Mutex
	n  map[string]int
}

func (c *counter) next(name string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.n == nil {
		c.n = map[string]int{}
	}
	c.n[name]++
	return c.n[name]
}

// counts takes by requests more from the window for each answer for which the condition holds.
func counts(holds when, by int64) lie {
	return func(honest server) server {
		var mu sync.Mutex
		taken := map[string]int64{}
		return func(c *call) *reply {
			a := honest(c)
			if !c.api() {
				return a
			}
			mu.Lock()
			defer mu.Unlock()
			if holds(c, a) {
				taken[c.key()] += by
			}
			remainingBy(a, -taken[c.key()])
			return a
		}
	}
}

// beforeLimit lets another account answer where the window is used up.
func beforeLimit(holds func(c *call) bool) lie {
	return func(honest server) server {
		return func(c *call) *reply {
			a := honest(c)
			if a.status == http.StatusTooManyRequests && holds(c) {
				return honest(c.as("ocr_test_ok_liar"))
			}
			return a
		}
	}
}
