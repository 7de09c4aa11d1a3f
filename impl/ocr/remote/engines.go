package remote

import (
	"cmp"
	"context"
	"math/rand/v2"
	"net/netip"
	"slices"
	"sync"
	"time"

	"uncial/impl/ocr"
)

// engine is one address of the host name. Its fields are guarded by engines.mu.
type engine struct {
	addr     netip.AddrPort
	running  int      // our requests that are waiting for an answer
	load     ocr.Load // as last reported
	included int      // our requests that the reported load includes
	avoided  time.Time
}

// workPerWorker is the load by which engines are compared: images per worker, because engines may differ in size.
func (e *engine) workPerWorker() float64 {
	return float64(e.work()) / float64(max(1, e.load.Workers))
}

// work estimates the number of images that the engine has: those that it reported, plus those that we have sent since, minus
// those that have been answered since, and at least our own.
func (e *engine) work() int { return max(e.running, e.load.Busy+e.load.Queued+e.running-e.included) }

// isFull reports whether the engine would refuse another image. An engine that has not reported yet is not full.
func (e *engine) isFull() bool {
	return e.load.Workers > 0 && e.work() >= e.load.Workers+e.load.Queue
}

// placesUnknown is the number of places that an engine is assumed to have before it has reported its load: the smallest queue
// of an engine.
const placesUnknown = 16

// places returns the number of our images that the engine would accept in total: those that it already has, and as many as
// still fit.
func (e *engine) places() int {
	if e.load.Workers == 0 {
		return placesUnknown
	}
	others := e.work() - e.running
	return max(0, e.load.Workers+e.load.Queue-others)
}

// engines holds all addresses. It is safe for concurrent use.
type engines struct {
	now func() time.Time
	mu  sync.Mutex
	all []*engine
}

// set replaces the addresses, and reports whether any were added or removed. Engines that remain keep their state.
func (s *engines) set(addrs []netip.AddrPort) (changed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var next []*engine
	for _, addr := range addrs {
		i := slices.IndexFunc(s.all, func(e *engine) bool { return e.addr == addr })
		if i < 0 {
			next, changed = append(next, &engine{addr: addr}), true
		} else {
			next = append(next, s.all[i])
		}
	}
	changed = changed || len(next) != len(s.all)
	s.all = next
	return changed
}

// list returns a copy of the list of engines, so that callers can make requests without holding mu. The engines themselves are
// shared.
func (s *engines) list() []*engine {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.all)
}

// acquire returns the engine with the least work per worker, and counts a request to it; the caller must release it. It chooses
// avoided engines, and except, only if there is no other. Among equal engines it chooses at random, so that several clients do
// not all choose the same one. It returns nil if no engine is known.
func (s *engines) acquire(except *engine) *engine {
	s.mu.Lock()
	defer s.mu.Unlock()
	var best *engine
	for _, i := range rand.Perm(len(s.all)) {
		if e := s.all[i]; best == nil || s.isBetter(e, best, except) {
			best = e
		}
	}
	if best != nil {
		best.running++
	}
	return best
}

// isBetter reports whether a is preferred to b. The caller holds mu.
func (s *engines) isBetter(a, b, except *engine) bool {
	if (a == except) != (b == except) {
		return b == except
	}
	now := s.now()
	if aAvoided, bAvoided := a.avoided.After(now), b.avoided.After(now); aAvoided != bAvoided {
		return bAvoided
	} else if aAvoided {
		return a.avoided.Before(b.avoided) // the one that failed longer ago
	}
	return a.workPerWorker() < b.workPerWorker()
}

// places returns the number of our images that all engines together would accept, at least 1. Engines that failed recently
// count only if there is no other.
func (s *engines) places() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	all, good := 0, 0
	for _, e := range s.all {
		all += e.places()
		if !e.avoided.After(s.now()) {
			good += e.places()
		}
	}
	return max(cmp.Or(good, all), 1)
}

// hasRoom reports whether an engine other than except would probably accept an image.
func (s *engines) hasRoom(except *engine) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.ContainsFunc(s.all, func(e *engine) bool { return e != except && !e.avoided.After(s.now()) && !e.isFull() })
}

// release ends the request that acquire counted.
func (s *engines) release(e *engine) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e.running--
}

// report stores the load that an engine reported. ended is the number of our requests that the engine has finished but that are
// not yet released: 1 if the report came with an answer, and 0 otherwise.
func (s *engines) report(e *engine, load ocr.Load, ended int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e.load, e.included = load, e.running-ended
}

// avoid makes an engine the last choice for the duration d. A duration of 0 ends that.
func (s *engines) avoid(e *engine, d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e.avoided = s.now().Add(d)
}

// stats fills in the fields of Stats that describe the engines.
func (s *engines) stats() Stats {
	s.mu.Lock()
	defer s.mu.Unlock()
	st := Stats{Engines: len(s.all)}
	for _, e := range s.all {
		st.Running += e.running
		if e.avoided.After(s.now()) {
			st.Avoided++
		}
	}
	return st
}

// each calls f for all engines at once and waits until all calls have returned.
func (s *engines) each(ctx context.Context, f func(context.Context, *engine)) {
	var wg sync.WaitGroup
	for _, e := range s.list() {
		wg.Go(func() { f(ctx, e) })
	}
	wg.Wait()
}
