package hand

import (
	"image"
	"slices"

	"uncial/internal/document"
)

// joinedShare returns the share of the spots of a letter's size that are joined letters. Letters of print stand apart.
func joinedShare(spots []image.Rectangle) float64 {
	return longShare(spots, image.Rectangle.Dx, image.Rectangle.Dy)
}

// longShare returns the share of the spots, without specks, that are more than joinedWidth times as long as broad.
func longShare(spots []image.Rectangle, length, breadth func(image.Rectangle) int) float64 {
	long, n := 0, 0
	least := medianOf(spots, breadth) / 2
	for _, s := range spots {
		if breadth(s) <= least {
			continue
		}
		n++
		if float64(length(s)) > joinedWidth*float64(breadth(s)) {
			long++
		}
	}
	return float64(long) / float64(max(n, 1))
}

// medianOf returns the median of a size of the spots in pixels, 0 without spots.
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

// isOnSide reports whether the spots are letters of print that lies on its side.
func isOnSide(spots []image.Rectangle) bool {
	least := medianOf(spots, image.Rectangle.Dx) / 2
	var widths []int
	for _, s := range spots {
		if s.Dx() > least {
			widths = append(widths, s.Dx())
		}
	}
	slices.Sort(widths)
	most, j := 0, 0 // most widths that are alike, and the first that is wider than width i and its like
	for i, w := range widths {
		for j < len(widths) && float64(widths[j]) <= alikeSizes*float64(w) {
			j++
		}
		most = max(most, j-i)
	}
	same := float64(most) / float64(max(len(widths), 1))
	tall := longShare(spots, image.Rectangle.Dy, image.Rectangle.Dx)
	return same >= lyingShare || same >= slightLyingShare && tall < fewTall
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
	x, y := (s.Min.X+s.Max.X)/2, (s.Min.Y+s.Max.Y)/2
	return x >= b.X && x < b.X+b.W && y >= b.Y && y < b.Y+b.H
}

func toRect(b document.Box) image.Rectangle { return image.Rect(b.X, b.Y, b.X+b.W, b.Y+b.H) }

func toBox(r image.Rectangle) document.Box {
	return document.Box{X: r.Min.X, Y: r.Min.Y, W: r.Dx(), H: r.Dy()}
}
