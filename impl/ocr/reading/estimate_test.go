package reading_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"uncial/impl/ocr/reading"
)

func TestEvidence_Share(t *testing.T) {
	t.Parallel()
	for name, weights := range map[string]*reading.Evidence{"print": reading.PrintWeights, "handwriting": reading.HandWeights} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(t *rapid.T) {
				flag := func(name string) float64 { return float64(rapid.IntRange(0, 1).Draw(t, name)) }
				own := rapid.Float64Range(-5, 5).Draw(t, "own")
				more := own + rapid.Float64Range(0, 3).Draw(t, "more")
				early, agreed, known := flag("early"), flag("agreed"), flag("known")
				e := func(own, agreed, known float64) float64 {
					x := reading.Evidence{1, own, max(own-reading.SureOwn, 0), early, agreed, 0, known}
					return x.Share(weights)
				}
				likely := reading.Evidence{1, own}
				likely[14], likely[15], likely[16] = rapid.Float64Range(0, 5).Draw(t, "posterior"), -rapid.Float64Range(0, 1).Draw(t, "language"), 0
				unlikely := reading.Evidence{1, own}
				unlikely[14], unlikely[15], unlikely[16] = -likely[14], likely[15]-1, rapid.Float64Range(0, 3).Draw(t, "entropy")
				require.GreaterOrEqual(t, likely.Share(weights), unlikely.Share(weights), "a word that fits network and language better never has less")
				share := e(own, agreed, known)
				require.True(t, share > 0 && share < 1)
				require.GreaterOrEqual(t, e(more, agreed, known), share, "a recognizer that is surer never lowers it")
				require.GreaterOrEqual(t, e(own, 1, known), share, "nor does a second reading that agrees")
				require.GreaterOrEqual(t, e(own, agreed, 1), share, "nor does a word list that has the word")
			})
		})
	}
}
