package imaging_test

import (
	"image"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"uncial/impl/ocr/imaging"
	"uncial/impl/ocr/ocrtest"
)

// facing returns two pages side by side, and the same picture with everything to the right of the seam darkened to a share of
// its brightness. The seam leans by lean pixels.
func facing(share float64, lean int) (page, dimmed *image.Gray, seam func(y int) int) {
	one := ocrtest.Page(append(append([]string{}, lines...), lines...)...)
	w, h := one.Rect.Dx(), one.Rect.Dy()
	page, dimmed = image.NewGray(image.Rect(0, 0, 2*w, h)), image.NewGray(image.Rect(0, 0, 2*w, h))
	seam = func(y int) int { return w + lean*(2*y-h)/(2*h) }
	for y := range h {
		for x := range 2 * w {
			v := one.GrayAt(x%w, y)
			page.SetGray(x, y, v)
			if x >= seam(y) {
				v.Y = uint8(share * float64(v.Y))
			}
			dimmed.SetGray(x, y, v)
		}
	}
	return page, dimmed, seam
}

func TestEvenSides(t *testing.T) {
	t.Parallel()
	for name, lean := range map[string]int{"upright": 0, "leaning to the right": 12, "leaning to the left": -12} {
		t.Run("brightens the darker side up to a seam "+name, func(t *testing.T) {
			t.Parallel()
			page, dimmed, seam := facing(0.5, lean)
			for _, turned := range []int{0, 2} {
				out := imaging.Turn(imaging.EvenSides(imaging.Turn(dimmed, turned)), turned)
				for y := range page.Rect.Dy() {
					for x := range page.Rect.Dx() {
						want, got := int(page.GrayAt(x, y).Y), int(out.GrayAt(x, y).Y)
						if max(x-seam(y), seam(y)-x) > 2 && max(want-got, got-want) > 4 {
							require.Equal(t, want, got, "%d, %d", x, y)
						}
					}
				}
			}
		})
	}
	t.Run("keeps leaves under one light, and leaves on a table", func(t *testing.T) {
		t.Parallel()
		_, alike, _ := facing(0.9, 0)
		_, table, _ := facing(0.5, 0)
		fill(table, image.Rect(table.Rect.Dx()/2, 0, table.Rect.Dx(), table.Rect.Dy()), 90)
		leaf := ocrtest.Page(lines...)
		fill(leaf, image.Rect(0, 0, leaf.Rect.Dx()/10, leaf.Rect.Dy()), 100)
		for _, page := range []*image.Gray{alike, table, leaf, image.NewGray(image.Rect(0, 0, 0, 0))} {
			require.Same(t, page, imaging.EvenSides(page))
		}
	})
	t.Run("keeps three leaves of which the middle one is darker", func(t *testing.T) {
		t.Parallel()
		two, dimmed, _ := facing(0.6, 0)
		w, h := two.Rect.Dx()/2, two.Rect.Dy()
		three := image.NewGray(image.Rect(0, 0, 3*w, h))
		imaging.Copy(three, image.Rect(0, 0, 2*w, h), dimmed, image.Point{})
		imaging.Copy(three, image.Rect(2*w, 0, 3*w, h), two, image.Point{})
		require.Same(t, three, imaging.EvenSides(three))
	})
	t.Run("accepts images of any size", func(t *testing.T) {
		t.Parallel()
		rapid.Check(t, func(t *rapid.T) {
			g := image.NewGray(image.Rect(0, 0, rapid.IntRange(0, 400).Draw(t, "width"), rapid.IntRange(0, 1200).Draw(t, "height")))
			at := rapid.IntRange(0, g.Rect.Dx()).Draw(t, "seam")
			fill(g, g.Rect, 250)
			fill(g, image.Rect(at, 0, g.Rect.Dx(), g.Rect.Dy()), 120)
			for y := 0; y < g.Rect.Dy(); y += 7 {
				fill(g, image.Rect(0, y, g.Rect.Dx(), y+2), 0)
			}
			require.Equal(t, g.Rect, imaging.EvenSides(g).Rect)
		})
	})
}
