package imaging_test

import (
	"image"
	"image/color"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/impl/ocr/imaging"
	"uncial/impl/ocr/ocrtest"
)

func TestEvenInk(t *testing.T) {
	t.Parallel()
	const cell = 100
	page := ocrtest.Page(slices.Concat(lines, lines)...)
	fading := imaging.Crop(page, page.Rect)
	for i, v := range fading.Pix {
		contrast := math.Pow(0.08, float64(i%fading.Stride)/float64(fading.Stride))
		fading.Pix[i] = uint8(255 - float64(255-v)*contrast)
	}
	right := image.Rect(page.Rect.Dx()/2, 0, page.Rect.Dx(), page.Rect.Dy())
	letters := func(g *image.Gray) float64 {
		return float64(len(slices.DeleteFunc(imaging.Letters(g), func(l image.Rectangle) bool { return !l.In(right) })))
	}
	require.Less(t, letters(fading), 0.5*letters(page))
	even := imaging.EvenInk(fading, imaging.InkOf(fading, cell), 250, 10)
	require.InDelta(t, letters(page), letters(even), 0.05*letters(page))
	require.InDelta(t, imaging.Contrast(imaging.Crop(page, right)), imaging.Contrast(imaging.Crop(even, right)), 60)
	require.Equal(t, page.Pix, imaging.EvenInk(page, imaging.InkOf(page, cell), 100, 10).Pix, "no ink is paler than that")
}

// TestEvenInk_besideText leaves faint stains alone if there is dark ink close to them.
func TestEvenInk_besideText(t *testing.T) {
	t.Parallel()
	const cell = 20
	g := image.NewGray(image.Rect(0, 0, 200, 20))
	for i := range g.Pix {
		x := i % g.Stride
		switch {
		case x >= 60:
			g.Pix[i] = 255
		case x < 20 && x%4 == 0:
			g.Pix[i] = 0 // text
		case x >= 40 && x%4 == 0:
			g.Pix[i] = 235 // a stain in the third cell
		default:
			g.Pix[i] = 255
		}
	}
	stain := func(g *image.Gray) uint8 { return g.GrayAt(48, 10).Y }
	require.Less(t, stain(imaging.EvenInk(g, imaging.InkOf(g, cell), 255, 10)), uint8(100), "two cells from the text")
	near := imaging.Crop(g, image.Rect(0, 0, 200, 20))
	for y := range 20 {
		near.SetGray(24, y, color.Gray{}) // text in the second cell
	}
	require.Equal(t, uint8(235), stain(imaging.EvenInk(near, imaging.InkOf(near, cell), 255, 10)), "next to the text")
}

func TestInks_Cells(t *testing.T) {
	t.Parallel()
	inks := imaging.InkOf(ocrtest.BlankPage(250, 150), 100) // 3 x 2 cells
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
		require.Equal(t, c.want, slices.Collect(inks.Cells(c.box)), name)
	}
}
