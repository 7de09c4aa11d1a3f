package neural_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/impl/ocr/neural"
)

// noise returns the log probabilities of the classes in steps in which hardly any class is certain.
func noise(steps int) [][]float32 {
	random := rand.New(rand.NewPCG(3, 4)) // #nosec G404 -- a drawing, not a secret
	all := make([][]float32, steps)
	for t := range all {
		values, sum := make([]float32, len(alphabet)+1), float32(0)
		for i := range values {
			values[i] = random.Float32()
			sum += values[i]
		}
		for i := range values {
			values[i] /= sum
		}
		all[t] = row(values...)
	}
	return all
}

func TestRecognizer_Read_dropsPrefixesThatItNoLongerFollows(t *testing.T) {
	t.Parallel()
	r := neural.NewRecognizer(mustLoad(t, newSketch().file()), mustLanguage(t, mustCount(t, "abc\nabé\n", 2)))
	rows := noise(200)
	all, many := r.Prefixes(rows, 0)
	some, few := r.Prefixes(rows, 1)
	require.Equal(t, all, some, "the result is the same")
	require.NotEmpty(t, all)
	require.Less(t, few, many/3)
}
