// Package ocrtest is for tests alone. It draws pages, and it holds every implementation of ocr.Recognizer to one set of
// promises: a test gives Run a Harness that opens the implementation. Where the engine itself is not wanted, MaybeWorker
// turns the test binary into a worker that does what its images say.
package ocrtest

import (
	"image"
	"image/draw"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"
)

// Tessdata is where Debian installs Tesseract's packs.
const Tessdata = "/usr/share/tesseract-ocr/5/tessdata"

// The geometry of a drawn page: its width, where lines begin, and where their baselines are.
const (
	Width    = 1400
	Left     = 50
	Baseline = 100 // of the first line
	Pitch    = 80
)

// Page is lines of text in black on white, 12 points at 300 dots per inch. It panics where the font cannot be loaded.
func Page(lines ...string) *image.Gray { return PageIn(goregular.TTF, 12, lines...) }

// PageIn is like Page, in a font (the content of a TrueType or OpenType file) of that many points.
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
