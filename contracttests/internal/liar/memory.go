package liar

import (
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"sync"
	"time"
)

// naming tells what a memory is kept for, "" where a call has none. A memory of its own for each account, say.
type naming func(c *call) string

func account(c *call) string {
	if !c.isAPI() {
		return ""
	}
	return c.key()
}

// repeatable names an Idempotency-Key of an account.
func repeatable(c *call) string {
	if !keyed(c, nil) {
		return ""
	}
	return c.key() + " " + c.idempotencyKey()
}

// everyone makes all accounts share.
func everyone(*call) string { return "everyone" }

// remember gives a lie a memory M for each name. f sees every answer of the name, one at a time.
func remember[M any](by naming, f func(m *M, honest server, c *call, a *reply)) lie {
	return func(honest server) server {
		var mu sync.Mutex
		memories := map[string]*M{}
		return func(c *call) *reply {
			a, name := honest(c), by(c)
			if name == "" {
				return a
			}
			mu.Lock()
			defer mu.Unlock()
			if memories[name] == nil {
				memories[name] = new(M)
			}
			f(memories[name], honest, c, a)
			return a
		}
	}
}

// counter counts by name.
type counter struct {
	mu sync.Mutex
	n  map[string]int
}

// add changes the count of a name and returns it.
func (c *counter) add(name string, by int) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.n == nil {
		c.n = map[string]int{}
	}
	c.n[name] += by
	return c.n[name]
}

// other is a name that differs and has a count, "" where there is none.
func (c *counter) other(name string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	for other, n := range c.n {
		if other != name && n > 0 {
			return other
		}
	}
	return ""
}

// counted lets an effect show for some of the answers for which the condition holds: pick says for which, from 1.
func counted(by naming, pick func(n int) bool, w when, e effect) lie {
	return func(honest server) server {
		var n counter
		return e(func(c *call, a *reply) bool { return w(c, a) && pick(n.add(by(c), 1)) })(honest)
	}
}

func every(n int) func(int) bool { return func(i int) bool { return i%n == 0 } }
func only(n int) func(int) bool  { return func(i int) bool { return i == n } }
func from(n int) func(int) bool  { return func(i int) bool { return i >= n } }

// onRepeat changes the answers to repeats with an Idempotency-Key.
func onRepeat(changes ...change) lie {
	return counted(repeatable, from(2), both(extracted, keyed), apply(changes...))
}

// amid lets an effect show for extractions that find another of the same name running.
func amid(by naming, w when, e effect) lie {
	return func(honest server) server {
		var running counter
		inner := e(func(c *call, a *reply) bool { return c.overlaps && w(c, a) })(honest)
		return func(c *call) *reply {
			name := by(c)
			if !c.isExtract() || name == "" {
				return inner(c)
			}
			c.overlaps = running.add(name, 1) > 1
			defer running.add(name, -1)
			time.Sleep(time.Millisecond) // a real server needs as long, so that requests overlap
			return inner(c)
		}
	}
}

// whileExtracting changes what the status tells while so many extractions of the account run.
func whileExtracting(f func(running int64, a *reply)) lie {
	return func(honest server) server {
		var running counter
		return func(c *call) *reply {
			if c.isExtract() {
				running.add(c.key(), 1)
				defer running.add(c.key(), -1)
			}
			a := honest(c)
			if n := running.add(c.key(), 0); told(c, a) && n > 0 {
				f(int64(n), a)
			}
			return a
		}
	}
}

// swapped lets accounts that call at the same time get something of each other's last answers.
func swapped(swap func(a, of *reply)) lie {
	return func(honest server) server {
		var running counter
		var mu sync.Mutex
		last := map[string]*reply{}
		return func(c *call) *reply {
			other := ""
			if c.isExtract() {
				running.add(c.key(), 1)
			}
			a := honest(c)
			if c.isExtract() {
				other = running.other(c.key())
				running.add(c.key(), -1)
			}
			mu.Lock()
			defer mu.Unlock()
			last[c.key()] = a.clone()
			if b := last[other]; b != nil {
				swap(a, b)
			}
			return a
		}
	}
}

// charges takes so many points more for each answer for which the condition holds, in a second ledger whose sum every later
// answer tells.
func charges(points int64, w when) lie {
	return remember(account, func(taken *int64, _ server, c *call, a *reply) {
		if w(c, a) {
			*taken += points
		}
		shift(a, *taken)
	})
}

func charge(points int64) effect { return func(w when) lie { return charges(points, w) } }

// shift takes points from what an answer tells.
func shift(a *reply, taken int64) {
	if taken == 0 {
		return
	}
	a.edit(func(o object) {
		for _, name := range []string{"remainingPoints", "pointsRemaining"} {
			if _, ok := o[name]; ok {
				o[name] = max(0, number(o, name)-taken)
			}
		}
		if _, ok := o["pointsRemaining"]; ok {
			o["pointsUsed"] = max(0, number(o, "pointsUsed")+taken)
		}
	})
}

// counts takes so many requests more from the window for each answer for which the condition holds.
func counts(requests int64, w when) lie {
	return remember(account, func(taken *int64, _ server, c *call, a *reply) {
		if w(c, a) {
			*taken += requests
		}
		addLeft(a, -*taken)
	})
}

func count(requests int64) effect { return func(w when) lie { return counts(requests, w) } }

var (
	windowHeader = regexp.MustCompile(`^"account";r=(\d+);t=(\d+)$`)
	policyHeader = regexp.MustCompile(`^"account";q=(\d+);w=60$`)
)

// window reads RateLimit: requests left, and seconds until the reset.
func window(a *reply) (left, seconds int64, ok bool) {
	m := windowHeader.FindStringSubmatch(a.header.Get("RateLimit"))
	if m == nil {
		return 0, 0, false
	}
	left, _ = strconv.ParseInt(m[1], 10, 64)
	seconds, _ = strconv.ParseInt(m[2], 10, 64)
	return left, seconds, true
}

// policy reads the number of requests in a window from RateLimit-Policy.
func policy(a *reply) (limit int64, ok bool) {
	m := policyHeader.FindStringSubmatch(a.header.Get("RateLimit-Policy"))
	if m == nil {
		return 0, false
	}
	limit, _ = strconv.ParseInt(m[1], 10, 64)
	return limit, true
}

// setHeaderWindow writes the window into the header alone.
func setHeaderWindow(a *reply, left, seconds int64) {
	a.header.Set("RateLimit", fmt.Sprintf(`"account";r=%d;t=%d`, left, seconds))
}

// setWindow writes the window into header and status record.
func setWindow(a *reply, left, seconds int64) {
	_, before, _ := window(a)
	setHeaderWindow(a, left, seconds)
	a.edit(func(o object) {
		if _, ok := o["rateLimitRemaining"]; ok {
			o["rateLimitRemaining"] = left
		}
		if r, ok := o["rateLimit"].(object); ok {
			r["remaining"], r["reset"] = left, number(r, "reset")+seconds-before
		}
	})
}

// rewindow changes the window that an answer tells in header and record.
func rewindow(f func(a *reply, left, seconds int64) (int64, int64)) change {
	return func(_ *call, a *reply) {
		if left, seconds, ok := window(a); ok {
			if l, s := f(a, left, seconds); l != left || s != seconds {
				setWindow(a, l, s)
			}
		}
	}
}

// reheader changes the window that an answer tells in the header alone.
func reheader(f func(left, seconds int64) (int64, int64)) change {
	return func(_ *call, a *reply) {
		if left, seconds, ok := window(a); ok {
			l, s := f(left, seconds)
			setHeaderWindow(a, l, s)
		}
	}
}

func addLeft(a *reply, n int64) {
	rewindow(func(_ *reply, left, seconds int64) (int64, int64) { return max(0, left+n), seconds })(nil, a)
}

// retryAfter sets Retry-After by the seconds that the window lasts.
func retryAfter(f func(seconds int64) string) change {
	return func(_ *call, a *reply) {
		if _, seconds, ok := window(a); ok && a.status == http.StatusTooManyRequests {
			a.header.Set("Retry-After", f(seconds))
		}
	}
}
