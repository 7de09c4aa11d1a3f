package contracttests_test

import (
	"context"
	"errors"
	"io"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"uncial/contracttests"
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
		"opens no more lanes than there are cases":             {func(t *contracttests.Target) { t.Only = leastRequest }, 0},
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
			if target.Only != leastRequest {
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
	t.Run("starts no case after a failure if the first one ends the run", func(t *testing.T) {
		t.Parallel()
		target := MustTarget(t, MustDefect(t, "names only the body in details"))
		target.FailFast = true
		report := contracttests.Check(t.Context(), target)
		require.Positive(t, report.Count(contracttests.Failed))
		require.Less(t, len(report.Results), 60)
	})
}
