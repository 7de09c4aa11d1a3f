package imaging_test

import (
	"image"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/impl/ocr/imaging"
	"uncial/impl/ocr/ocrtest"
)

func TestEvenFading(t *testing.T) {
	t.Parallel()
	const cell = 100
	page := ocrtest.Page(slices.Concat(lines, lines)...)
	middle := page.Rect.Dx() / 2
	left, right := image.Rect(0, 0, middle, page.Rect.Dy()), image.Rect(middle, 0, page.Rect.Dx(), page.Rect.Dy())
	letters := func(g *image.Gray) float64 {
		return float64(len(slices.DeleteFunc(imaging.Letters(g), func(l image.Rectangle) bool { return !l.In(right) })))
	}
	fading := ocrtest.Fade(page, 255, func(x, _ float64) float64 { return math.Pow(0.06, x) })
	require.Less(t, letters(fading), 0.5*letters(page))
	found := imaging.FindFading(fading, []image.Rectangle{left}, cell)
	require.NotNil(t, found)
	even := found.Even()
	require.InDelta(t, letters(page), letters(even), 0.05*letters(page))
	none := func(name string, g *image.Gray, writing ...image.Rectangle) {
		require.Nil(t, imaging.FindFading(g, writing, cell), name)
	}
	none("no ink is paler", page, left)
	none("all of it was read", fading, page.Rect)
	none("nothing was read", fading)
	none("half of the page is faint", ocrtest.Fade(page, 255, func(x, _ float64) float64 {
		if x < 0.5 {
			return 1
		}
		return 0.1
	}), left)
	none("dark ink is as pale as grain", ocrtest.Fade(page, 255, func(x, _ float64) float64 { return 0.1 * math.Pow(0.06, x) }), left)
}

// TestEvenFading_besideText leaves faint stains alone if there is dark ink close to them.
func TestEvenFading_besideText(t *testing.T) {
	t.Parallel()
	const cell = 20
	// Cells of stripes: dark ones, and paler and paler ones.
	g := image.NewGray(image.Rect(0, 0, 12*cell, 6*cell))
	for i := range g.Pix {
		x, y := i%g.Stride, i/g.Stride
		g.Pix[i] = 255
		if x%4 == 0 {
			g.Pix[i] = uint8(255 - 240*math.Pow(0.8, float64(x/cell)))
		}
		if y < cell && x%4 == 0 {
			g.Pix[i] = 235 // a stain above the text
		}
	}
	found := imaging.FindFading(g, []image.Rectangle{image.Rect(0, cell, 4*cell, 6*cell)}, cell)
	require.NotNil(t, found)
	even := found.Even()
	require.Equal(t, uint8(235), even.GrayAt(cell, cell/2).Y, "next to dark ink")
	require.Less(t, even.GrayAt(11*cell, 3*cell).Y, uint8(100), "pale ink")
}

func TestCellsIn(t *testing.T) {
	t.Parallel()
	page := ocrtest.BlankPage(250, 150) // 3 x 2 cells
	for name, c := range map[string]struct {
		box  image.Rectangle
		want []int
	}{
		"within a cell":           {image.Rect(10, 10, 90, 90), []int{0}},
		"up to the end of a cell": {image.Rect(100, 0, 200, 100), []int{1}},
		"across corners":          {image.Rect(99, 99, 101, 101), []int{0, 1, 3, 4}},
		"beyond the page":         {image.Rect(220, 120, 900, 900), []int{5}},
		"left of the page":        {image.Rect(-40, 0, -5, 100), nil},
		"without any of the page": {image.Rect(400, 400, 500, 500), nil},
	} {
		require.Equal(t, c.want, imaging.CellsIn(page, 100, c.box), name)
	}
}
