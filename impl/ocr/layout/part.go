package layout

import (
	"math"
	"slices"

	"uncial/impl/ocr/imaging"
	"uncial/internal/document"
)

// Without returns the parts of the line outside the boxes, which are boxes of words in pixels of the page. Parts shorter than a
// word are dropped.
func (l Line) Without(boxes []document.Box) []Line {
	covered := make([]bool, len(l.path.xs))
	for _, b := range boxes {
		l.cover(b, covered)
	}
	if !slices.Contains(covered, true) {
		return []Line{l}
	}
	var out []Line
	for i, j := range imaging.Runs(len(covered), int(math.Ceil(minPart*l.path.band.height())), func(i int) bool { return !covered[i] }) {
		out = append(out, Line{l.path.slice(i, j), l.part})
	}
	return out
}

// cover marks the columns of the path that a word covers, if the word belongs to this line.
func (l Line) cover(b document.Box, covered []bool) {
	x0, x1, ok := l.columnsOf(b)
	if !ok {
		return
	}
	first, _ := slices.BinarySearch(l.path.xs, int(x0))
	last, _ := slices.BinarySearch(l.path.xs, int(x1)+1)
	for i := first; i < last; i++ {
		covered[i] = true
	}
}

// Share returns the share of words that is on the line, 0..1, by their widths. Their boxes are in pixels of the page.
func (l Line) Share(words []document.Word) float64 {
	var on, all float64
	for _, w := range words {
		all += float64(w.Box.W)
		if x0, x1, ok := l.columnsOf(w.Box); ok {
			on += max(min(x1, float64(l.path.end()))-max(x0, float64(l.path.start())), 0) / max(x1-x0, 1) * float64(w.Box.W)
		}
	}
	return on / max(all, 1)
}

// columnsOf returns where a word begins and ends in columns of the path, and reports whether it is as high on the page as the
// line is there.
func (l Line) columnsOf(b document.Box) (x0, x1 float64, ok bool) {
	if len(l.path.xs) == 0 {
		return 0, 0, false
	}
	x0, y := l.part.fromPage(float64(b.X), float64(b.Y)+float64(b.H)/2)
	x1, _ = l.part.fromPage(float64(b.X+b.W), float64(b.Y)+float64(b.H)/2)
	reach := max(l.path.band.height()/2, float64(b.H)/l.part.scale/2)
	middle := l.path.at((x0+x1)/2) - (l.path.band.up-l.path.band.down)/2
	return x0, x1, math.Abs(middle-y) <= coverReach*reach
}

// Box returns the bounding box of the line's band, in pixels of the page.
func (l Line) Box() document.Box {
	var e extremes
	last := len(l.path.xs) - 1
	for k := range boxPoints + 1 {
		i := k * last / boxPoints
		for _, d := range [2]float64{-l.path.band.up, l.path.band.down} {
			e.add(l.part.toPage(float64(l.path.xs[i]), float64(l.path.ys[i])+d))
		}
	}
	return e.box(math.Trunc, math.Ceil)
}

// Polygon returns the outline of the line's band, in pixels of the page: along its upper edge to the right, and back along its
// lower edge.
func (l Line) Polygon() []document.Point {
	last := len(l.path.xs) - 1
	n := max(last/polygonPitch, 1)
	edge := make([]document.Point, 2*(n+1))
	for k := range n + 1 {
		i := k * last / n
		edge[k] = l.edgePoint(i, -l.path.band.up)
		edge[2*n+1-k] = l.edgePoint(i, l.path.band.down)
	}
	return edge
}

// edgePoint returns the point of the page that lies d pixels below point i of the path.
func (l Line) edgePoint(i int, d float64) document.Point {
	x, y := l.part.toPage(float64(l.path.xs[i]), float64(l.path.ys[i])+d)
	return document.Point{X: int(math.Round(x)), Y: int(math.Round(y))}
}

// extremes is the bounding box of points.
type extremes struct {
	x0, y0, x1, y1 float64
	any            bool
}

// add extends the extremes to include a point, in pixels.
func (e *extremes) add(x, y float64) {
	if !e.any {
		*e = extremes{x, y, x, y, true}
	}
	e.x0, e.y0, e.x1, e.y1 = min(e.x0, x), min(e.y0, y), max(e.x1, x), max(e.y1, y)
}

// box returns the extremes as a box of at least one pixel. low rounds the upper left corner, high the lower right one.
func (e *extremes) box(low, high func(float64) float64) document.Box {
	x, y := int(low(e.x0)), int(low(e.y0))
	return document.Box{X: x, Y: y, W: max(int(high(e.x1))-x, 1), H: max(int(high(e.y1))-y, 1)}
}
