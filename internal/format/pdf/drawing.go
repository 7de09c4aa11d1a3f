package pdf

import (
	"bytes"
	"image"
	"image/color"
	"image/draw"
	"image/png"

	"uncial/internal/document"
)

// drawnSide is the longer side of a drawing in pixels: enough to see the words, a few kilobytes.
const drawnSide = 1000

// Drawing draws a page that has no picture, such as those of the mock: a grey bar for each word, on white.
func Drawing(p *document.Page) Picture {
	scale := min(1, drawnSide/float64(max(p.Width, p.Height)))
	at := func(v int) int { return int(float64(v) * scale) }
	sheet := image.NewPaletted(image.Rect(0, 0, max(at(p.Width), 1), max(at(p.Height), 1)), color.Palette{color.White, color.Gray{Y: 0xaa}})
	for w := range document.Words(p.Blocks) {
		b := w.Box
		bar := image.Rect(at(b.X), at(b.Y), at(b.X+b.W), at(b.Y+b.H))
		draw.Draw(sheet, bar, image.NewUniform(sheet.Palette[1]), image.Point{}, draw.Src)
	}
	var file bytes.Buffer
	_ = png.Encode(&file, sheet) // a buffer cannot fail, and the size is valid
	return Picture{Data: file.Bytes()}
}
