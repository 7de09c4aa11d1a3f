package liar

import (
	"fmt"
	"net/http"
	"sync"
	"time"
)

func heldOutLimits() []Defect {
	d := func(name, explanation string, l lie) Defect {
		return Defect{Name: name, Area: "limits", Explanation: explanation, lie: l}
	}
	return []Defect{
		d("retry-after-in-milliseconds", "A 429 says in milliseconds when to try again.", after(status(429), func(_ *call, a *reply) {
			a.header.Set("Retry-After", a.header.Get("Retry-After")+"000")
		})),
		d("retry-after-rounded-down", "A 429 says to try again up to a second before the window resets.", func(honest server) server {
			return func(c *call) *reply {
				a := honest(c)
				if _, in, ok := window(a); ok && a.status == 429 && now(honest, c).Nanosecond() > 0 && in > 0 {
					a.header.Set("Retry-After", fmt.Sprint(in-1))
				}
				return a
			}
		}),
		d("window-resets-a-second-late", "The window resets a second after it was said to.", func(honest server) server {
			var mu sync.Mutex
			last := map[string]int64{}
			return func(c *call) *reply {
				a := honest(c)
				left, _, ok := window(a)
				if !ok || !told(c, a) {
					return a
				}
				late := now(honest, c).Second() == 0
				mu.Lock()
				defer mu.Unlock()
				if before, seen := last[c.key()]; late && seen {
					tell(a, before, 1)
				} else if !late {
					last[c.key()] = left
				}
				return a
			}
		}),
		d("limited-elsewhere", "Where the window is used up, paths and methods that there are not are a 429.", func(honest server) server {
			return func(c *call) *reply {
				a := honest(c)
				if (a.status == http.StatusNotFound || a.status == http.StatusMethodNotAllowed) && c.api() && usedUp(honest, c) {
					return refused(honest, c)
				}
				return a
			}
		}),
		d("malformed-status-limited", "Where the window is used up, a malformed question for the status is a 429.", func(honest server) server {
			return func(c *call) *reply {
				a := honest(c)
				if a.status == http.StatusBadRequest && c.asksStatus() && usedUp(honest, c) {
					return refused(honest, c)
				}
				return a
			}
		}),
		d("refusal-begins-window-anew", "Each 429 begins the window anew.", func(honest server) server {
			var mu sync.Mutex
			until := map[string]time.Time{}
			return func(c *call) *reply {
				a := honest(c)
				if !c.api() {
					return a
				}
				at := now(honest, c)
				mu.Lock()
				defer mu.Unlock()
				if a.status == 429 {
					until[c.key()] = at.Add(time.Minute)
					a.header.Set("Retry-After", "60")
				}
				if left, _, ok := window(a); ok && until[c.key()].After(at) {
					tell(a, left, int64(until[c.key()].Sub(at)/time.Second))
				}
				return a
			}
		}),
		d("race-passes-limit", "Of requests at the same time one too many passes.", func(honest server) server {
			var n counter
			r := running{}
			return func(c *call) *reply {
				if !c.extracts() {
					return honest(c)
				}
				defer r.enter(c.key())()
				time.Sleep(time.Millisecond) // what a real one needs, so that requests overlap
				a := honest(c)
				if a.status == 429 && r.count(c.key()) > 1 && n.next(c.key()) == 1 {
					b := honest(c.as("ocr_test_ok_liar"))
					b.windowOf(a)
					return b
				}
				return a
			}
		}),
		d("size-before-limit", "A body that is too large is a 400 although the window is used up.", passesLimit(func(c *call) bool { return len(c.body) > tooLarge })),
		d("query-before-limit", "A query parameter is a 400 although the window is used up.", passesLimit(func(c *call) bool { return c.request.URL.RawQuery != "" })),
	}
}

// passesLimit answers calls for which the condition holds as if the window were not used up.
func passesLimit(holds func(c *call) bool) lie {
	return func(honest server) server {
		return func(c *call) *reply {
			a := honest(c)
			if a.status == http.StatusTooManyRequests && holds(c) {
				b := honest(c.as("ocr_test_ok_liar"))
				b.windowOf(a)
				return b
			}
			return a
		}
	}
}
