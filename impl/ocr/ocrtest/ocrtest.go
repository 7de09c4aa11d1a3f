// Package ocrtest is for tests only; no program links it. It has four parts:
//   - Page, Scribble and Write draw print and handwriting (this file, scribble.go, cursive.go);
//   - MustPages opens real or rendered pages with ground truth (pages.go);
//   - Run checks the promises of ocr.Recognizer on any implementation, which a Harness opens (suite.go);
//   - MaybeWorker turns the test binary into a worker that obeys scripts, for tests without Tesseract (worker.go).
//
// It does not start the service; package apptest does. Start with Run or Page.
package ocrtest

import (
	"image"
	"image/draw"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"
)

// Tessdata is the folder in which Debian installs the models of Tesseract.
const Tessdata = "/usr/share/tesseract-ocr/5/tessdata"

// The geometry of a drawn page, in pixels.
const (
	Width    = 1400
	Left     = 50  // where lines begin
	Baseline = 100 // of the first line, from the top
	Pitch    = 80  // from one baseline to the next
)

// Page draws lines of text in black on white, in 12 points at 300 dots per inch. The page is as high as its lines need; longer
// lines than Width are cut off. It panics if the font cannot be loaded.
func Page(lines ...string) *image.Gray { return PageIn(goregular.TTF, 12, lines...) }

// PageIn is like Page, with a font (the content of a TrueType or OpenType file) and its size in points.
func PageIn(ttf []byte, points float64, lines ...string) *image.Gray {
	parsed, err := opentype.Parse(ttf)
	if err != nil {
		panic(err)
	}
	face, err := opentype.NewFace(parsed, &opentype.FaceOptions{Size: points, DPI: 300})
	if err != nil {
		panic(err)
	}
	img := image.NewGray(image.Rect(0, 0, Width, Baseline+Pitch*len(lines)))
	draw.Draw(img, img.Rect, image.White, image.Point{}, draw.Src)
	pen := font.Drawer{Dst: img, Src: image.Black, Face: face}
	for i, line := range lines {
		pen.Dot = fixed.P(Left, Baseline+Pitch*i)
		pen.DrawString(line)
	}
	return img
}

// Fade returns a page on paper of that grey with the contrast at each point that a function of x and y returns, which are
// shares of the width and the height of the page.
func Fade(page *image.Gray, paper uint8, contrast func(x, y float64) float64) *image.Gray {
	out := image.NewGray(page.Rect)
	for i, v := range page.Pix {
		x, y := i%page.Stride, i/page.Stride
		share := contrast(float64(x)/float64(page.Rect.Dx()), float64(y)/float64(page.Rect.Dy()))
		out.Pix[i] = uint8(float64(paper) - float64(paper-min(v, paper))*share) // #nosec G115 -- 0..255
	}
	return out
}
