package fair

import (
	"context"
	"slices"
)

// Gate lets a bounded number of requests in. Enter does so at once or not at all; Wait waits until a place is free. It is safe
// for concurrent use. A nil Gate lets everyone in.
type Gate struct {
	places *Places
	// Guarded by places.mu.
	waiting  []*waiter         // in the order of arrival
	turns    uint64            // that Wait has given
	lastTurn map[string]uint64 // of the accounts that wait or are inside, by label
}

type waiter struct {
	account  Account
	admitted chan struct{} // closed when the place is taken
}

// NewGate returns a gate with a number of places and the reserve of Places. The number is asked for anew each time.
func NewGate(places func() int) *Gate {
	return newGate(places, 1)
}

// NewTurns returns a gate without a reserve, for requests that take turns with Wait: never more than n are inside.
func NewTurns(n int) *Gate {
	return newGate(func() int { return n }, 0)
}

func newGate(places func() int, floor int64) *Gate {
	return &Gate{places: newPlaces(func() int64 { return int64(places()) }, floor), lastTurn: map[string]uint64{}}
}

// entered is the key under which a context says that its request is inside the gate.
type entered struct{ gate *Gate }

func (g *Gate) isInside(ctx context.Context) bool { return g == nil || ctx.Value(entered{g}) != nil }

// Enter takes a place for the account in ctx. The context that it returns is inside: entering again with it takes no further
// place. leave must be called once. The error is ErrFull.
func (g *Gate) Enter(ctx context.Context) (inside context.Context, leave func(), err error) {
	if g.isInside(ctx) {
		return ctx, func() {}, nil
	}
	a := FromContext(ctx)
	if !g.places.Take(a, 1) {
		return ctx, nil, ErrFull
	}
	return g.inside(ctx), func() { g.leave(a) }, nil
}

// Wait is Enter for a request that has already been let into an earlier gate: it waits for a place. Of those that wait, the one
// whose account holds the fewest places for its weight is first, and of equals the one whose last turn is longest ago. The error is
// ctx's.
func (g *Gate) Wait(ctx context.Context) (inside context.Context, leave func(), err error) {
	if g.isInside(ctx) {
		return ctx, func() {}, nil
	}
	w := &waiter{account: FromContext(ctx), admitted: make(chan struct{})}
	g.places.mu.Lock()
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

// Waiting returns the number of requests in Wait.
func (g *Gate) Waiting() int {
	if g == nil {
		return 0
	}
	g.places.mu.Lock()
	defer g.places.mu.Unlock()
	return len(g.waiting)
}

// Used returns the number of requests inside.
func (g *Gate) Used() int { return int(g.places.Used()) }

func (g *Gate) inside(ctx context.Context) context.Context {
	return context.WithValue(ctx, entered{g}, true)
}

func (g *Gate) leave(a Account) {
	g.places.mu.Lock()
	defer g.places.mu.Unlock()
	g.places.give(a, 1)
	g.admit()
	g.forget(a)
}

// forget drops the state of an account that neither waits nor is inside. It needs the mutex of places.
func (g *Gate) forget(a Account) {
	_, isInside := g.places.held[a.Label]
	if !isInside && !slices.ContainsFunc(g.waiting, func(w *waiter) bool { return w.account.Label == a.Label }) {
		delete(g.lastTurn, a.Label)
	}
}

// withdraw ends the wait of w, and leaves if it has been admitted in the meantime.
func (g *Gate) withdraw(w *waiter) {
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
func (g *Gate) admit() {
	for {
		best := -1
		for i, w := range g.waiting {
			if best < 0 || g.isBefore(w.account, g.waiting[best].account) {
				best = i
			}
		}
		if best < 0 || !g.places.take(g.waiting[best].account, 1) {
			return
		}
		g.turns++
		g.lastTurn[g.waiting[best].account.Label] = g.turns
		close(g.waiting[best].admitted)
		g.waiting = slices.Delete(g.waiting, best, best+1)
	}
}

// isBefore reports whether a gets a place before b.
func (g *Gate) isBefore(a, b Account) bool {
	if x, y := g.load(a), g.load(b); x != y {
		return x < y
	}
	return g.lastTurn[a.Label] < g.lastTurn[b.Label]
}

// load returns the places that an account holds, by its weight.
func (g *Gate) load(a Account) float64 {
	return float64(g.places.held[a.Label].places) / float64(a.weight())
}
