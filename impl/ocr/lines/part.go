package lines

import (
	"image"
	"math"
	"slices"

	"uncial/internal/document"
)

// leastPart is the shortest part of a line that is worth reading, in units of the pitch.
const leastPart = 1.2

// Without are the parts of the line that lie outside the boxes, which are those of words in pixels of the page. A part
// that is shorter than a word is left away.
func (l Line) Without(boxes []document.Box) []Line {
	pitch := l.page.Pitch / l.page.frame.scale
	covered := make([]bool, len(l.path.xs))
	for _, b := range boxes {
		l.cover(b, covered)
	}
	if !slices.Contains(covered, true) {
		return []Line{l}
	}
	var out []Line
	for i, j := range runs(len(covered), int(math.Ceil(leastPart*pitch)), func(i int) bool { return !covered[i] }) {
		out = append(out, Line{path{l.path.xs[i:j], l.path.ys[i:j]}, l.page})
	}
	return out
}

// cover marks the columns of the path that a word stands in, if it stands in this line.
func (l Line) cover(b document.Box, covered []bool) {
	x0, y := l.page.frame.fromPage(float64(b.X), float64(b.Y)+float64(b.H)/2)
	x1, _ := l.page.frame.fromPage(float64(b.X+b.W), float64(b.Y)+float64(b.H)/2)
	reach := max((l.page.band.up+l.page.band.down)/2, float64(b.H)/l.page.frame.scale/2)
	if math.Abs(l.path.at((x0+x1)/2)-y) > 0.8*reach {
		return
	}
	first, _ := slices.BinarySearch(l.path.xs, int(x0))
	last, _ := slices.BinarySearch(l.path.xs, int(x1)+1)
	for i := first; i < last; i++ {
		covered[i] = true
	}
}

// boxPoints is how many parts of a line are taken as straight for its box.
const boxPoints = 16

// Box is the upright box around the band of the line, in pixels of the page.
func (l Line) Box() document.Box {
	b := l.page.band
	x0, y0, x1, y1 := math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)
	last := len(l.path.xs) - 1
	for k := range boxPoints + 1 {
		i := k * last / boxPoints
		for _, d := range [2]float64{-b.up, b.down} {
			px, py := l.page.frame.toPage(float64(l.path.xs[i]), float64(l.path.ys[i])+d)
			x0, y0, x1, y1 = min(x0, px), min(y0, py), max(x1, px), max(y1, py)
		}
	}
	r := image.Rect(int(x0), int(y0), int(math.Ceil(x1)), int(math.Ceil(y1)))
	return document.Box{X: r.Min.X, Y: r.Min.Y, W: max(r.Dx(), 1), H: max(r.Dy(), 1)}
}
