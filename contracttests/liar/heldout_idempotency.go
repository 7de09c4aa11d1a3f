package liar

import (
	"bytes"
	"net/http"
	"slices"
	"sync"
	"time"
)

// twin is a call that another may take the answer of.
type twin struct {
	name string
	body []byte
	at   time.Time
	a    *reply
}

func heldOutIdempotency() []Defect {
	d := func(name, explanation string, l lie) Defect {
		return Defect{Name: name, Area: "idempotency", Explanation: explanation, lie: l}
	}
	return []Defect{
		d("stored-answer-lives-on", "Each repeat keeps the stored answer for another day.", func(honest server) server {
			var mu sync.Mutex
			kept := map[string]*twin{}
			return func(c *call) *reply {
				id := c.key() + " " + c.idempotencyKey()
				if c.idempotencyKey() == "" || !c.extracts() {
					return honest(c)
				}
				at := now(honest, c)
				mu.Lock()
				defer mu.Unlock()
				if t := kept[id]; t != nil && bytes.Equal(t.body, c.body) && at.Sub(t.at) < 24*time.Hour {
					a := refused(honest, c) // counts
					if a.status == http.StatusTooManyRequests {
						return a
					}
					t.at = at
					return &reply{t.a.status, a.header, t.a.body}
				}
				a := honest(c)
				if a.status == http.StatusOK {
					kept[id] = &twin{c.idempotencyKey(), c.body, at, &reply{a.status, a.header.Clone(), a.body}}
				}
				return a
			}
		}),
		d("keys-as-patterns", "An underscore in an Idempotency-Key stands for any character.", func(honest server) server {
			var mu sync.Mutex
			seen := map[string][]string{}
			return before(func(c *call) {
				key := c.idempotencyKey()
				if key == "" || len(c.request.Header["Idempotency-Key"]) > 1 {
					return
				}
				mu.Lock()
				defer mu.Unlock()
				i := slices.IndexFunc(seen[c.key()], func(old string) bool { return matches(key, old) })
				if i < 0 {
					seen[c.key()] = append(seen[c.key()], key)
					return
				}
				c.request.Header.Set("Idempotency-Key", seen[c.key()][i])
			})(honest)
		}),
		d("conflict-does-not-count", "Another request with a used Idempotency-Key does not count.", counts(conflict, -1)),
		d("conflict-at-once-replays", "Another request with the Idempotency-Key of one that still runs gets its answer.", func(honest server) server {
			var mu sync.Mutex
			under := map[string][]byte{}
			return func(c *call) *reply {
				id := c.key() + " " + c.idempotencyKey()
				if c.idempotencyKey() == "" || !c.extracts() {
					return honest(c)
				}
				mu.Lock()
				first, runs := under[id]
				if !runs {
					under[id] = c.body
				}
				mu.Unlock()
				if runs {
					return honest(c.with(first))
				}
				defer func() {
					mu.Lock()
					defer mu.Unlock()
					delete(under, id)
				}()
				return honest(c)
			}
		}),
		d("waiting-repeats-need-points", "Repeats at the same time are refused where points are left for one alone.", func(honest server) server {
			r := running{}
			return func(c *call) *reply {
				id := c.key() + " " + c.idempotencyKey()
				if c.idempotencyKey() == "" || !c.extracts() {
					return honest(c)
				}
				busy := r.count(id) > 0
				defer r.enter(id)()
				points := left(honest, c)
				if busy && points < 10 {
					w := refused(honest, c) // counts
					a := honest(c.as("ocr_test_empty_liar"))
					a.windowOf(w)
					a.edit(func(o map[string]any) { o["remainingPoints"] = points })
					return a
				}
				return honest(c)
			}
		}),
	}
}

// matches says whether the pattern, in which "_" is any character, is like the text.
func matches(pattern, text string) bool {
	if len(pattern) != len(text) {
		return false
	}
	for i := range len(pattern) {
		if pattern[i] != '_' && pattern[i] != text[i] {
			return false
		}
	}
	return true
}

func heldOutAtOnce() []Defect {
	mixed := func(swap func(a, b *reply)) lie {
		return func(honest server) server {
			r := running{}
			var mu sync.Mutex
			last := map[string]*reply{}
			return func(c *call) *reply {
				other := ""
				leave := func() {}
				if c.extracts() {
					leave = r.enter(c.key())
				}
				a := honest(c)
				if c.extracts() {
					other = r.other(c.key())
				}
				leave()
				mu.Lock()
				defer mu.Unlock()
				last[c.key()] = &reply{a.status, a.header.Clone(), a.body}
				if b := last[other]; other != "" && b != nil {
					swap(a, b)
				}
				return a
			}
		}
	}
	return []Defect{
		{"points-of-another-at-once", "ledger", "Accounts that call at the same time are told each other's points.", "", mixed(func(a, b *reply) {
			a.edit(func(o map[string]any) {
				if _, ok := o["remainingPoints"]; ok {
					other := object(b.body)
					o["remainingPoints"] = max(number(other, "remainingPoints"), number(other, "pointsRemaining"))
				}
			})
		})},
		{"window-of-another-at-once", "limits", "Accounts that call at the same time are told each other's RateLimit.", "", mixed(func(a, b *reply) {
			if v := b.header.Get("RateLimit"); v != "" && a.status != http.StatusUnauthorized {
				a.header.Set("RateLimit", v)
			}
		})},
		{"request-id-shared-at-once", "protocol", "Requests at the same time get the same X-Request-Id.", "", func(honest server) server {
			r := running{}
			var mu sync.Mutex
			ids := map[string]string{}
			return func(c *call) *reply {
				busy := r.count("all") > 0
				defer r.enter("all")()
				a := honest(c)
				mu.Lock()
				defer mu.Unlock()
				if id := ids["last"]; busy && id != "" && c.extracts() {
					a.header.Set("X-Request-Id", id)
				}
				ids["last"] = a.header.Get("X-Request-Id")
				return a
			}
		}},
	}
}
