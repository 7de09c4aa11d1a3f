package neural

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNetwork_addSignals(t *testing.T) {
	t.Parallel()
	n := &network{Model: &Model{info: Info{Alphabet: []string{" ", "a", "b", "c"}}}}
	words := []Word{{Text: "ab"}, {Text: "c"}}
	n.addSignals(words, []text{
		{classes: []int{2, 3, 1, 4}, language: []float64{-1, -3, -5, -2}},
		{classes: []int{2, 2, 1, 4}, score: -math.Ln2},
		{classes: []int{1, 1, 2, 3}, score: -math.Ln2},
	})
	require.InDelta(t, 0.75, words[0].Signals.Posterior, 1e-9, "the first and the third text have it")
	require.InDelta(t, 0.75, words[1].Signals.Posterior, 1e-9, "the first and the second text have it")
	require.InDelta(t, -2, words[0].Signals.Language, 1e-9, "the mean of its characters, without the blank")
	require.InDelta(t, -2, words[1].Signals.Language, 1e-9)
}
