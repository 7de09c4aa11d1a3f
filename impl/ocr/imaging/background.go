package imaging

import (
	"image"
	"slices"
)

// Flatten divides the page by its background. The paper becomes evenly white, and ink keeps its contrast to the paper around
// it.
func Flatten(g *image.Gray) *image.Gray {
	w, h := g.Rect.Dx(), g.Rect.Dy()
	paper := paperCells(g)
	for i, v := range paper.Values {
		paper.Values[i] = max(v, darkestPaper)
	}
	// A grey closing (maximum, then minimum) removes whatever is darker than the paper around it.
	for _, f := range []func([]float32) float32{slices.Max[[]float32], slices.Min[[]float32], mean} {
		filter(paper.Values, paper.W, paper.H, paperReach, f)
	}
	out := image.NewGray(image.Rect(0, 0, w, h))
	interpolate, paperRow := paper.Interpolator(paperCell, w), make([]float32, w)
	for y := range h {
		interpolate((float32(y)+0.5)/paperCell-0.5, paperRow)
		from, to := row(g, y), row(out, y)
		for x, v := range from {
			to[x] = uint8(min(float32(v)*255/paperRow[x], 255))
		}
	}
	return out
}

// paperCells returns the grey of the paper in each cell of the page. It estimates each cell separately.
func paperCells(g *image.Gray) Plane {
	p := NewPlane((g.Rect.Dx()+paperCell-1)/paperCell, (g.Rect.Dy()+paperCell-1)/paperCell)
	for y := range p.H {
		for x := range p.W {
			cell := image.Rect(x*paperCell, y*paperCell, (x+1)*paperCell, (y+1)*paperCell)
			p.Values[y*p.W+x] = float32(PaperGrey(g, cell.Intersect(g.Rect), paperQuantile))
		}
	}
	return p
}

// mean returns NaN for no values.
func mean(values []float32) float32 {
	var sum float32
	for _, v := range values {
		sum += v
	}
	return sum / float32(len(values))
}
