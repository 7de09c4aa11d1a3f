package hand

import (
	"image"
	"slices"

	"uncial/impl/ocr/imaging"
	"uncial/internal/document"
)

// joinedShare returns the share of joined letters among the spots as large as letters, 0..1. Letters of print are separate.
func joinedShare(spots []image.Rectangle) float64 {
	return longShare(spots, image.Rectangle.Dx, image.Rectangle.Dy)
}

// longShare returns the share of the spots, not counting specks, that are more than joinedWidth times as long as they are
// broad.
func longShare(spots []image.Rectangle, length, breadth func(image.Rectangle) int) float64 {
	long, n := 0, 0
	speck := medianOf(spots, breadth) / 2
	for _, s := range spots {
		if breadth(s) <= speck {
			continue
		}
		n++
		if float64(length(s)) > joinedWidth*float64(breadth(s)) {
			long++
		}
	}
	return float64(long) / float64(max(n, 1))
}

// medianOf returns the median size of the spots in pixels, or 0 if there are none.
func medianOf(spots []image.Rectangle, size func(image.Rectangle) int) int {
	if len(spots) == 0 {
		return 0
	}
	sizes := make([]int, len(spots))
	for i, s := range spots {
		sizes[i] = size(s)
	}
	slices.Sort(sizes)
	return sizes[len(sizes)/2]
}

// isOnSide reports whether the spots are letters of a printed page that lies on its side.
func isOnSide(spots []image.Rectangle) bool {
	speck := medianOf(spots, image.Rectangle.Dx) / 2
	var widths []int
	for _, s := range spots {
		if s.Dx() > speck {
			widths = append(widths, s.Dx())
		}
	}
	slices.Sort(widths)
	alike, j := 0, 0 // the largest number of similar widths, and the first index of a width that is too large to be similar to w
	for i, w := range widths {
		for j < len(widths) && float64(widths[j]) <= alikeSizes*float64(w) {
			j++
		}
		alike = max(alike, j-i)
	}
	same := float64(alike) / float64(max(len(widths), 1))
	tall := longShare(spots, image.Rectangle.Dy, image.Rectangle.Dx)
	return same >= minLyingShare || same >= minSlightLyingShare && tall < maxTallShare
}

// inside returns the spots whose middle lies in the box.
func inside(spots []image.Rectangle, box document.Box) []image.Rectangle {
	var in []image.Rectangle
	for _, s := range spots {
		if holds(box, s) {
			in = append(in, s)
		}
	}
	return in
}

// outside returns the spots whose middle lies in none of the boxes.
func outside(spots []image.Rectangle, boxes []document.Box) []image.Rectangle {
	return slices.DeleteFunc(slices.Clone(spots), func(s image.Rectangle) bool {
		return slices.ContainsFunc(boxes, func(b document.Box) bool { return holds(b, s) })
	})
}

// holds reports whether the middle of a spot lies in the box.
func holds(b document.Box, s image.Rectangle) bool {
	return imaging.Middle(s).In(b.Rectangle())
}
