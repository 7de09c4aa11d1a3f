package liar

import (
	"net/http"
	"strings"
	"sync"
	"time"
)

// aMoment is how late some servers are.
const aMoment = 100 * time.Millisecond

// lately shifts the points that the status tells for a moment after answers for which the condition holds.
func lately(holds when, taken int64) lie {
	return func(honest server) server {
		var mu sync.Mutex
		last := map[string]time.Time{}
		return func(c *call) *reply {
			a := honest(c)
			mu.Lock()
			defer mu.Unlock()
			if holds(c, a) {
				last[c.key()] = time.Now()
			}
			if told(c, a) && time.Since(last[c.key()]) < aMoment {
				shift(a, taken)
			}
			return a
		}
	}
}

func unreadable(c *call, a *reply) bool {
	return c.extracts() && (a.status == http.StatusInternalServerError || a.status == http.StatusBadRequest && strings.Contains(string(a.body), "image could not"))
}

func heldOutLedger() []Defect {
	d := func(name, explanation string, l lie) Defect {
		return Defect{Name: name, Area: "ledger", Explanation: explanation, lie: l}
	}
	return []Defect{
		d("given-back-a-moment-later", "The points of a failed extraction come back a moment after its answer.", lately(unreadable, 10)),
		d("charged-a-moment-later", "The status knows of an extraction a moment after its answer.", lately(extracted, -10)),
		d("charges-failures-with-idempotency-key", "A failed extraction with an Idempotency-Key is charged.", charges(func(c *call, a *reply, _ int) int64 {
			if unreadable(c, a) && c.idempotencyKey() != "" {
				return 10
			}
			return 0
		})),
		d("charges-by-page", "A file of several pages is charged by the page.", charges(func(c *call, a *reply, _ int) int64 {
			if extracted(c, a) {
				return 10 * int64(strings.Count(string(a.body), `\f`))
			}
			return 0
		})),
		d("inline-image-costs-more", "An inline image costs 5 points more than its answer says.", func(honest server) server {
			var mu sync.Mutex
			taken := map[string]int64{}
			return func(c *call) *reply {
				a := honest(c)
				mu.Lock()
				defer mu.Unlock()
				shift(a, taken[c.key()])
				if extracted(c, a) && strings.HasPrefix(c.asksFor("imageUrl"), "data:") {
					taken[c.key()] += 5
				}
				return a
			}
		}),
		d("torn-status", "While an extraction runs its points are used, and left as well.", func(honest server) server {
			r := running{}
			return func(c *call) *reply {
				if c.extracts() {
					defer r.enter(c.key())()
				}
				a := honest(c)
				if n := r.count(c.key()); told(c, a) && n > 0 {
					a.edit(func(o map[string]any) { o["pointsRemaining"] = number(o, "pointsRemaining") + 10 })
				}
				return a
			}
		}),
	}
}

// running counts calls under way by name.
type running struct {
	mu sync.Mutex
	n  map[string]int
}

func (r *running) enter(name string) (leave func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.n == nil {
		r.n = map[string]int{}
	}
	r.n[name]++
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.n[name]--; r.n[name] == 0 {
			delete(r.n, name)
		}
	}
}

func (r *running) count(name string) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.n[name]
}

// other is a name beside this one, or "".
func (r *running) other(name string) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	for other := range r.n {
		if other != name {
			return other
		}
	}
	return ""
}
