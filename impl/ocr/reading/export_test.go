package reading

import (
	"image"

	"uncial/internal/document"
)

// Tested on blocks, without images.
var (
	Read       = readPage
	DropScraps = dropScraps
	Confidence = confidence
)

// Place puts blocks of a sheet that was turned by an angle to their place on a page of that size.
func Place(blocks []document.Block, size image.Point, angle float64) []document.Block {
	return sheet{img: image.NewGray(image.Rectangle{Max: size}), angle: angle}.onPage(blocks)
}
