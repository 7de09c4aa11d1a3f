package reading_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"uncial/impl/ocr/reading"
)

func TestEvidence_Probability(t *testing.T) {
	t.Parallel()
	for name, weights := range map[string]*reading.Evidence{"print": reading.PrintWeights, "handwriting": reading.HandwritingWeights} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(t *rapid.T) {
				flag := func(name string) float64 { return float64(rapid.IntRange(0, 1).Draw(t, name)) }
				own := rapid.Float64Range(-5, 5).Draw(t, "own")
				more := own + rapid.Float64Range(0, 3).Draw(t, "more")
				early, agreed, known := flag("early"), flag("agreed"), flag("known")
				e := func(own, agreed, known float64) float64 {
					x := reading.Evidence{
						reading.EvConstant: 1, reading.EvOwn: own, reading.EvKnown: known,
						reading.EvSure: max(own-reading.SureOwn, 0), reading.EvEarlyPrint: early, reading.EvAgreed: agreed,
					}
					return x.Probability(weights)
				}
				likely := reading.Evidence{
					reading.EvConstant: 1, reading.EvOwn: own, reading.EvLetters: own,
					reading.EvWrong: -rapid.Float64Range(0, 6).Draw(t, "wrong"), reading.EvPosterior: rapid.Float64Range(0, 5).Draw(t, "posterior"),
				}
				unlikely := reading.Evidence{
					reading.EvConstant: 1, reading.EvOwn: own, reading.EvLetters: own - rapid.Float64Range(0, 3).Draw(t, "letters"),
					reading.EvEntropy: rapid.Float64Range(0, 3).Draw(t, "entropy"),
				}
				require.GreaterOrEqual(t, likely.Probability(weights), unlikely.Probability(weights), "less doubt about the characters never lowers the estimate")
				share := e(own, agreed, known)
				require.True(t, share > 0 && share < 1)
				require.GreaterOrEqual(t, e(more, agreed, known), share, "a surer recognizer never lowers the estimate")
				require.GreaterOrEqual(t, e(own, 1, known), share, "nor does a second reading that agrees")
				require.GreaterOrEqual(t, e(own, agreed, 1), share, "nor does a word list that contains the word")
			})
		})
	}
}

func TestEvidence_words(t *testing.T) {
	t.Parallel()
	once, twice, often := 0.0, math.Log(2), math.Log(3)
	require.Equal(t, [][2]float64{
		{often, 0},
		{twice, 1},
		{once, 0},
		{often, 0},
		{twice, 0},
		{once, 1},
		{often, 0},
		{once, 0},
		{often, 1},
	}, reading.RepeatedAndPunctuated(cells(false, [2]string{"the Houſe, di-"}, [2]string{"The house end:"}, [2]string{"the vided the!"})))
}
