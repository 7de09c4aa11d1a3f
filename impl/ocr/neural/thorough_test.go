package neural_test

import (
	"image"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/impl/ocr/imaging"
	"uncial/impl/ocr/neural"
)

// It reads only one line, because an emulated processor runs this test too.
func TestRecognizer_ReadAgain(t *testing.T) {
	t.Parallel()
	r := mustShipped(t)["plain"]
	sharp := drawnLines()[0].strip
	require.Nil(t, r.ReadAgain(sharp, neural.Search{Thorough: true}).Thorough, "a line that is not doubtful")
	line := imaging.Resize(sharp, sharp.Rect.Dx()/2, 48) // letters this narrow are doubtful
	all := r.ReadAgain(line, neural.Search{Known: func(string) bool { return false }, Thorough: true})
	require.Equal(t, r.Read(line), all.First)
	require.Equal(t, all.First, all.Listed, "empty word lists change nothing")
	require.NotEmpty(t, all.Thorough)
	for i, w := range all.Thorough {
		require.NotNil(t, w.Signals)
		require.True(t, w.Box.In(line.Rect))
		require.True(t, i == 0 || all.Thorough[i-1].Box.Max.X <= w.Box.Min.X, "words are in order and do not overlap")
	}
	require.Equal(t, neural.Readings{First: all.First}, r.ReadAgain(line, neural.Search{}), "no further readings were requested")
	vowels := mustLanguage(t, mustCount(t, strings.Repeat("aeiou\n", 99), 4))
	other := r.ReadAgain(line, neural.Search{Known: func(string) bool { return false }, CharacterModel: vowels})
	require.Equal(t, all.First, other.First, "CharacterModel affects only the search with lists")
	require.NotEmpty(t, other.Listed)
	require.NotEqual(t, all.Listed, other.Listed)
	require.NotEqual(t, all.First, r.ReadAgain(line, neural.Search{First: vowels}).First)
	require.Empty(t, r.ReadAgain(image.NewGray(image.Rect(0, 0, 100, 64)), neural.Search{Thorough: true}), "a line of another height")
}

func TestRecognizer_Compare(t *testing.T) {
	t.Parallel()
	l := mustLanguage(t, mustCount(t, "abc\nabé\n", 2))
	r := neural.NewRecognizer(mustLoad(t, newSketch().file()), l)
	blank := func() []float32 { return row(0.99, no, no, no, no, no) }
	// a view has a or b first and c or é last, with the given number of blanks between them
	view := func(a, c float32, blanks int) [][]float32 {
		rows := [][]float32{row(no, no, a, 1-a, no, no)}
		for range blanks {
			rows = append(rows, blank())
		}
		return append(rows, row(no, no, no, no, c, 1-c), blank())
	}
	for _, c := range []struct {
		name  string
		views [][][]float32
		want  string
	}{
		{"returns the likeliest text of the only view", [][][]float32{view(0.9, 0.9, 1)}, "ac"},
		{"is not misled by one view that is slightly wrong", [][][]float32{view(0.4, 0.9, 1), view(0.9, 0.9, 2), view(0.9, 0.9, 3)}, "ac"},
		{"takes each letter from the view that is sure of it", [][][]float32{view(0.99, 0.4, 1), view(0.4, 0.99, 3)}, "ac"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, c.want, r.Compare(c.views...))
		})
	}
	t.Run("adds up the probabilities of all paths that spell a text", func(t *testing.T) {
		t.Parallel()
		rows := [][]float32{row(0.2, no, 0.8, no, no, no), row(0.5, no, 0.5, no, no, no)}
		require.InDelta(t, 0.8*0.5+0.8*0.5+0.2*0.5, r.Likelihood("a", rows), 1e-4, "a-, aa and -a")
		require.InDelta(t, 0.2*0.5, r.Likelihood("", rows), 1e-4)
		require.InDelta(t, 0, r.Likelihood("aa", rows), 1e-4, "a doubled letter needs a blank between, and three steps")
	})
	t.Run("computes the probability of a long text", func(t *testing.T) {
		t.Parallel()
		const letters = 300
		text := strings.Repeat("abc", letters/3)
		var rows [][]float32
		for i := range 2 * letters {
			p := []float32{0.02, no, no, no, no, no}
			p[2+i/2%3] = 0.98
			rows = append(rows, row(p...))
		}
		each := 0.98*0.98 + 2*0.98*0.02 // twice the letter, or a blank before or after it
		require.InDelta(t, math.Pow(each, letters), r.Likelihood(text, rows), 0.002)
		require.InDelta(t, math.Pow(each, letters-1)*0.02*0.02, r.Likelihood(text[:100]+text[101:], rows), 1e-5, "one letter fewer")
	})
}
