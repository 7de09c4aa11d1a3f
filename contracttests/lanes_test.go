package contracttests_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"uncial/contracttests"
	"uncial/mock"
)

func TestCheck_withMoreKeys(t *testing.T) {
	t.Parallel()
	some := func(t *testing.T) contracttests.Target {
		t.Helper()
		return with(MustMock(t), func(t *contracttests.Target) { t.Only = "^extract/402" })
	}
	plan, err := contracttests.Outline(some(t))
	require.NoError(t, err)
	require.Greater(t, len(plan), 5)
	var planned []string
	for _, p := range plan {
		planned = append(planned, p.Name)
	}
	for name, c := range map[string]struct {
		change func(*contracttests.Target)
		more   int64
	}{
		"runs several cases at a time":                         {func(*contracttests.Target) {}, 3},
		"runs one case at a time where points are limited":     {func(t *contracttests.Target) { t.MaxPoints = 100_000 }, 0},
		"runs one case at a time where exchanges are archived": {func(t *contracttests.Target) { t.HAR = io.Discard }, 0},
		"opens no more lanes than there are cases":             {func(t *contracttests.Target) { t.Only = minimalRequest }, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			target := with(some(t), c.change)
			var more atomic.Int64
			keys := target.MoreKeys
			target.MoreKeys = func(ctx context.Context) (map[string][]string, error) {
				more.Add(1)
				return keys(ctx)
			}
			var shown []string
			target.Progress = func(r contracttests.Result) { shown = append(shown, r.Case) }
			report := contracttests.Check(t.Context(), target)
			require.NoError(t, report.Err())
			assert.Equal(t, c.more, more.Load())
			var ran []string
			var points int64
			for _, r := range report.Results {
				ran, points = append(ran, r.Case), points+r.Points
			}
			assert.Equal(t, ran, shown)
			assert.Equal(t, report.Points, points)
			if target.Only != minimalRequest {
				assert.Equal(t, planned, ran)
			}
		})
	}
}

func TestCheck_withoutMoreKeys(t *testing.T) {
	t.Parallel()
	t.Run("reports why there are none", func(t *testing.T) {
		t.Parallel()
		target := with(MustMock(t), func(t *contracttests.Target) { t.Only = "^extract/402" })
		target.MoreKeys = func(context.Context) (map[string][]string, error) { return nil, errors.New("the shop is closed") }
		require.Contains(t, contracttests.Check(t.Context(), target).Problem, "the shop is closed")
	})
	t.Run("names the scenario that lacks a key", func(t *testing.T) {
		t.Parallel()
		target := with(MustMock(t), func(t *contracttests.Target) { t.Only = "^extract/402" })
		more := target.MoreKeys
		target.MoreKeys = func(ctx context.Context) (map[string][]string, error) {
			keys, err := more(ctx)
			delete(keys, contracttests.KeyLow)
			return keys, err
		}
		require.Contains(t, contracttests.Check(t.Context(), target).Problem, `no key for the scenario "low"`)
	})
	t.Run("starts no case after a failure if the first one ends the run", func(t *testing.T) {
		t.Parallel()
		target := MustTarget(t, MustDefect(t, "names only the body in details"))
		target.FailFast = true
		report := contracttests.Check(t.Context(), target)
		failed := slices.IndexFunc(report.Results, func(r contracttests.Result) bool { return r.Outcome == contracttests.Failed })
		require.GreaterOrEqual(t, failed, 0)
		require.LessOrEqual(t, len(report.Results)-1-failed, 3, "only the cases that were running")
	})
}

// TestCheck_lanesOverlap sees keys of two lanes in use at the same time.
func TestCheck_lanesOverlap(t *testing.T) {
	t.Parallel()
	m := mock.New(mock.Options{})
	var mu sync.Mutex
	running, peak := map[any]int{}, 0
	var laneOf sync.Map // by key
	server := MustServe(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		lane, ok := laneOf.Load(strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "))
		if !ok { // a request without a key
			m.ServeHTTP(w, r)
			return
		}
		mu.Lock()
		running[lane]++
		peak = max(peak, len(running))
		mu.Unlock()
		time.Sleep(5 * time.Millisecond)
		m.ServeHTTP(w, r)
		mu.Lock()
		defer mu.Unlock()
		if running[lane]--; running[lane] == 0 {
			delete(running, lane)
		}
	}))
	target := MustTarget(t, server)
	target.Only = "^extract/402/(empty|low|exact)$"
	lanes := 0
	addLane := func(keys map[string][]string) {
		for _, all := range keys {
			for _, key := range all {
				laneOf.Store(key, lanes)
			}
		}
		lanes++
	}
	addLane(target.Keys)
	more := target.MoreKeys
	target.MoreKeys = func(ctx context.Context) (map[string][]string, error) {
		keys, err := more(ctx)
		addLane(keys)
		return keys, err
	}
	require.NoError(t, contracttests.Check(t.Context(), target).Err())
	require.Greater(t, peak, 1)
}

// TestCheck_leaksBetweenLanes shows a key of one lane in answers to another.
func TestCheck_leaksBetweenLanes(t *testing.T) {
	t.Parallel()
	m := mock.New(mock.Options{})
	var own, others sync.Map
	server := MustServe(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, isFirst := own.Load(strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")); isFirst {
			others.Range(func(key, _ any) bool {
				w.Header().Set("X-Last", key.(string))
				return false
			})
		}
		m.ServeHTTP(w, r)
	}))
	target := MustTarget(t, server)
	target.Only = "^extract/402/(empty|low|exact)$"
	for _, keys := range target.Keys {
		for _, key := range keys {
			own.Store(key, true)
		}
	}
	more := target.MoreKeys
	target.MoreKeys = func(ctx context.Context) (map[string][]string, error) {
		keys, err := more(ctx)
		others.Store(keys[contracttests.KeySpare][0], true)
		return keys, err
	}
	report := contracttests.Check(t.Context(), target)
	require.ErrorContains(t, report.Err(), "repeats an API key")
	others.Range(func(key, _ any) bool {
		require.NotContains(t, report.Err().Error(), key)
		return true
	})
}

// TestCheck_interruptedLanes ends a run while several cases run: those that have ended are reported, in order, and those that
// were cut off are not.
func TestCheck_interruptedLanes(t *testing.T) {
	t.Parallel()
	target := MustTarget(t, MustServe(t, mock.New(mock.Options{Latency: mock.Latency{Min: 10 * time.Millisecond, Max: 10 * time.Millisecond}})))
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	var shown []string
	target.Progress = func(r contracttests.Result) {
		shown = append(shown, r.Case)
		interrupt()
	}
	plan, err := contracttests.Outline(target)
	require.NoError(t, err)
	report := contracttests.Check(ctx, target)
	require.Regexp(t, "^interrupted after .*, at the case [a-z]+/", report.Problem)
	var ran []string
	for _, r := range report.Results {
		ran = append(ran, r.Case)
		assert.Equal(t, contracttests.Passed, r.Outcome, r.Case)
	}
	assert.Equal(t, ran, shown)
	assert.NotEmpty(t, ran)
	assert.Less(t, len(ran), len(plan))
}
