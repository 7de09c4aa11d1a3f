package imaging

import (
	"image"
	"slices"
)

const (
	// leastLetter is the height in pixels below which a spot of ink is a speck, or too small to be read anyway.
	leastLetter = 4
	// slimmest and widest are how many times higher than wide, and wider than high, a letter may be.
	slimmest, widest = 5, 5
	// enoughLetters is how many spots of a letter's shape are needed to tell their size.
	enoughLetters = 30
	// mostWeight is how many usual spots one counts for at most.
	mostWeight = 20
)

// LetterHeight is the height in pixels of most of the writing, about that of a small x; 0 where there are too few letters to
// tell. It is the median of their heights, in which each counts by its height, for a page may have more specks than letters,
// but as no more than mostWeight usual ones, for a frame around the page has the shape of a letter.
func LetterHeight(letters []image.Rectangle) int {
	if len(letters) < enoughLetters {
		return 0
	}
	heights := make([]int, len(letters))
	for i, l := range letters {
		heights[i] = l.Dy()
	}
	slices.Sort(heights)
	most := mostWeight * heights[len(heights)/2]
	sum := 0
	for _, h := range heights {
		sum += min(h, most)
	}
	i := 0
	for below := min(heights[0], most); 2*below < sum; below += min(heights[i], most) {
		i++
	}
	return heights[i]
}

// Spots are the boxes of the spots of ink that are not as low as a speck. The page is binarized by Otsu's threshold:
// divide a shaded one by its background first.
func Spots(g *image.Gray) []image.Rectangle {
	return slices.DeleteFunc(spots(g, Otsu(g)), func(r image.Rectangle) bool { return r.Dy() < leastLetter })
}

// Letters are the boxes of those spots of ink that have the shape of a letter.
func Letters(g *image.Gray) []image.Rectangle { return LetterShaped(Spots(g)) }

// LetterShaped are the spots that have the shape of a letter.
func LetterShaped(spots []image.Rectangle) []image.Rectangle {
	return slices.DeleteFunc(slices.Clone(spots), func(r image.Rectangle) bool {
		w, h := r.Dx(), r.Dy()
		return w < 2 || h > slimmest*w || w > widest*h
	})
}

// run is a stretch of ink in a row, from start up to but not including end. A new spot begins only where it touches none
// above, so that memory grows with the spots of a page and not with its runs, of which a halftone has tens of millions.
type run struct{ start, end, spot int }

const none = -1

// spots are the boxes of the connected spots of ink, where ink is what is not above the threshold. Pixels that touch at
// a corner are connected.
func spots(g *image.Gray, threshold uint8) []image.Rectangle {
	var boxes []image.Rectangle
	var parent []int
	find := func(i int) int {
		for parent[i] != i {
			parent[i] = parent[parent[i]]
			i = parent[i]
		}
		return i
	}
	var above, here []run
	for y := range g.Rect.Dy() {
		above, here = here, inkRuns(row(g, y), threshold, above[:0])
		j := 0
		for i := range here {
			r := &here[i]
			r.spot = none
			for j < len(above) && above[j].end < r.start {
				j++
			}
			for k := j; k < len(above) && above[k].start <= r.end; k++ {
				a := find(above[k].spot)
				if r.spot == none {
					r.spot = a
				}
				if b := find(r.spot); a != b {
					parent[b] = a
					boxes[a] = boxes[a].Union(boxes[b])
				}
			}
			if r.spot == none {
				r.spot = len(boxes)
				boxes, parent = append(boxes, image.Rectangle{}), append(parent, r.spot)
			}
			spot := find(r.spot)
			boxes[spot] = boxes[spot].Union(image.Rect(r.start, y, r.end, y+1))
		}
	}
	var roots []image.Rectangle
	for i, b := range boxes {
		if parent[i] == i {
			roots = append(roots, b)
		}
	}
	return roots
}

func inkRuns(pixels []uint8, threshold uint8, runs []run) []run {
	for x := 0; x < len(pixels); x++ {
		if pixels[x] > threshold {
			continue
		}
		start := x
		for x < len(pixels) && pixels[x] <= threshold {
			x++
		}
		runs = append(runs, run{start: start, end: x})
	}
	return runs
}
