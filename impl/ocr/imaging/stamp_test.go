package imaging_test

import (
	"image"
	"image/color"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/impl/ocr/imaging"
)

// stamped returns the page in colour, on buff paper, with a double ring whose ink lets the page show through.
func stamped(g *image.Gray, center image.Point, ink color.RGBA) *image.RGBA {
	img := image.NewRGBA(g.Rect)
	for y := range g.Rect.Dy() {
		for x := range g.Rect.Dx() {
			factors := [3]float64{235. / 255, 220. / 255, 190. / 255}
			r := math.Hypot(float64(x-center.X), float64(y-center.Y))
			for i, v := range [3]uint8{ink.R, ink.G, ink.B} {
				if math.Abs(r-120) < 4 || math.Abs(r-95) < 2 {
					factors[i] *= float64(v) / 255
				}
				img.Pix[img.PixOffset(x, y)+i] = uint8(float64(g.GrayAt(x, y).Y) * factors[i])
			}
			img.Pix[img.PixOffset(x, y)+3] = 255
		}
	}
	return img
}

func TestEraseStamps(t *testing.T) {
	t.Parallel()
	page := denseText(image.Pt(900, 1000), image.Pt(60, 100), 9)
	clean := imaging.FromImage(stamped(page, image.Pt(-500, -500), color.RGBA{}))
	red, blue, brown := color.RGBA{R: 200, G: 50, B: 50, A: 255}, color.RGBA{R: 50, G: 70, B: 180, A: 255}, color.RGBA{R: 160, G: 120, B: 50, A: 255}
	over, beside := image.Pt(350, 300), image.Pt(400, 800)

	// wrong returns the number of pixels whose ink differs from that of the clean page.
	wrong := func(g *image.Gray) (n int) {
		for i, v := range clean.Pix {
			if (v < 127) != (g.Pix[i] < 127) {
				n++
			}
		}
		return n
	}
	for name, c := range map[string]struct {
		at     image.Point
		ink    color.RGBA
		erased bool
	}{
		"erases a red stamp over text":       {over, red, true},
		"erases a blue stamp over text":      {over, blue, true},
		"keeps a stamp beside the text":      {beside, red, false},
		"keeps what is the colour of stains": {over, brown, false},
		"keeps a black stamp":                {over, color.RGBA{R: 60, G: 60, B: 60, A: 255}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			img := stamped(page, c.at, c.ink)
			g := imaging.FromImage(img)
			before := wrong(g)
			require.Greater(t, before, 1000)
			require.Equal(t, c.erased, imaging.EraseStamps(g, img))
			if c.erased {
				require.Less(t, wrong(g), before/20)
			} else {
				require.Equal(t, imaging.FromImage(img).Pix, g.Pix)
			}
		})
	}
	require.False(t, imaging.EraseStamps(page, page), "a grey page has no coloured stamps")
}

func TestEraseStamps_keepsColouredText(t *testing.T) {
	t.Parallel()
	for name, inks := range map[string][]color.RGBA{
		"red lines among black ones": {{R: 40, G: 40, B: 40, A: 255}, {R: 190, G: 40, B: 40, A: 255}},
		"blue lines only":            {{R: 50, G: 60, B: 170, A: 255}},
	} {
		img := written(inks...)
		g := imaging.FromImage(img)
		require.False(t, imaging.EraseStamps(g, img), name)
	}
}
