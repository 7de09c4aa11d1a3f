package liar

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// inventedRepeats break the replay of answers.
func inventedRepeats() []row {
	type latest struct {
		order     []string
		forgotten map[string]int // how often
	}
	return []row{
		{"402-keeps-the-key", "extract/402/errors-are-not-kept", bindsKeys(status(http.StatusPaymentRequired))},
		{"running-conflict-joins", "extract/400/replay-of-another-request-at-once", conflictJoins},
		{"fingerprint-of-64-kib", "extract/400/replay-of-a-similar-request", editByHistory(repeatable, func(first *[]byte, _ server, c *call) {
			const compared = 64 << 10
			switch {
			case *first == nil:
				*first = c.body
			case len(c.body) > compared && len(*first) > compared && bytes.Equal(c.body[:compared], (*first)[:compared]):
				c.body = *first
			}
		})},
		{"fingerprint-of-8192-characters", "extract/400/replay-of-a-similar-request", editByHistory(repeatable, func(first *[]byte, _ server, c *call) {
			const maxCompared = 8192
			cut := func(b []byte) string {
				o := parse(b)
				s, _ := o["imageUrl"].(string)
				if o != nil {
					o["imageUrl"] = s[:min(len(s), maxCompared)]
				}
				return string(encode(o))
			}
			if *first == nil {
				*first = c.body
			} else if json.Valid(c.body) && cut(c.body) == cut(*first) {
				c.body = *first
			}
		})},
		{"stored-after-it-was-sent", "extract/200/caller-hung-up", func(honest server) server {
			var lost memory[int]
			return func(c *call) (a *reply) {
				id := repeatable(c)
				if id == "" {
					return honest(c)
				}
				key := c.idempotencyKey()
				other := c.withBody(c.body)
				lost.use(id, func(n *int) { // one request at a time: a repeat finds whether the answer before it was lost
					if *n > 0 {
						other.request.Header.Set("Idempotency-Key", fmt.Sprint(key, "-", *n))
					}
					alive := other.request.Context()
					other.request = other.request.WithContext(context.WithoutCancel(alive)) // it was charged
					if a = honest(other); a.status == http.StatusOK && alive.Err() != nil {
						*n++
					}
				})
				return a
			}
		}},
		{"keys-of-128-characters", "extract/200/replay-similar-keys", rewrite(func(c *call) {
			if key := c.idempotencyKey(); c.isExtract() && len(key) > 128 && len(key) < 256 {
				c.request.Header.Set("Idempotency-Key", key[:128])
			}
		})},
		{"32-latest-answers", "extract/200/replay-after-traffic", func(honest server) server {
			var memories memory[latest]
			return func(c *call) *reply {
				key, other := c.idempotencyKey(), c.withBody(c.body)
				if !c.isExtract() || key == "" {
					return honest(c)
				}
				memories.use(c.key(), func(m *latest) {
					if n := m.forgotten[key]; n > 0 && len(key) < 250 {
						other.request.Header.Set("Idempotency-Key", fmt.Sprint(key, "-", n))
					}
				})
				a := honest(other)
				memories.use(c.key(), func(m *latest) {
					if a.status != http.StatusOK || slices.Contains(m.order, key) {
						return
					}
					if m.order = append(m.order, key); len(m.order) > 32 {
						if m.forgotten == nil {
							m.forgotten = map[string]int{}
						}
						m.forgotten[m.order[0]]++
						m.order = m.order[1:]
					}
				})
				return a
			}
		}},
		{"running-conflict-is-carried-out", "extract/400/replay-of-another-request-at-once", func(honest server) server {
			var running firstRunning
			return func(c *call) *reply {
				id := repeatable(c)
				if id == "" {
					return honest(c)
				}
				first, isFirst := running.begin(id, c.body)
				defer running.end(id)
				if !isFirst && !bytes.Equal(first, c.body) {
					return honest(c.unkeyed())
				}
				return honest(c)
			}
		}},
		{"errors-bind-the-key", "extract/200/errors-are-not-kept", bindsKeys(isError)},
		{"keys-are-lists", "extract/200/replay-similar-keys", refuseKey(func(key string) bool { return strings.Contains(key, ",") })},
	}
}

// bindsKeys keeps an Idempotency-Key bound to its request after an error for which the condition holds.
func bindsKeys(w when) lie {
	return func(honest server) server {
		var memories memory[[]byte]
		return func(c *call) *reply {
			a := honest(c)
			if id := repeatable(c); id != "" {
				memories.use(id, func(refused *[]byte) {
					switch {
					case *refused != nil && !bytes.Equal(*refused, c.body) && (a.status == http.StatusOK || w(c, a)):
						invalid("Idempotency-Key", "was used for another request")(c, a)
					case *refused == nil && w(c, a) && onlyField(a) != "Idempotency-Key":
						*refused = c.body
					}
				})
			}
			return a
		}
	}
}

// onlyField returns the field that the details of an error name, or "" if they name none or several.
func onlyField(a *reply) string {
	details, _ := a.object()["details"].(object)
	for name := range details {
		if len(details) == 1 {
			return name
		}
	}
	return ""
}

// refuseKey refuses an Idempotency-Key as if it contained a space.
func refuseKey(w func(key string) bool) lie {
	return rewrite(func(c *call) {
		if c.isExtract() && w(c.idempotencyKey()) {
			c.request.Header.Set("Idempotency-Key", "a b")
		}
	})
}
