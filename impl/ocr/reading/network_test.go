package reading_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/impl/ocr/reading"
	"uncial/internal/document"
)

// rowOf returns a line of words that are 80 pixels wide, with gaps of 20 pixels, and have these confidences.
func rowOf(y int, confidences ...float64) document.Line {
	var line document.Line
	for i, c := range confidences {
		line.Words = append(line.Words, document.Word{Text: "word", Confidence: c, Box: document.Box{X: 100 * i, Y: y, W: 80, H: 30}})
	}
	line.Box = document.WordsBox(line.Words)
	return line
}

func TestPassages(t *testing.T) {
	t.Parallel()
	const first, last = math.MinInt32, math.MaxInt32 // there is no neighbour on that side
	box := func(y, from, to int) document.Box {
		return document.Box{X: 100 * from, Y: y, W: 100*(to-from) - 20, H: 30}
	}
	for _, c := range []struct {
		why   string
		lines []document.Line
		share float64
		want  []document.Box
		cuts  [][2]int
	}{
		{"a doubtful word with a neighbour on either side", []document.Line{rowOf(0, 1, 1, 0.5, 1, 1)}, 9, []document.Box{box(0, 1, 4)}, [][2]int{{90, 390}}},
		{"the first and the last word of a line", []document.Line{rowOf(0, 0.5, 1, 1, 1, 0.4)}, 9, []document.Box{box(0, 3, 5), box(0, 0, 2)}, [][2]int{{290, last}, {first, 190}}},
		{"words whose neighbours touch, as one passage", []document.Line{rowOf(0, 0.5, 1, 1, 0.4, 1, 1)}, 9, []document.Box{box(0, 0, 5)}, [][2]int{{first, 490}}},
		{"nothing in sure lines", []document.Line{rowOf(0, 1, 0.9, 1)}, 9, nil, nil},
		{
			"the most doubtful lines first, as many as are allowed",
			[]document.Line{rowOf(0, 0.5), rowOf(50, 0.1), rowOf(100, 0.3), rowOf(150, 0.4), rowOf(200, 0.2), rowOf(250, 0.6)},
			0,
			[]document.Box{box(50, 0, 1), box(200, 0, 1), box(100, 0, 1), box(150, 0, 1)},
			[][2]int{{first, last}, {first, last}, {first, last}, {first, last}},
		},
	} {
		words, cuts := reading.Passages([]document.Block{document.BlockOf(c.lines)}, 0.85, c.share)
		require.Equal(t, c.want, words, c.why)
		require.Equal(t, c.cuts, cuts, c.why)
	}

	overlapping := rowOf(0, 1, 1, 0.5, 1, 1)
	overlapping.Words[0].Box.W, overlapping.Words[4].Box.X = 150, 350
	_, cuts := reading.Passages([]document.Block{document.BlockOf([]document.Line{overlapping})}, 0.85, 9)
	require.Equal(t, [][2]int{{100, 380}}, cuts, "words are never cut through")
}
