package fair

import (
	"container/list"
	"time"
)

// maxIdle is the number of accounts without work that a Queue remembers. The time that a dropped account has used no longer
// counts.
const maxIdle = 1024

// Queue holds work that waits for a worker, and hands it out so that each account gets its share of the workers' time, however
// long each piece of its work takes. The work of one account keeps its order. A Queue is not safe for concurrent use.
//
// Each account has a clock that advances by the time that it uses, divided by its weight; the account whose clock is furthest
// behind is next (start-time fair queueing). An account that returns after a pause does not get the time that it did not use.
type Queue[T any] struct {
	now      func() time.Time
	accounts map[string]*backlog[T]
	weights  weights // of the accounts that have work
	active   int     // accounts that have work
	length   int
	clock    float64 // of the account furthest behind, in seconds; never goes back
	arrivals uint64
}

// backlog is the work of one account: what waits, and what runs.
type backlog[T any] struct {
	account  Account
	waiting  list.List // of *Item[T]
	running  int
	started  time.Duration // sum of the starts of what runs, since the epoch of the queue
	clock    float64       // without the time of what runs
	workedAt uint64        // the queue's arrivals when this account last got its turn
}

// Item is one piece of work in a Queue.
type Item[T any] struct {
	Value   T
	Account Account
	element *list.Element // nil while it does not wait
	started time.Duration
}

// NewQueue returns an empty queue. now is its clock; nil stands for time.Now.
func NewQueue[T any](now func() time.Time) *Queue[T] {
	if now == nil {
		now = time.Now
	}
	return &Queue[T]{now: now, accounts: map[string]*backlog[T]{}, weights: weights{}}
}

// epoch keeps sums of times small.
var epoch = time.Now()

// elapsed returns the time since the epoch by the clock of the queue.
func (q *Queue[T]) elapsed() time.Duration { return q.now().Sub(epoch) }

// Put adds work at the end of its account's backlog. The item names the work in PutFirst and Remove.
func (q *Queue[T]) Put(a Account, value T) *Item[T] {
	i := &Item[T]{Value: value, Account: a}
	l := q.backlogOf(a)
	i.element = l.waiting.PushBack(i)
	q.length++
	return i
}

// PutFirst takes back work that Take handed out and that could not begin. The work is the next of its account, which is not
// charged for it.
func (q *Queue[T]) PutFirst(i *Item[T]) {
	l := q.backlogOf(i.Account)
	i.element = l.waiting.PushFront(i)
	q.length++
	l.running--
	l.started -= i.started
}

// backlogOf returns the backlog of an account that has work from now on.
func (q *Queue[T]) backlogOf(a Account) *backlog[T] {
	l := q.accounts[a.Label]
	if l == nil {
		l = &backlog[T]{account: a}
		q.accounts[a.Label] = l
	}
	if l.isIdle() {
		l.account = a
		q.weights.add(a.weight())
		q.active++
		l.clock = max(l.clock, q.clock)
	}
	return l
}

func (l *backlog[T]) isIdle() bool { return l.waiting.Len() == 0 && l.running == 0 }

// Take hands out the next work of the account whose turn it is. It passes over accounts for which may, given the number of
// their running pieces of work, returns false; a nil may allows all. ok is false if there is no such work. The caller must call
// Done or PutFirst.
func (q *Queue[T]) Take(may func(running int) bool) (i *Item[T], ok bool) {
	now := q.elapsed()
	var next *backlog[T]
	for _, l := range q.accounts {
		if l.waiting.Len() == 0 || may != nil && !may(l.running) {
			continue
		}
		if next == nil || q.isBehind(l, next, now) {
			next = l
		}
	}
	if next == nil {
		return nil, false
	}
	q.advance(now)
	i = next.waiting.Remove(next.waiting.Front()).(*Item[T])
	i.element, i.started = nil, now
	q.length--
	q.arrivals++
	next.running++
	next.started += now
	next.workedAt = q.arrivals
	return i, true
}

// isBehind reports whether a has used less of its share than b, so that a comes first. Among equals, the one that got its last
// turn longer ago is first.
func (q *Queue[T]) isBehind(a, b *backlog[T], now time.Duration) bool {
	if x, y := q.clockOf(a, now), q.clockOf(b, now); x != y {
		return x < y
	}
	return a.workedAt < b.workedAt
}

// clockOf returns an account's clock with the time of what runs.
func (q *Queue[T]) clockOf(l *backlog[T], now time.Duration) float64 {
	running := time.Duration(l.running)*now - l.started
	return l.clock + running.Seconds()/q.weights.effective(l.account.weight())
}

// advance moves the queue's clock on to the account furthest behind, of those that have work.
func (q *Queue[T]) advance(now time.Duration) {
	first := true
	var lowest float64
	for _, l := range q.accounts {
		if !l.isIdle() {
			if clock := q.clockOf(l, now); first || clock < lowest {
				first, lowest = false, clock
			}
		}
	}
	if !first {
		q.clock = max(q.clock, lowest)
	}
}

// Done ends work that Take handed out, and charges its account for the time.
func (q *Queue[T]) Done(i *Item[T]) {
	now := q.elapsed()
	l := q.accounts[i.Account.Label]
	l.clock += (now - i.started).Seconds() / q.weights.effective(l.account.weight())
	l.running--
	l.started -= i.started
	q.advance(now)
	q.forgetIfIdle(l)
}

// forgetIfIdle removes an account that has no more work from those that share.
func (q *Queue[T]) forgetIfIdle(l *backlog[T]) {
	if !l.isIdle() {
		return
	}
	q.weights.remove(l.account.weight())
	q.active--
	if l.clock <= q.clock {
		delete(q.accounts, l.account.Label)
	}
	for label, other := range q.accounts {
		if len(q.accounts)-q.active <= maxIdle {
			return
		}
		if other.isIdle() {
			delete(q.accounts, label)
		}
	}
}

// Remove takes waiting work out of the queue. It reports false if the work has been handed out already.
func (q *Queue[T]) Remove(i *Item[T]) bool {
	if i.element == nil {
		return false
	}
	l := q.accounts[i.Account.Label]
	l.waiting.Remove(i.element)
	i.element = nil
	q.length--
	q.forgetIfIdle(l)
	return true
}

// Len returns the number of waiting pieces of work.
func (q *Queue[T]) Len() int { return q.length }
