package edge

import (
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/internal/request"
)

func TestBudget_OneAccountLeavesRoomForOthers(t *testing.T) {
	t.Parallel()
	b := newBudget(8)
	var greedy []func()
	for {
		giveBack, ok := b.reserve("greedy", -1)
		if !ok {
			break
		}
		greedy = append(greedy, giveBack)
	}
	require.Len(t, greedy, 2, "a quarter of eight largest bodies")
	giveBack, ok := b.reserve("other", request.MaxBody)
	require.True(t, ok)
	giveBack()
	for _, giveBack := range greedy {
		giveBack()
	}
	require.Zero(t, b.used)
	require.Empty(t, b.shares)
}

func TestBudget_BoundsAllTogether(t *testing.T) {
	t.Parallel()
	b := newBudget(2)
	_, ok := b.reserve("a", request.MaxBody)
	require.True(t, ok)
	_, ok = b.reserve("b", request.MaxBody)
	require.True(t, ok)
	_, ok = b.reserve("c", 1)
	require.False(t, ok)
	_, ok = newBudget(1).reserve("a", -1)
	require.True(t, ok, "the smallest budget holds one body")
}
