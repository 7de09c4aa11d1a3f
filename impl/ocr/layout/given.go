package layout

import (
	"image"
	"slices"
)

// Band is a line whose position is known, for example from a transcription: its baseline from left to right, and how far its
// letters reach above (Up) and below (Down) the baseline, in pixels of the page.
type Band struct {
	Baseline []Vertex
	X0, X1   float64 // where the line begins and ends
	Up, Down float64
}

// Vertex is a point of a baseline.
type Vertex struct{ X, Y float64 }

// Given returns lines whose positions are known, one for each band. Line.Strip cuts them out in the same way as lines that were
// found, so that a model is trained on the kind of strips that it will read. For a band without points or height, or outside
// the page, Strip reports false.
func Given(g *image.Gray, bands []Band) []Line {
	paths := make([]path, len(bands))
	for i, b := range bands {
		paths[i] = b.path(g.Rect)
	}
	height := medianHeight(paths)
	lines := make([]Line, len(paths))
	for i, p := range paths {
		lines[i] = Line{p, &part{scale: 1, source: source{g: &image.Gray{}, factor: 1}}} // off the page
		if around := p.around(height).Intersect(g.Rect); !around.Empty() {
			for k := range p.xs { // paths are relative to the corner of their part
				p.xs[k] -= around.Min.X
				p.ys[k] -= float32(around.Min.Y)
			}
			lines[i] = Line{p, &part{scale: 1, source: newSource(g.SubImage(around).(*image.Gray), height, around.Min)}}
		}
	}
	return lines
}

// around returns an area of the page that includes the strip of a line. height is the usual height of lines.
func (p path) around(height float64) image.Rectangle {
	if len(p.xs) == 0 {
		return image.Rectangle{}
	}
	margin := int(max(height, p.band.height())) + 1
	out := image.Rect(p.start(), int(slices.Min(p.ys)), p.end()+1, int(slices.Max(p.ys))+1)
	return out.Inset(-margin)
}

// path returns the part of the band's baseline that is on the page, with a y for each column.
func (b Band) path(page image.Rectangle) path {
	if !(b.Up+b.Down >= 1) || len(b.Baseline) == 0 { // NaN included
		return path{}
	}
	out := path{band: band{b.Up, b.Down}}
	for x := max(b.X0, float64(page.Min.X)); x <= min(b.X1, float64(page.Max.X)); x++ {
		out.xs, out.ys = append(out.xs, int(x)), append(out.ys, float32(b.At(x)))
	}
	return out
}

// At returns the y of the baseline at x. Beyond its ends the line continues horizontally.
func (b Band) At(x float64) float64 {
	for i := 1; i < len(b.Baseline); i++ {
		left, right := b.Baseline[i-1], b.Baseline[i]
		if x <= right.X {
			if x <= left.X || right.X == left.X {
				return left.Y
			}
			return left.Y + (right.Y-left.Y)*(x-left.X)/(right.X-left.X)
		}
	}
	return b.Baseline[len(b.Baseline)-1].Y
}
