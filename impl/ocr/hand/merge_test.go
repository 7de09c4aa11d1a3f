package hand_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/impl/ocr/hand"
	"uncial/impl/ocr/ocrtest"
	"uncial/internal/document"
)

// TestPage_Fill_order: what a hand filled in stands where it is read, between the lines of print.
func TestPage_Fill_order(t *testing.T) {
	t.Parallel()
	left := func(y int) document.Box { return document.Box{X: 100, Y: y, W: 500, H: 40} }
	right := func(y int) document.Box { return document.Box{X: 1200, Y: y, W: 500, H: 40} }
	across := func(y int) document.Box { return document.Box{X: 100, Y: y, W: 1600, H: 40} }
	for name, c := range map[string]struct {
		print   [][]document.Box // blocks of lines
		written []document.Box
		want    []document.Box // of the lines, in their order
	}{
		"in two columns that were filled in": {
			[][]document.Box{{left(200), left(500), left(800), left(1100)}, {right(200), right(500), right(800), right(1100)}},
			[]document.Box{left(330), right(330), left(630), right(630), left(930), right(930)},
			[]document.Box{
				left(200), left(330), left(500), left(630), left(800), left(930), left(1100),
				right(200), right(330), right(500), right(630), right(800), right(930), right(1100),
			},
		},
		"in a table that was filled in, row by row": {
			[][]document.Box{{across(200)}, {across(1100)}},
			[]document.Box{left(330), right(330), left(630), right(630), left(930), right(930)},
			[]document.Box{across(200), left(330), right(330), left(630), right(630), left(930), right(930), across(1100)},
		},
		"a date at the right, between the heading at the left and the text": {
			[][]document.Box{{left(200)}, {across(800)}},
			[]document.Box{right(400), right(550)},
			[]document.Box{left(200), right(400), right(550), across(800)},
		},
		"a remark at the right, below all print": {
			[][]document.Box{{left(200), left(300)}},
			[]document.Box{right(500), right(650)},
			[]document.Box{left(200), left(300), right(500), right(650)},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := ocrtest.Sheet(1800, 1400)
			for i, b := range c.written {
				ocrtest.Scribble(g, b.X, b.X+b.W, 22, func(float64) float64 { return float64(b.Y + b.H) }, uint64(i)) // #nosec G115 -- counts lines
			}
			inPrint := hand.Result{Confidence: 0.9}
			for _, lines := range c.print {
				var block document.Block
				for _, b := range lines {
					words := []document.Word{{Text: "print", Box: b, Confidence: 0.95}}
					block.Lines = append(block.Lines, document.Line{Box: b, Words: words})
				}
				inPrint.Blocks = append(inPrint.Blocks, block)
			}
			filled, ok, err := look(g, true).Fill(t.Context(), newReader(50, 20), inPrint)
			require.NoError(t, err)
			require.True(t, ok)
			requireOrder(t, c.want, filled.Blocks)
		})
	}
}

func requireOrder(t *testing.T, want []document.Box, blocks []document.Block) {
	t.Helper()
	var got []document.Box
	for _, b := range blocks {
		for _, l := range b.Lines {
			got = append(got, l.Box)
		}
	}
	require.Len(t, got, len(want))
	for i, b := range want {
		require.InDelta(t, b.X, got[i].X, 90, "line %d of %v", i, got)
		require.InDelta(t, b.Y, got[i].Y, 60, "line %d of %v", i, got)
	}
}
