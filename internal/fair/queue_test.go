package fair_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"uncial/internal/fair"
)

// simulation has workers that serve a queue on a clock of its own.
type simulation struct {
	now     time.Time
	queue   *fair.Queue[time.Duration] // values are how long the work takes
	ends    []time.Time                // of the work of each worker; zero while it is idle
	work    []*fair.Item[time.Duration]
	served  map[string]int
	returns map[string]func() // called when work of the account ends
}

func newSimulation(workers int) *simulation {
	s := &simulation{
		now: time.Unix(0, 0), ends: make([]time.Time, workers), work: make([]*fair.Item[time.Duration], workers),
		served: map[string]int{}, returns: map[string]func(){},
	}
	s.queue = fair.NewQueue[time.Duration](func() time.Time { return s.now })
	return s
}

// flood keeps n pieces of work in the queue.
func (s *simulation) flood(a fair.Account, n int, takes time.Duration) {
	for range n {
		s.queue.Put(a, takes)
	}
	s.returns[a.Label] = func() { s.queue.Put(a, takes) }
}

// run serves the queue for a while.
func (s *simulation) run(length time.Duration) {
	for end := s.now.Add(length); s.now.Before(end); s.now = s.now.Add(10 * time.Millisecond) {
		for w := range s.ends {
			if s.work[w] != nil && !s.now.Before(s.ends[w]) {
				done := s.work[w]
				s.queue.Done(done)
				s.served[done.Account.Label]++
				s.work[w] = nil
				s.returns[done.Account.Label]()
			}
			if s.work[w] == nil {
				if next, ok := s.queue.Take(nil); ok {
					s.work[w], s.ends[w] = next, s.now.Add(next.Value)
				}
			}
		}
	}
}

func TestQueue_Take(t *testing.T) {
	t.Parallel()
	t.Run("alternates between a flooder and an account with one request at a time", func(t *testing.T) {
		t.Parallel()
		s := newSimulation(1)
		s.flood(fair.Account{Label: "flooder"}, 64, time.Second)
		s.flood(fair.Account{Label: "other"}, 1, time.Second)
		s.run(100 * time.Second)
		require.InDelta(t, 50, s.served["other"], 2, "half of what it gets alone")
	})
	t.Run("shares time and not requests", func(t *testing.T) {
		t.Parallel()
		s := newSimulation(2)
		s.flood(fair.Account{Label: "flooder"}, 64, 20*time.Second)
		s.flood(fair.Account{Label: "other"}, 4, 200*time.Millisecond)
		s.run(400 * time.Second)
		require.GreaterOrEqual(t, s.served["other"], 1900, "of 2000: one of two workers")
	})
	t.Run("follows the weights", func(t *testing.T) {
		t.Parallel()
		s := newSimulation(1)
		s.flood(fair.Account{Label: "light", Weight: 1}, 16, time.Second)
		s.flood(fair.Account{Label: "heavy", Weight: 3}, 16, time.Second)
		s.run(200 * time.Second)
		require.InDelta(t, 150, s.served["heavy"], 3)
	})
	t.Run("a hundred light accounts do not outweigh a heavier one", func(t *testing.T) {
		t.Parallel()
		s := newSimulation(1)
		for i := range 100 {
			s.flood(fair.Account{Label: fmt.Sprint("light", i), Weight: 1}, 4, time.Second)
		}
		s.flood(fair.Account{Label: "heavy", Weight: 2}, 4, time.Second)
		s.run(400 * time.Second)
		require.GreaterOrEqual(t, s.served["heavy"], 190)
	})
	t.Run("an account that was away does not catch up", func(t *testing.T) {
		t.Parallel()
		s := newSimulation(1)
		s.flood(fair.Account{Label: "a"}, 8, time.Second)
		s.run(1000 * time.Second)
		s.flood(fair.Account{Label: "b"}, 8, time.Second)
		s.run(20 * time.Second)
		require.InDelta(t, 10, s.served["b"], 1)
	})
}

func TestQueue_Take_Order(t *testing.T) {
	t.Parallel()
	t.Run("passes over accounts that the worker must not serve", func(t *testing.T) {
		t.Parallel()
		q := fair.NewQueue[string](nil)
		q.Put(fair.Account{Label: "a"}, "first")
		q.Put(fair.Account{Label: "a"}, "second")
		q.Put(fair.Account{Label: "b"}, "third")
		idle := func(running int) bool { return running == 0 }
		first, ok := q.Take(idle)
		require.True(t, ok)
		other, ok := q.Take(idle)
		require.True(t, ok)
		require.NotEqual(t, first.Account, other.Account)
		_, ok = q.Take(idle)
		require.False(t, ok)
		q.PutFirst(first)
		again, ok := q.Take(nil)
		require.True(t, ok)
		require.Equal(t, first.Value, again.Value, "work that could not begin keeps its turn")
	})
	t.Run("removes work whose caller has left", func(t *testing.T) {
		t.Parallel()
		q := fair.NewQueue[string](nil)
		i := q.Put(fair.Account{Label: "a"}, "first")
		require.True(t, q.Remove(i))
		require.False(t, q.Remove(i))
		require.Zero(t, q.Len())
		_, ok := q.Take(nil)
		require.False(t, ok)
	})
}
