package reading_test

import (
	"image"
	"image/draw"

	"uncial/impl/ocr/imaging"
	"uncial/impl/ocr/ocrtest"
)

// tale is from Dickens, A Tale of Two Cities (1859).
var tale = []string{
	"It was the best of times, it was the worst of times,", "it was the age of wisdom, it was the age of foolishness,",
	"it was the epoch of belief, it was the epoch of incredulity,", "it was the season of Light, it was the season of",
	"Darkness, it was the spring of hope, it was the winter of", "despair, we had everything before us, we had nothing",
	"before us, we were all going direct to Heaven, we were", "all going direct the other way - in short, the period was",
	"so far like the present period, that some of its noisiest", "authorities insisted on its being received, for good or",
	"for evil, in the superlative degree of comparison only.",
}

// written returns a page of joined handwriting.
func written() *image.Gray {
	page := ocrtest.BlankPage(1700, 1500)
	for i, line := range deed {
		for j := range 2 {
			ocrtest.Write(page, 120, 30, func(float64) float64 { return float64(150 + 130*(i+j*len(deed))) }, line, uint64(i+j)) // #nosec G115 -- counts lines
		}
	}
	return page
}

// sideBySide returns two pages pasted together on white.
func sideBySide(left, right *image.Gray) *image.Gray {
	both := image.NewGray(image.Rect(0, 0, left.Rect.Dx()+right.Rect.Dx(), max(left.Rect.Dy(), right.Rect.Dy())))
	draw.Draw(both, both.Rect, image.White, image.Point{}, draw.Src)
	draw.Draw(both, left.Rect, left, image.Point{}, draw.Src)
	draw.Draw(both, right.Rect.Add(image.Pt(left.Rect.Dx(), 0)), right, image.Point{}, draw.Src)
	return both
}

// facing returns a page of print and a page of joined handwriting side by side.
func facing(isPrintLeft bool) *image.Gray {
	left := ocrtest.Page(tale...)
	right := image.NewGray(left.Rect)
	draw.Draw(right, right.Rect, image.White, image.Point{}, draw.Src)
	for i, line := range deed {
		ocrtest.Write(right, 120, 22, func(float64) float64 { return float64(120 + 90*i) }, line, uint64(i)) // #nosec G115 -- counts lines
	}
	if !isPrintLeft {
		left, right = right, left
	}
	return sideBySide(left, right)
}

// mirrored returns the mirror image of a page.
func mirrored(g *image.Gray) *image.Gray {
	out := image.NewGray(g.Rect)
	for y := range g.Rect.Dy() {
		for x := range g.Rect.Dx() {
			out.SetGray(g.Rect.Dx()-1-x, y, g.GrayAt(x, y))
		}
	}
	return out
}

// coarse returns a page without details smaller than n pixels.
func coarse(g *image.Gray, n int) *image.Gray {
	w, h := g.Rect.Dx(), g.Rect.Dy()
	return imaging.Resize(imaging.Resize(g, w/n, h/n), w, h)
}
