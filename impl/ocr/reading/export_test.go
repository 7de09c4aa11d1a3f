package reading

import (
	"image"

	"uncial/internal/document"
)

// What the tests look into.
var (
	MendLayout = mendLayout
	DropNoise  = dropNoise
	Confidence = confidence
)

// Place puts blocks of a sheet that was turned by an angle to their place on a page of that size.
func Place(blocks []document.Block, size image.Point, angle float64) []document.Block {
	return sheet{img: image.NewGray(image.Rectangle{Max: size}), angle: angle}.place(blocks)
}

// Insert puts a line that was missed, in place of the words with the boxes of those cut, to its place.
func Insert(blocks []document.Block, missed document.Line, cut ...document.Box) []document.Block {
	return fromPieces(insert(toPieces(blocks), missed, cut))
}
