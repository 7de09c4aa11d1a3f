package ratelimit_test

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"uncial/impl/account"
	"uncial/impl/ratelimit"
	"uncial/impl/store"
	"uncial/impl/store/storetest"
	"uncial/internal/contract"
	"uncial/testcontainers"
)

// quarterPast is 15.5 s into its minute, which ends at nextMinute.
var (
	quarterPast = time.Date(2026, time.March, 16, 12, 0, 15, 500_000_000, time.UTC)
	nextMinute  = time.Date(2026, time.March, 16, 12, 1, 0, 0, time.UTC)
)

// fixture is a test of a limiter and one account.
type fixture struct {
	testing.TB
	*ratelimit.Limiter
	url   string
	store *store.Store
	clock *storetest.Clock
	id    string // of the account
}

func newFixture(tb testing.TB, url string) fixture {
	tb.Helper()
	f := fixture{TB: tb, url: url, store: storetest.MustMigrate(tb, url), clock: storetest.NewClock(quarterPast)}
	f.Limiter = ratelimit.New(f.store, f.clock.Now)
	f.id = f.mustAccount()
	return f
}

func (f fixture) mustAccount() string {
	f.Helper()
	r, err := account.New(f.store, account.Options{})
	require.NoError(f, err)
	a, err := r.Create(f.Context(), "An archive", "free")
	require.NoError(f, err)
	return a.ID
}

func (f fixture) mustCount(limit int64) (contract.Window, bool) {
	f.Helper()
	w, allowed, err := f.Count(f.Context(), f.id, limit)
	require.NoError(f, err)
	return w, allowed
}

func TestLimiter_Count(t *testing.T) {
	storetest.Run(t, testcontainers.Postgres, newFixture, counting)
}

var counting = map[string]func(fixture){
	"admits requests up to the limit in each window": func(t fixture) {
		for left := range int64(3) {
			w, allowed := t.mustCount(3)
			require.True(t, allowed)
			require.Equal(t, contract.Window{Limit: 3, Remaining: 2 - left, Reset: nextMinute, Now: quarterPast}, w)
		}
		for range 3 {
			w, allowed := t.mustCount(3)
			require.False(t, allowed)
			require.Equal(t, contract.Window{Limit: 3, Remaining: 0, Reset: nextMinute, Now: quarterPast}, w)
			require.Equal(t, 45*time.Second, w.RetryAfter())
		}
		t.clock.Set(nextMinute.Add(-time.Microsecond))
		_, allowed := t.mustCount(3)
		require.False(t, allowed)
		t.clock.Set(nextMinute)
		w, allowed := t.mustCount(3)
		require.True(t, allowed)
		require.Equal(t, contract.Window{Limit: 3, Remaining: 2, Reset: nextMinute.Add(time.Minute), Now: nextMinute}, w)
	},
	"counts accounts separately": func(t fixture) {
		t.mustCount(1)
		_, allowed := t.mustCount(1)
		require.False(t, allowed)
		t.id = t.mustAccount()
		_, allowed = t.mustCount(1)
		require.True(t, allowed)
	},
	"applies a new limit within the window": func(t fixture) {
		for range 5 {
			t.mustCount(5)
		}
		w, allowed := t.mustCount(2)
		require.False(t, allowed)
		require.Zero(t, w.Remaining)
		w, allowed = t.mustCount(60)
		require.True(t, allowed)
		require.Equal(t, int64(54), w.Remaining)
	},
	"admits no more than the limit across replicas": func(t fixture) {
		var wg sync.WaitGroup
		var admitted atomic.Int64
		for i := range 4 {
			// Their clocks differ by up to 42 s, all within one window.
			clock := storetest.NewClock(quarterPast.Add(time.Duration(i) * 14 * time.Second))
			replica := ratelimit.New(storetest.MustOpen(t, t.url), clock.Now)
			for range 50 {
				wg.Go(func() {
					w, allowed, err := replica.Count(t.Context(), t.id, 60)
					if err != nil || w.Remaining < 0 || w.Remaining > 59 {
						t.Errorf("%+v, %v", w, err)
					}
					if allowed {
						admitted.Add(1)
					}
				})
			}
		}
		wg.Wait()
		require.Equal(t, int64(60), admitted.Load())
	},
	"never returns to an older window when clocks differ": func(t fixture) {
		behind := t
		t.Limiter = ratelimit.New(t.store, storetest.NewClock(quarterPast.Add(50*time.Second)).Now)
		admitted := 0
		for i := range 20 {
			w, allowed := []fixture{t, behind}[i%2].mustCount(5)
			require.Equal(t, nextMinute.Add(time.Minute), w.Reset, "both are in the newer window")
			if allowed {
				admitted++
			}
		}
		require.Equal(t, 5, admitted)
		w, err := behind.Window(t.Context(), t.id, 5)
		require.NoError(t, err)
		require.Zero(t, w.Remaining)
	},
	"ignores the window of a clock that was a day ahead": func(t fixture) {
		ahead := t
		ahead.Limiter = ratelimit.New(t.store, storetest.NewClock(quarterPast.Add(24*time.Hour)).Now)
		for range 6 {
			ahead.mustCount(5)
		}
		w, err := t.Window(t.Context(), t.id, 5)
		require.NoError(t, err)
		require.Equal(t, contract.NewWindow(5, 0, quarterPast.Truncate(time.Minute), quarterPast), w)
		w, allowed := t.mustCount(5)
		require.True(t, allowed)
		require.Equal(t, nextMinute, w.Reset)
		require.EqualValues(t, 4, w.Remaining)
	},
	"fails for an unknown account": func(t fixture) {
		_, allowed, err := t.Count(t.Context(), "acc_nobody", 5)
		var failure *store.Error
		require.ErrorAs(t, err, &failure)
		require.False(t, allowed)
	},
}

func TestLimiter_Window(t *testing.T) {
	storetest.Run(t, testcontainers.Postgres, newFixture, map[string]func(fixture){
		"reads without counting": func(t fixture) {
			requireWindow := func(want contract.Window) {
				w, err := t.Window(t.Context(), t.id, 10)
				require.NoError(t, err)
				require.Equal(t, want, w)
			}
			requireWindow(contract.Window{Limit: 10, Remaining: 10, Reset: nextMinute, Now: quarterPast})
			counted, _ := t.mustCount(10)
			requireWindow(counted)
			requireWindow(counted)
			t.clock.Set(nextMinute)
			requireWindow(contract.Window{Limit: 10, Remaining: 10, Reset: nextMinute.Add(time.Minute), Now: nextMinute})
		},
	})
}
