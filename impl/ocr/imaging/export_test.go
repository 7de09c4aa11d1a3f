package imaging

import (
	"image"
	"slices"
)

// CellsIn returns the indices of the cells of a page, with that many pixels on each side, that overlap a box.
func CellsIn(g *image.Gray, side int, box image.Rectangle) []int {
	return slices.Collect(cellsOf(g, side).in(box))
}
