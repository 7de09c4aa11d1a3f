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

// CutBand cuts a line out of its page, as it is cut for reading: straight, and Height pixels high. It reports false if the band is too narrow
// to be read, or not on the page.
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
	src := shrunk(g.SubImage(around).(*image.Gray), height/Height)
	out := image.NewGray(image.Rect(0, 0, w, Height))
	var outside []int
	for x := range w {
		px := b.X0 + (float64(x)+0.5)*height/Height
		top := b.at(px) - b.Up
		for y := range Height {
			py := top + (float64(y)+0.5)*height/Height
			v, ok := src.sample((px-float64(around.Min.X))/src.factor-0.5, (py-float64(around.Min.Y))/src.factor-0.5)
			if !ok {
				outside = append(outside, y*out.Stride+x)
			}
			out.Pix[y*out.Stride+x] = v
		}
	}
	if len(outside) == len(out.Pix) {
		return nil, false
	}
	if len(outside) > 0 {
		paper := greyQuantile(out, outsidePaper, len(outside))
		for _, i := range outside {
			out.Pix[i] = paper
		}
	}
	return out, true
}

// shrunk returns a copy of g in which a pixel is about one of a strip's, given the pixels of the page for one of the strip.
func shrunk(g *image.Gray, factor float64) source {
	copied := imaging.FromImage(g)
	if factor <= coarse {
		return source{copied, 1}
	}
	w, h := int(math.Round(float64(g.Rect.Dx())/factor)), int(math.Round(float64(g.Rect.Dy())/factor))
	p := imaging.ToPlane(copied, max(w, 1), max(h, 1))
	small := image.NewGray(image.Rect(0, 0, p.W, p.H))
	for i, v := range p.Values {
		small.Pix[i] = uint8(min(v+0.5, 255))
	}
	return source{small, factor}
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
