package picture

import (
	"image"
	"image/color"
	"math"

	"uncial/impl/ocr/imaging"
)

const (
	// ComparedSide is the longer side, in pixels, at which two pictures of a page are compared: lines of text are visible.
	ComparedSide = 256
	// turnedShare bounds the difference after turning, as a share of the difference before: below it, the page is turned. Two
	// programs draw the same picture with a difference of a few grey levels; a turned one differs by many times as much. On blank
	// paper both are noise.
	turnedShare = 0.7
)

// IsTurned reports whether two pictures show the same page, but one of them upside down or mirrored. Their sizes may differ. It
// does not detect quarter turns.
func IsTurned(a, b image.Image) bool {
	a, b = imaging.Shrink(a, ComparedSide), imaging.Shrink(b, ComparedSide)
	asIs := difference(a, b, false, false)
	turned := min(difference(a, b, true, true), difference(a, b, true, false), difference(a, b, false, true))
	return turned < turnedShare*asIs
}

// difference returns the mean difference in grey levels of two pictures, the second flipped left to right, top to bottom, or
// both.
func difference(a, b image.Image, flipX, flipY bool) float64 {
	from, to := a.Bounds(), b.Bounds()
	sum := 0.0
	for y := range from.Dy() {
		for x := range from.Dx() {
			u, v := x*to.Dx()/from.Dx(), y*to.Dy()/from.Dy()
			if flipX {
				u = to.Dx() - 1 - u
			}
			if flipY {
				v = to.Dy() - 1 - v
			}
			sum += math.Abs(gray(a, from.Min.X+x, from.Min.Y+y) - gray(b, to.Min.X+u, to.Min.Y+v))
		}
	}
	return sum / float64(max(from.Dx()*from.Dy(), 1))
}

// gray returns the brightness of a pixel, 0 (black) to 255.
func gray(img image.Image, x, y int) float64 {
	c, _ := color.GrayModel.Convert(img.At(x, y)).(color.Gray) // GrayModel converts to color.Gray
	return float64(c.Y)
}
