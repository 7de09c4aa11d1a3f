package layout

import (
	"image"

	"uncial/impl/ocr/neural"
)

// NewFinderOf returns a finder that gets its maps from a function instead of a network.
func NewFinderOf(maps func(ink []float32, w, h int) neural.Maps) *Finder { return &Finder{maps} }

// LettersIn counts the letters whose centres are in a box.
func LettersIn(letters []image.Rectangle, cell int, page image.Point, box image.Rectangle) int {
	return newTally(letters, cell, page).in(box)
}
