package liar

import (
	"sync"
	"time"
)

// delay is the time for which some defects last. It is long enough for a suite that asks at once, however busy the machine is.
const delay = 2 * time.Second

// naming says what a memory belongs to: an account, an Idempotency-Key, or everyone. "" means that the call has no memory.
type naming func(c *call) string

// account names the account of a call by its key: the keys of a run have an account each.
func account(c *call) string {
	if !c.isAPI() {
		return ""
	}
	return c.key()
}

// repeatable names an Idempotency-Key of an account.
func repeatable(c *call) string {
	if !isKeyed(c, nil) {
		return ""
	}
	return c.key() + " " + c.idempotencyKey()
}

// everyone makes all accounts share a memory.
func everyone(*call) string { return "everyone" }

// memory keeps an M for each name. Its zero value is ready for use, from several goroutines.
type memory[M any] struct {
	mu sync.Mutex
	m  map[string]*M
}

// use calls f with the M of the name, which is zero at first. No other use runs meanwhile.
func (r *memory[M]) use(name string, f func(m *M)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.m == nil {
		r.m = map[string]*M{}
	}
	if r.m[name] == nil {
		r.m[name] = new(M)
	}
	f(r.m[name])
}

// remember changes answers by what it remembers. f sees the answers of a name one at a time, in the order that the honest
// server gave them.
func remember[M any](by naming, f func(m *M, honest server, c *call, a *reply)) lie {
	return func(honest server) server {
		var memories memory[M]
		return func(c *call) *reply {
			a := honest(c)
			if name := by(c); name != "" {
				memories.use(name, func(m *M) { f(m, honest, c, a) })
			}
			return a
		}
	}
}

// editByHistory changes requests by what it remembers of earlier requests. f gets a copy of the request.
func editByHistory[M any](by naming, f func(m *M, honest server, c *call)) lie {
	return func(honest server) server {
		var memories memory[M]
		return rewrite(func(c *call) {
			if name := by(c); name != "" {
				memories.use(name, func(m *M) { f(m, honest, c) })
			}
		})(honest)
	}
}

// firstRunning keeps the body of the first of several requests of a name that run at the same time.
type firstRunning struct{ memory[running] }

type running struct {
	body []byte // of the first
	n    int
}

// begin notes that a request runs, until end. It returns the body of the first one, and whether this is it.
func (r *firstRunning) begin(name string, body []byte) (first []byte, isFirst bool) {
	r.use(name, func(m *running) {
		if m.n++; m.n == 1 {
			m.body, isFirst = body, true
		}
		first = m.body
	})
	return first, isFirst
}

func (r *firstRunning) end(name string) { r.use(name, func(m *running) { m.n-- }) }

type counter struct{ memory[int] }

// add changes the count of a name and returns it.
func (c *counter) add(name string, by int) (n int) {
	c.use(name, func(m *int) {
		*m += by
		n = *m
	})
	return n
}

// other is a name that differs and has a count, or "".
func (c *counter) other(name string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	for other, n := range c.m {
		if other != name && *n > 0 {
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

// every, only and from pick from a count: every nth, only the nth, and the nth with all after it.
func every(n int) func(int) bool { return func(i int) bool { return i%n == 0 } }
func only(n int) func(int) bool  { return func(i int) bool { return i == n } }
func from(n int) func(int) bool  { return func(i int) bool { return i >= n } }

// repeats lets an effect show for the answers to repeats with an Idempotency-Key.
func repeats(e effect) lie {
	return counted(repeatable, from(2), both(isResult, isKeyed), e)
}

// overlapping lets an effect show for extractions that begin while another of the same name is running.
func overlapping(by naming, w when, e effect) lie {
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

// whileExtracting changes what the status reports while extractions of the account are running.
func whileExtracting(f func(running int64, a *reply)) lie {
	return func(honest server) server {
		var running counter
		return func(c *call) *reply {
			if c.isExtract() {
				running.add(c.key(), 1)
				defer running.add(c.key(), -1)
			}
			a := honest(c)
			if n := running.add(c.key(), 0); isStatusRecord(c, a) && n > 0 {
				f(int64(n), a)
			}
			return a
		}
	}
}

// swapped mixes up parts of the last answers of accounts that call concurrently.
func swapped(swap func(a, of *reply)) lie {
	return func(honest server) server {
		var running counter
		last := remember(everyone, func(answers *map[string]*reply, _ server, c *call, a *reply) {
			if *answers == nil {
				*answers = map[string]*reply{}
			}
			(*answers)[c.key()] = a.clone()
			if b := (*answers)[running.other(c.key())]; b != nil && c.isExtract() {
				swap(a, b)
			}
		})(honest)
		return func(c *call) *reply {
			if c.isExtract() {
				running.add(c.key(), 1)
				defer running.add(c.key(), -1)
			}
			return last(c)
		}
	}
}

// charges adds a charge for each answer for which the condition holds, in a second ledger whose sum every later
// answer reports.
func charges(points int64, w when) lie {
	return remember(account, func(taken *int64, _ server, c *call, a *reply) {
		if w(c, a) {
			*taken += points
		}
		shift(a, *taken)
	})
}

// charge is charges as an effect.
func charge(points int64) effect { return func(w when) lie { return charges(points, w) } }

// shift subtracts points from those that an answer reports.
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
