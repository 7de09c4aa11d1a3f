package imaging_test

import (
	"image"
	"image/draw"
	"testing"

	"pgregory.net/rapid"

	"uncial/impl/ocr/imaging"
)

func TestCopy(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		number := func(name string) int { return rapid.IntRange(-6, 12).Draw(t, name) }
		picture := func(name string) *image.Gray {
			g := image.NewGray(image.Rect(number(name+" left"), number(name+" top"), number(name+" right"), number(name+" bottom")))
			for i := range g.Pix {
				g.Pix[i] = uint8(7*i + len(name)) // #nosec G115 -- any pattern will do
			}
			return g
		}
		got, src := picture("dst"), picture("source")
		want := image.NewGray(got.Rect)
		copy(want.Pix, got.Pix)
		area := image.Rect(number("left"), number("top"), number("right"), number("bottom"))
		from := image.Pt(number("x"), number("y"))
		imaging.Copy(got, area, src, from)
		draw.Draw(want, area, src, from, draw.Src)
		if string(got.Pix) != string(want.Pix) {
			t.Fatalf("%v of %v from %v of %v: %v, and with draw.Draw %v", area, got.Rect, from, src.Rect, got.Pix, want.Pix)
		}
	})
}
