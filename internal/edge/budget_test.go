package edge

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestBudget_OneAccountLeavesRoomForOthers(t *testing.T) {
	t.Parallel()
	b := newBudget(8)
	var greedy []func()
	for {
		giveBack, ok := b.take("greedy", -1)
		if !ok {
			break
		}
		greedy = append(greedy, giveBack)
	}
	require.Len(t, greedy, 2, "a quarter of eight largest bodies")
	giveBack, ok := b.take("other", maxBody)
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
	_, ok := b.take("a", maxBody)
	require.True(t, ok)
	_, ok = b.take("b", maxBody)
	require.True(t, ok)
	_, ok = b.take("c", 1)
	require.False(t, ok)
	_, ok = newBudget(1).take("a", -1)
	require.True(t, ok, "the smallest budget holds one body")
}
