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

// OnPage moves blocks of a sheet that was rotated by an angle onto a page of that size.
func OnPage(blocks []document.Block, size image.Point, angle float64) []document.Block {
	return sheet{img: image.NewGray(image.Rectangle{Max: size}), angle: angle}.onPage(blocks)
}

// EncodePreview writes a preview without reading its page.
var EncodePreview = encodePreview
