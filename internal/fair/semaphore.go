package fair

import (
	"context"
	"slices"
)

// Semaphore lets a bounded number of requests in. Enter does so at once or not at all; Wait waits until a place is free. It is
// safe for concurrent use. A nil Semaphore lets everyone in.
type Semaphore struct {
	places *Places
	// Guarded by places.mu.
	waiting []*waiter // in the order of arrival
	// Each turn that Wait gives advances clock by one, divided by all effective weights. An account whose own clock is ahead has
	// had its turns.
	clock    float64
	turns    uint64                  // that Wait has given
	accounts map[string]accountState // that wait or are inside, by label
}

// accountState counts the turns of one account.
type accountState struct {
	clock float64 // each turn advances it by one, divided by the effective weight of the account
	last  uint64  // the number of its last turn, counted by turns
	// weight is the weight of its first request that waits or is inside: a plan may change in the meantime.
	weight int
}

// waiter is a request in Wait.
type waiter struct {
	account  Account
	admitted chan struct{} // closed when the place is taken
}

func (w *waiter) isOfSameAccount(other *waiter) bool { return w.account.Label == other.account.Label }

// NewSemaphore returns a semaphore with a number of places and the reserve of Places. The number is read each time it is
// needed.
func NewSemaphore(places func() int) *Semaphore {
	return newSemaphore(places, 1)
}

// NewTurns returns a semaphore without a reserve, for requests that take turns with Wait: never more than n are inside.
func NewTurns(n int) *Semaphore {
	return newSemaphore(func() int { return n }, 0)
}

// newSemaphore returns a semaphore whose places have that floor; 0 means no reserve.
func newSemaphore(places func() int, floor int64) *Semaphore {
	return &Semaphore{places: newPlaces(func() int64 { return int64(places()) }, floor), accounts: map[string]accountState{}}
}

// entered is the key under which a context says that its request is inside the semaphore.
type entered struct{ semaphore *Semaphore }

// isInside reports whether the request of ctx has a place already. It is true for a nil semaphore, which bounds nothing.
func (g *Semaphore) isInside(ctx context.Context) bool {
	return g == nil || ctx.Value(entered{g}) != nil
}

// Enter takes a place for the account in ctx. The context that it returns is inside: entering again with it takes no further
// place. leave must be called once. The error is ErrFull.
func (g *Semaphore) Enter(ctx context.Context) (inside context.Context, leave func(), err error) {
	if g.isInside(ctx) {
		return ctx, func() {}, nil
	}
	a := FromContext(ctx)
	if !g.places.Take(a, 1) {
		return ctx, nil, ErrFull
	}
	return g.inside(ctx), func() { g.leave(a) }, nil
}

// Wait is Enter for a request that has already been let into an earlier semaphore: it waits for a place. Among those that wait,
// the one whose account holds the fewest places for its weight is first, and ties go to the account with the fewest turns for
// its weight. The only error is ctx's error.
func (g *Semaphore) Wait(ctx context.Context) (inside context.Context, leave func(), err error) {
	if g.isInside(ctx) {
		return ctx, func() {}, nil
	}
	w := &waiter{admitted: make(chan struct{})}
	g.places.mu.Lock()
	w.account = g.known(FromContext(ctx))
	if !slices.ContainsFunc(g.waiting, w.isOfSameAccount) { // turns that it did not use are lost
		had := g.accounts[w.account.Label]
		had.clock, had.weight = max(g.clock, had.clock), w.account.weight()
		g.accounts[w.account.Label] = had
	}
	g.waiting = append(g.waiting, w)
	g.admit()
	g.places.mu.Unlock()
	select {
	case <-w.admitted:
		return g.inside(ctx), func() { g.leave(w.account) }, nil
	case <-ctx.Done():
		g.withdraw(w)
		return ctx, nil, ctx.Err()
	}
}

// known returns the account with the weight that was fixed when the first of its present requests arrived. It needs the mutex
// of places.
func (g *Semaphore) known(a Account) Account {
	if had, ok := g.accounts[a.Label]; ok {
		a.Weight = had.weight
	}
	return a
}

// MayWait reports whether one more request of the account in ctx may Wait, if the accounts that wait share n places. Each of
// them may have one request there.
func (g *Semaphore) MayWait(ctx context.Context, n int) bool {
	if g == nil {
		return true
	}
	g.places.mu.Lock()
	defer g.places.mu.Unlock()
	a := g.known(FromContext(ctx))
	waiting := 0
	for _, w := range g.waiting {
		if w.account.Label == a.Label {
			waiting++
		}
	}
	sharing := g.sharing(a)
	return waiting == 0 || float64(waiting) < float64(n)*sharing.effective(a.weight())/sharing.sum()
}

// sharing returns the weights of the accounts that wait, and of more. It needs the mutex of places.
func (g *Semaphore) sharing(more ...Account) weights {
	byLabel := map[string]int{}
	for _, a := range more {
		byLabel[a.Label] = a.weight()
	}
	for _, w := range g.waiting {
		byLabel[w.account.Label] = w.account.weight()
	}
	sharing := weights{}
	for _, weight := range byLabel {
		sharing.add(weight)
	}
	return sharing
}

// Used returns the number of requests inside.
func (g *Semaphore) Used() int { return int(g.places.Used()) }

// inside returns a context that records that its request has a place.
func (g *Semaphore) inside(ctx context.Context) context.Context {
	return context.WithValue(ctx, entered{g}, true)
}

// leave gives the place of a request back, which may let others in at once.
func (g *Semaphore) leave(a Account) {
	g.places.mu.Lock()
	defer g.places.mu.Unlock()
	g.places.give(a, 1)
	g.admit()
	g.forget(a)
}

// forget drops the state of an account that neither waits nor is inside. It needs the mutex of places.
func (g *Semaphore) forget(a Account) {
	_, isInside := g.places.held[a.Label]
	if !isInside && !slices.ContainsFunc(g.waiting, (&waiter{account: a}).isOfSameAccount) {
		delete(g.accounts, a.Label)
	}
}

// withdraw ends the wait of w, and leaves if it has been admitted in the meantime.
func (g *Semaphore) withdraw(w *waiter) {
	g.places.mu.Lock()
	defer g.places.mu.Unlock()
	if at := slices.Index(g.waiting, w); at >= 0 {
		g.waiting = slices.Delete(g.waiting, at, at+1)
	} else {
		g.places.give(w.account, 1)
		g.admit()
	}
	g.forget(w.account)
}

// admit gives the free places to those that wait. It needs the mutex of places.
func (g *Semaphore) admit() {
	for len(g.waiting) > 0 {
		sharing := g.sharing()
		best := g.waiting[0]
		for _, w := range g.waiting[1:] {
			if g.isBefore(w.account, best.account, sharing) {
				best = w
			}
		}
		a := best.account
		if !g.places.take(a, 1) {
			return
		}
		had := g.accounts[a.Label]
		g.clock = max(g.clock+1/sharing.sum(), had.clock)
		g.turns++
		had.clock, had.last = had.clock+1/sharing.effective(a.weight()), g.turns
		g.accounts[a.Label] = had
		close(best.admitted)
		at := slices.Index(g.waiting, best)
		g.waiting = slices.Delete(g.waiting, at, at+1)
	}
}

// isBefore reports whether a gets a place before b. The account that holds fewer places comes first. Among equals their clocks
// decide, as in worst-case fair weighted fair queueing, and then the time since their last turns.
func (g *Semaphore) isBefore(a, b Account, sharing weights) bool {
	if x, y := g.load(a, sharing), g.load(b, sharing); x != y {
		return x < y
	}
	hadA, hadB := g.accounts[a.Label], g.accounts[b.Label]
	x, y := hadA.clock, hadB.clock
	if isAhead := x > g.clock; isAhead != (y > g.clock) {
		return !isAhead
	} else if !isAhead {
		x += 1 / sharing.effective(a.weight())
		y += 1 / sharing.effective(b.weight())
	}
	if x != y {
		return x < y
	}
	return hadA.last < hadB.last
}

// load returns the places that an account holds, by its weight.
func (g *Semaphore) load(a Account, sharing weights) float64 {
	return float64(g.places.held[a.Label].places) / sharing.effective(a.weight())
}
