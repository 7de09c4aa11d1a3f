package hand

import (
	"image"
	"image/color"
	"image/draw"

	"uncial/impl/ocr/imaging"
	"uncial/internal/document"
)

// mostlyPaper is the share of the pixels of a printed word that its paper is not brighter than: most of them are paper.
const mostlyPaper = 0.75

// covered is a page of which parts are covered with their own paper.
func covered(g *image.Gray, parts []document.Box) *image.Gray {
	out := imaging.Crop(g, g.Rect)
	for _, b := range parts {
		r := image.Rect(b.X, b.Y, b.X+b.W, b.Y+b.H).Intersect(g.Rect)
		paper := image.NewUniform(color.Gray{Y: imaging.PaperGrey(g, r, mostlyPaper)})
		draw.Draw(out, r, paper, image.Point{}, draw.Src)
	}
	return out
}
