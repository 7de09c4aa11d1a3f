package neural_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/impl/ocr/neural"
)

func TestRecognizer_signals(t *testing.T) {
	t.Parallel()
	r := neural.NewRecognizer(mustLoad(t, newSketch().file()), mustLanguage(t, mustCount(t, "ab ca\n", 1)))
	blank, space := func() []float32 { return row(1, no, no, no, no, no) }, func() []float32 { return row(no, 1, no, no, no, no) }
	a, b, c := row(no, no, 1, no, no, no), row(no, no, no, 1, no, no), row(no, no, no, no, 1, no)
	doubtful := row(no, no, .51, no, .49, no) // a or c

	words := r.Words([][]float32{blank(), a, blank(), b, blank(), space(), blank(), b, blank(), doubtful, blank(), space(), c, blank()})
	require.Len(t, words, 3)
	require.Equal(t, []string{"ab", "ba", "c"}, []string{words[0].Text, words[1].Text, words[2].Text})
	require.InDelta(t, 0, words[0].Signals.Wrong, 0.01)
	require.InDelta(t, 0.25, words[1].Signals.Wrong, 0.05, "about half of the likely readings differ in one of two characters")
	require.InDelta(t, 0, words[2].Signals.Wrong, 0.01, "the neighbours of a doubtful word are not doubtful")
	require.InDelta(t, math.Ln2, words[1].Signals.Entropy, 0.01)
	require.InDelta(t, 0, words[0].Signals.Entropy, 0.01)
}
