package layout

import (
	"image"
	"math"

	"uncial/impl/ocr/imaging"
)

// Band is a line whose place is known, such as one of a transcription: its baseline from left to right, and how far the letters reach
// above and below it, in pixels of the page.
type Band struct {
	Baseline []Vertex
	X0, X1   float64 // where the line begins and ends
	Up, Down float64
}

// Vertex is a point of a baseline.
type Vertex struct{ X, Y float64 }

// CutBand cuts a line out of its page, straight, and Height pixels high: as Line.Strip does, but without padding at the ends, and with the
// ink of neighbouring lines. It reports false, and the image is of no use, if the band is too narrow to be read, or not on the page.
func CutBand(g *image.Gray, b Band) (*image.Gray, bool) {
	height := b.Up + b.Down
	w := int(math.Round((b.X1 - b.X0) * Height / height))
	if !(height >= 1) || w < narrowest || w > widest || len(b.Baseline) == 0 {
		return nil, false
	}
	lowest, highest := math.Inf(-1), math.Inf(1)
	for _, p := range b.Baseline {
		lowest, highest = max(lowest, p.Y+b.Down), min(highest, p.Y-b.Up)
	}
	around := image.Rect(int(b.X0)-2, int(highest)-2, int(b.X1)+3, int(lowest)+3).Intersect(g.Rect)
	if around.Empty() {
		return nil, false
	}
	out := image.NewGray(image.Rect(0, 0, w, Height))
	src := newSource(imaging.FromImage(g.SubImage(around)), height)
	ok := src.fill(out, func(x, y float64) (float64, float64) {
		px := b.X0 + x*height/Height
		return px - float64(around.Min.X) - 0.5, b.at(px) - b.Up + y*height/Height - float64(around.Min.Y) - 0.5
	})
	return out, ok
}

// at returns the height of the baseline at a column; beyond its ends it goes on level.
func (b Band) at(x float64) float64 {
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
