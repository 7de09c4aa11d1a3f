package ratelimit_test

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"uncial/impl/account"
	"uncial/impl/ratelimit"
	"uncial/impl/store"
	"uncial/impl/store/storetest"
	"uncial/internal/contract"
)

// quarterPast is 15.5 s into its minute.
var quarterPast = time.Date(2026, time.March, 16, 12, 0, 15, 500_000_000, time.UTC)

func mustAccount(tb testing.TB, st *store.Store) string {
	tb.Helper()
	r, err := account.New(st, account.Options{})
	require.NoError(tb, err)
	a, err := r.Create(tb.Context(), "An archive", "free")
	require.NoError(tb, err)
	return a.ID
}

func mustCount(tb testing.TB, l *ratelimit.Limiter, id string, limit int64) (contract.Window, bool) {
	tb.Helper()
	w, allowed, err := l.Count(tb.Context(), id, limit)
	require.NoError(tb, err)
	return w, allowed
}

func TestLimiter_Count(t *testing.T) {
	t.Parallel()
	for _, db := range databases {
		t.Run(db.Name, func(t *testing.T) {
			t.Parallel()
			st := db.MustOpen(t)
			id := mustAccount(t, st)
			clock := storetest.NewClock(quarterPast)
			l := ratelimit.New(st, clock.Now)
			reset := quarterPast.Truncate(time.Minute).Add(time.Minute)
			for left := range int64(3) {
				w, allowed := mustCount(t, l, id, 3)
				require.True(t, allowed)
				require.Equal(t, contract.Window{Limit: 3, Remaining: 2 - left, Reset: reset, Now: quarterPast}, w)
			}
			for range 3 {
				w, allowed := mustCount(t, l, id, 3)
				require.False(t, allowed)
				require.Equal(t, contract.Window{Limit: 3, Remaining: 0, Reset: reset, Now: quarterPast}, w)
				require.Equal(t, 45*time.Second, w.RetryAfter())
			}
			clock.Set(reset.Add(-time.Microsecond))
			_, allowed := mustCount(t, l, id, 3)
			require.False(t, allowed)
			clock.Set(reset)
			w, allowed := mustCount(t, l, id, 3)
			require.True(t, allowed)
			require.Equal(t, contract.Window{Limit: 3, Remaining: 2, Reset: reset.Add(time.Minute), Now: reset}, w)
		})
	}
}

func TestLimiter_Count_apartForEachAccount(t *testing.T) {
	t.Parallel()
	for _, db := range databases {
		t.Run(db.Name, func(t *testing.T) {
			t.Parallel()
			st := db.MustOpen(t)
			id := mustAccount(t, st)
			l := ratelimit.New(st, storetest.NewClock(quarterPast).Now)
			other := mustAccount(t, st)
			mustCount(t, l, id, 1)
			_, allowed := mustCount(t, l, id, 1)
			require.False(t, allowed)
			_, allowed = mustCount(t, l, other, 1)
			require.True(t, allowed)
		})
	}
}

func TestLimiter_Count_aPlanChangesInMidWindow(t *testing.T) {
	t.Parallel()
	for _, db := range databases {
		t.Run(db.Name, func(t *testing.T) {
			t.Parallel()
			st := db.MustOpen(t)
			id := mustAccount(t, st)
			l := ratelimit.New(st, storetest.NewClock(quarterPast).Now)
			for range 5 {
				mustCount(t, l, id, 5)
			}
			w, allowed := mustCount(t, l, id, 2)
			require.False(t, allowed)
			require.Equal(t, int64(0), w.Remaining)
			w, allowed = mustCount(t, l, id, 60)
			require.True(t, allowed)
			require.Equal(t, int64(54), w.Remaining)
		})
	}
}

func TestLimiter_Window_countsNothing(t *testing.T) {
	t.Parallel()
	for _, db := range databases {
		t.Run(db.Name, func(t *testing.T) {
			t.Parallel()
			st := db.MustOpen(t)
			id := mustAccount(t, st)
			clock := storetest.NewClock(quarterPast)
			l := ratelimit.New(st, clock.Now)
			read := func() contract.Window {
				w, err := l.Window(t.Context(), id, 10)
				require.NoError(t, err)
				return w
			}
			reset := quarterPast.Truncate(time.Minute).Add(time.Minute)
			require.Equal(t, contract.Window{Limit: 10, Remaining: 10, Reset: reset, Now: quarterPast}, read(), "never used")
			counted, _ := mustCount(t, l, id, 10)
			require.Equal(t, counted, read())
			require.Equal(t, counted, read())
			clock.Set(reset)
			require.Equal(t, contract.Window{Limit: 10, Remaining: 10, Reset: reset.Add(time.Minute), Now: reset}, read())
		})
	}
}

func TestLimiter_Count_neverMoreThanTheLimitAcrossReplicas(t *testing.T) {
	t.Parallel()
	for _, db := range databases {
		t.Run(db.Name, func(t *testing.T) {
			t.Parallel()
			url := db.URL(t)
			st := storetest.MustOpen(t, url)
			storetest.MustMigrate(t, st)
			id := mustAccount(t, st)
			var mu sync.Mutex
			var wg sync.WaitGroup
			passed := 0
			for range 4 {
				// Their clocks differ by up to 14 s: within one window here.
				skew := quarterPast.Add(time.Duration(len(id)) * time.Second / 2)
				l := ratelimit.New(storetest.MustOpen(t, url), storetest.NewClock(skew).Now)
				for range 50 {
					wg.Go(func() {
						w, allowed, err := l.Count(t.Context(), id, 60)
						if err != nil || w.Remaining < 0 || w.Remaining > 59 {
							t.Errorf("%+v, %v", w, err)
						}
						if allowed {
							mu.Lock()
							passed++
							mu.Unlock()
						}
					})
				}
			}
			wg.Wait()
			require.Equal(t, 60, passed)
		})
	}
}

func TestLimiter_Count_neverGoesBackToAnOlderWindow(t *testing.T) {
	t.Parallel()
	for _, db := range databases {
		t.Run(db.Name, func(t *testing.T) {
			t.Parallel()
			st := db.MustOpen(t)
			id := mustAccount(t, st)
			ahead := ratelimit.New(st, storetest.NewClock(quarterPast.Add(50*time.Second)).Now)
			behind := ratelimit.New(st, storetest.NewClock(quarterPast).Now)
			reset := quarterPast.Truncate(time.Minute).Add(2 * time.Minute)
			passed := 0
			for i := range 20 {
				l := []*ratelimit.Limiter{ahead, behind}[i%2]
				w, allowed := mustCount(t, l, id, 5)
				require.Equal(t, reset, w.Reset, "both are in the newer window")
				if allowed {
					passed++
				}
			}
			require.Equal(t, 5, passed)
			w, err := behind.Window(t.Context(), id, 5)
			require.NoError(t, err)
			require.Zero(t, w.Remaining)
		})
	}
}

func TestLimiter_Count_anUnknownAccount(t *testing.T) {
	t.Parallel()
	for _, db := range databases {
		t.Run(db.Name, func(t *testing.T) {
			t.Parallel()
			st := db.MustOpen(t)
			_, allowed, err := ratelimit.New(st, nil).Count(t.Context(), "acc_nobody", 5)
			var failure *store.Error
			require.ErrorAs(t, err, &failure)
			require.False(t, allowed)
		})
	}
}
