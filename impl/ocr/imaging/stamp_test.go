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
			before := differences(clean, g)
			require.Greater(t, before, 1000)
			require.Equal(t, c.erased, imaging.EraseStamps(g, img))
			if c.erased {
				require.Less(t, differences(clean, g), before/20)
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

func TestEraseStamps_keepsForms(t *testing.T) {
	t.Parallel()
	blue := color.RGBA{R: 50, G: 70, B: 180, A: 255}
	for name, c := range map[string]struct {
		box    image.Rectangle // of the blue form
		size   image.Point
		erased bool
	}{
		"a frame around whole lines":            {image.Rect(180, 160, 620, 320), image.Pt(900, 1000), false},
		"a frame across lines":                  {image.Rect(300, 160, 560, 320), image.Pt(900, 1000), true},
		"a frame at the right edge of the page": {image.Rect(400, 160, 650, 320), image.Pt(653, 1000), false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text := denseText(image.Pt(620, 1000), image.Pt(200, 60), 12)
			img := image.NewRGBA(image.Rectangle{Max: c.size})
			for y := range c.size.Y {
				for x := range c.size.X {
					v := uint8(255)
					if (image.Point{X: x, Y: y}).In(text.Rect) {
						v = text.GrayAt(x, y).Y
					}
					ink := color.RGBA{R: v, G: v, B: v, A: 255}
					at := image.Pt(x, y)
					if at.In(c.box) && (!at.In(c.box.Inset(6)) || (y-c.box.Min.Y)%24 < 3) {
						ink = color.RGBA{R: uint8(int(v) * int(blue.R) / 255), G: uint8(int(v) * int(blue.G) / 255), B: uint8(int(v) * int(blue.B) / 255), A: 255}
					}
					img.SetRGBA(x, y, ink)
				}
			}
			require.Equal(t, c.erased, imaging.EraseStamps(imaging.FromImage(img), img))
		})
	}
}
