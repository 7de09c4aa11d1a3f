package hand

import (
	"image"
	"slices"
)

const (
	// joined is how many times wider than high a spot of ink is that counts as joined letters.
	joined = 1.6
	// alike is the ratio of the largest to the smallest of sizes that count as one.
	alike = 1.22
	// letterLike is the share of spots of one width from which on they are letters of print that lies on its side: what
	// is their width there is the height of small letters. slightlyLetterLike is enough where hardly any spot is tall,
	// for letters of print are hardly ever wide.
	letterLike, slightlyLetterLike, fewTall = 0.42, 0.28, 0.03
)

// wideShare is the share of the spots of a letter's size that are joined letters. Letters of print stand apart.
func wideShare(spots []image.Rectangle) float64 {
	return shareOf(spots, image.Rectangle.Dx, image.Rectangle.Dy)
}

// shareOf is the share of the spots, without specks, whose length is more than joined times their breadth.
func shareOf(spots []image.Rectangle, length, breadth func(image.Rectangle) int) float64 {
	long, n := 0, 0
	least := medianOf(spots, breadth) / 2
	for _, s := range spots {
		if breadth(s) <= least {
			continue
		}
		n++
		if float64(length(s)) > joined*float64(breadth(s)) {
			long++
		}
	}
	return float64(long) / float64(max(n, 1))
}

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

// onSide says whether the spots are letters of print that lies on its side.
func onSide(spots []image.Rectangle) bool {
	least := medianOf(spots, image.Rectangle.Dx) / 2
	var widths []int
	for _, s := range spots {
		if s.Dx() > least {
			widths = append(widths, s.Dx())
		}
	}
	slices.Sort(widths)
	most, j := 0, 0
	for i, w := range widths {
		for j < len(widths) && float64(widths[j]) <= alike*float64(w) {
			j++
		}
		most = max(most, j-i)
	}
	same := float64(most) / float64(max(len(widths), 1))
	tall := shareOf(spots, image.Rectangle.Dy, image.Rectangle.Dx)
	return same >= letterLike || same >= slightlyLetterLike && tall < fewTall
}
