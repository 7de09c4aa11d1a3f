package lines_test

import (
	"image"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/impl/ocr/lines"
	"uncial/impl/ocr/ocrtest"
	"uncial/internal/document"
)

func TestLine_Without(t *testing.T) {
	t.Parallel()
	for _, degrees := range []float64{0, 5} {
		g := ocrtest.Sheet(1300, 1700)
		var want []drawn
		for i := range 12 {
			want = append(want, drawn{200, 1050, tilted(float64(350+80*i), degrees)})
		}
		draw(g, want)
		all := lines.Find(g).Lines()
		require.Len(t, all, len(want))
		at := func(i, x, w int) document.Box {
			return document.Box{X: x, Y: int(want[i].base(float64(x))) - 2*small, W: w, H: 2*small + 8}
		}
		line := all[4]
		ends := func(parts []lines.Line) (xs []int) {
			for _, p := range parts {
				xs = append(xs, p.Box().X, p.Box().X+p.Box().W)
			}
			return xs
		}
		requireEnds := func(want []int, boxes ...document.Box) {
			t.Helper()
			got := ends(line.Without(boxes))
			require.Len(t, got, len(want))
			for i := range want {
				require.InDelta(t, want[i], got[i], 30)
			}
		}
		whole := ends([]lines.Line{line})
		requireEnds(whole)
		requireEnds(whole, at(3, 300, 400), at(5, 300, 400)) // words of other lines
		requireEnds([]int{whole[0], 500, 700, whole[1]}, at(4, 500, 200))
		requireEnds([]int{600, whole[1]}, at(4, 150, 200), at(4, 300, 300))
		requireEnds([]int{whole[0], 700}, at(4, 700, 170), at(4, 900, 200)) // what is left between is shorter than a word
		requireEnds(nil, at(4, 100, 1100))
	}
}

// TestLine_Box: whatever a line's length, its box reaches as far as what is left of the line after any words.
func TestLine_Box(t *testing.T) {
	t.Parallel()
	g := ocrtest.Sheet(1300, 1700)
	draw(g, column(12, 200, 1050, 300, 80))
	line := lines.Find(g).Lines()[4]
	whole := line.Box()
	for x := range 100 {
		rest := line.Without([]document.Box{{X: 100, Y: whole.Y, W: 300 + x, H: whole.H}})
		require.Len(t, rest, 1)
		require.InDelta(t, whole.X+whole.W, rest[0].Box().X+rest[0].Box().W, 2)
	}
}

func TestSpots(t *testing.T) {
	t.Parallel()
	g := ocrtest.Sheet(3000, 4000)
	blot := func(r image.Rectangle, value uint8) {
		for y := r.Min.Y; y < r.Max.Y; y++ {
			for x := r.Min.X; x < r.Max.X; x++ {
				g.Pix[y*g.Stride+x] = value
			}
		}
	}
	want := []image.Rectangle{image.Rect(300, 400, 360, 460), image.Rect(900, 400, 1100, 450), image.Rect(2000, 3000, 2050, 3100)}
	for i, r := range want {
		blot(r, []uint8{20, 20, 150}[i]) // the last is faint ink, which one threshold for the page would lose
	}
	blot(image.Rect(1500, 800, 1506, 806), 20)   // a speck
	ocrtest.Rule(g, 200, 2000, 2800, 2000)       // a rule across
	ocrtest.Rule(g, 2500, 300, 2500, 3800)       // and one down
	blot(image.Rect(1800, 1200, 2300, 1225), 20) // a dash, longer than a letter can be
	found := lines.Spots(g)
	require.Len(t, found, len(want))
	for _, w := range want {
		require.True(t, slices.ContainsFunc(found, func(f image.Rectangle) bool {
			return f.Intersect(w).Dx()*f.Intersect(w).Dy()*10 >= 8*w.Dx()*w.Dy() && f.Dx() < w.Dx()+20 && f.Dy() < w.Dy()+20
		}), "%v among %v", w, found)
	}
	require.Empty(t, lines.Spots(ocrtest.Sheet(900, 900)))
	require.Empty(t, lines.Spots(image.NewGray(image.Rect(0, 0, 3, 3))))
}
