package imaging

import (
	"cmp"
	"image"
	"slices"
)

// LetterHeight returns the usual height of the letters in pixels, about that of a small x, or 0 if there are fewer than
// enoughLetters. It is the median of their heights, weighted by height because a page may have more specks than letters. The
// weight is at most maxWeight times the median height, because a frame around the page has the shape of a letter too.
func LetterHeight(letters []image.Rectangle) int {
	if len(letters) < enoughLetters {
		return 0
	}
	heights := make([]int, len(letters))
	for i, l := range letters {
		heights[i] = l.Dy()
	}
	slices.Sort(heights)
	maxHeight := maxWeight * heights[len(heights)/2]
	sum := 0
	for _, h := range heights {
		sum += min(h, maxHeight)
	}
	i := 0
	for below := min(heights[0], maxHeight); 2*below < sum; below += min(heights[i], maxHeight) {
		i++
	}
	return heights[i]
}

// InkThreshold returns the grey that best separates ink from paper (Otsu): pixels up to it are ink. It is the same for the
// whole page, so flatten a shaded page first.
func InkThreshold(g *image.Gray) uint8 { return otsu(histogramOf(g)) }

// Spots returns the boxes of the spots of ink (its connected components), without specks. InkThreshold separates ink from
// paper.
func Spots(g *image.Gray) []image.Rectangle { return WithoutSpecks(AllSpots(g)) }

// AllSpots returns the boxes of the spots of ink, specks included.
func AllSpots(g *image.Gray) []image.Rectangle {
	threshold := InkThreshold(g)
	return ComponentBoxes(g.Rect.Dy(), Corners, func(y int) RunSeq { return inkRuns(row(g, y), threshold) })
}

// WithoutSpecks returns the boxes of those spots that are high enough to be letters.
func WithoutSpecks(spots []image.Rectangle) []image.Rectangle {
	var high []image.Rectangle
	for _, r := range spots {
		if r.Dy() >= minLetter {
			high = append(high, r)
		}
	}
	return high
}

// InkPixels counts the pixels of ink, which are those up to the threshold.
func InkPixels(g *image.Gray, threshold uint8) int { return inkIn(g, g.Rect, threshold) }

// inkIn counts the pixels of ink in a part of a page.
func inkIn(g *image.Gray, part image.Rectangle, threshold uint8) (n int) {
	part = part.Intersect(g.Rect)
	for y := part.Min.Y; y < part.Max.Y; y++ {
		for start, end := range inkRuns(row(g, y)[part.Min.X:part.Max.X], threshold) {
			n += end - start
		}
	}
	return n
}

// Letters returns the boxes of the spots that have the shape of a letter.
func Letters(g *image.Gray) []image.Rectangle { return LetterShaped(Spots(g)) }

// LetterShaped returns those of the spots that have the shape of a letter.
func LetterShaped(spots []image.Rectangle) []image.Rectangle {
	return slices.DeleteFunc(slices.Clone(spots), func(r image.Rectangle) bool {
		w, h := r.Dx(), r.Dy()
		return w < thinnestLetter || h > slimmest*w || w > widest*h
	})
}

// Union returns the smallest rectangle that contains all boxes. It is empty if there are no boxes.
func Union(boxes []image.Rectangle) (all image.Rectangle) {
	for _, b := range boxes {
		all = all.Union(b)
	}
	return all
}

// Middle returns the centre of a rectangle, rounded towards its upper left corner.
func Middle(r image.Rectangle) image.Point { return r.Min.Add(r.Max).Div(2) }

// Area returns the number of pixels of a rectangle.
func Area(r image.Rectangle) int { return r.Dx() * r.Dy() }

// Around returns the four parts of a rectangle beside, above and below a box in it, the largest first. Those beside the box
// overlap the others in the corners; see LargestRest.
func Around(outer, box image.Rectangle) []image.Rectangle {
	parts := []image.Rectangle{
		image.Rect(outer.Min.X, outer.Min.Y, box.Min.X, outer.Max.Y), image.Rect(box.Max.X, outer.Min.Y, outer.Max.X, outer.Max.Y),
		image.Rect(outer.Min.X, outer.Min.Y, outer.Max.X, box.Min.Y), image.Rect(outer.Min.X, box.Max.Y, outer.Max.X, outer.Max.Y),
	}
	slices.SortStableFunc(parts, func(a, b image.Rectangle) int { return cmp.Compare(Area(b), Area(a)) })
	return parts
}

// LargestRest returns what remains of a part: for each of others that overlaps it, the largest side around that one.
func LargestRest(part image.Rectangle, others []image.Rectangle) image.Rectangle {
	for _, o := range others {
		if part.Overlaps(o) {
			part = Around(part, o.Intersect(part))[0]
		}
	}
	return part
}

// inkRuns yields the runs of pixels up to the threshold. Unlike Runs it does not call a function for each pixel, because it
// runs on pages in full resolution.
func inkRuns(pixels []uint8, threshold uint8) RunSeq {
	return func(yield func(start, end int) bool) {
		for x := 0; x < len(pixels); x++ {
			if pixels[x] > threshold {
				continue
			}
			start := x
			for x < len(pixels) && pixels[x] <= threshold {
				x++
			}
			if !yield(start, x) {
				return
			}
		}
	}
}
