package remote

import (
	"context"
	"math/rand/v2"
	"net/netip"
	"slices"
	"sync"
	"time"

	"uncial/impl/ocr"
)

// engine is one address behind the host name.
type engine struct {
	addr    netip.AddrPort
	running int      // requests of ours
	load    ocr.Load // as last reported
	known   int      // requests of ours that the report counted
	avoid   time.Time
}

// pressure is the work an engine has for each of its workers: what it reported, and what we sent or got back since.
func (e *engine) pressure() float64 {
	return float64(e.work()) / float64(max(1, e.load.Workers))
}

func (e *engine) work() int { return max(e.running, e.load.Busy+e.load.Queued+e.running-e.known) }

// full is true where another request would find no place.
func (e *engine) full() bool {
	return e.load.Workers > 0 && e.work() >= e.load.Workers+e.load.Queue
}

// engines are all addresses. They are safe for concurrent use.
type engines struct {
	now func() time.Time
	mu  sync.Mutex
	all []*engine
}

// set makes the addresses those given, and tells whether that changed anything. What is known of those that stay is
// kept.
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

func (s *engines) list() []*engine {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.all)
}

// acquire takes the engine with the least pressure and counts a request to it. Engines to avoid, and the one that not
// names, are taken only where there is no other. It is nil where there is none at all.
func (s *engines) acquire(not *engine) *engine {
	s.mu.Lock()
	defer s.mu.Unlock()
	var best *engine
	for _, i := range rand.Perm(len(s.all)) {
		if e := s.all[i]; best == nil || s.better(e, best, not) {
			best = e
		}
	}
	if best != nil {
		best.running++
	}
	return best
}

func (s *engines) better(a, b, not *engine) bool {
	if aNot, bNot := a == not, b == not; aNot != bNot {
		return bNot
	}
	now := s.now()
	if aBad, bBad := a.avoid.After(now), b.avoid.After(now); aBad != bBad {
		return bBad
	} else if aBad {
		return a.avoid.Before(b.avoid)
	}
	return a.pressure() < b.pressure()
}

// room is true where an engine other than the one named would take a request.
func (s *engines) room(not *engine) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.ContainsFunc(s.all, func(e *engine) bool { return e != not && !e.avoid.After(s.now()) && !e.full() })
}

func (s *engines) release(e *engine) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e.running--
}

// report notes what the engine says of itself. ended are requests of ours that it did not count any more, although they
// are not released yet.
func (s *engines) report(e *engine, load ocr.Load, ended int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e.load, e.known = load, e.running-ended
}

// shun makes an engine that just died the last choice for a while; a sign of life ends that.
func (s *engines) shun(e *engine, pause time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e.avoid = s.now().Add(pause)
}

func (s *engines) trust(e *engine) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e.avoid = time.Time{}
}

func (s *engines) stats() Stats {
	s.mu.Lock()
	defer s.mu.Unlock()
	st := Stats{Engines: len(s.all)}
	for _, e := range s.all {
		st.Running += e.running
		if e.avoid.After(s.now()) {
			st.Avoided++
		}
	}
	return st
}

// each calls f for all engines at once and waits.
func (s *engines) each(ctx context.Context, f func(context.Context, *engine)) {
	var wg sync.WaitGroup
	for _, e := range s.list() {
		wg.Go(func() { f(ctx, e) })
	}
	wg.Wait()
}
