package layout

import (
	"math"
	"slices"

	"uncial/impl/ocr/imaging"
)

// path is the middle of a line's small letters, in pixels of the working size: a height for each of its columns, from left to
// right.
type path struct {
	xs []int
	ys []float32
}

func (p path) start() int { return p.xs[0] }

func (p path) end() int { return p.xs[len(p.xs)-1] }

func (p path) width() int { return p.end() - p.start() }

// middle returns the column half way between the ends.
func (p path) middle() int { return (p.start() + p.end()) / 2 }

// slice returns the part of the path between two indices.
func (p path) slice(i, j int) path { return path{p.xs[i:j], p.ys[i:j]} }

// at returns the height at a column, between the path's columns and beyond its ends too.
func (p path) at(x float64) float64 {
	i, _ := slices.BinarySearch(p.xs, int(math.Floor(x)))
	switch {
	case i == 0 && x <= float64(p.xs[0]):
		return float64(p.ys[0])
	case i >= len(p.xs):
		return float64(p.ys[len(p.ys)-1])
	case p.xs[i] > int(math.Floor(x)):
		i--
	}
	if i+1 >= len(p.xs) {
		return float64(p.ys[i])
	}
	f := (x - float64(p.xs[i])) / float64(p.xs[i+1]-p.xs[i])
	return float64(p.ys[i]) + f*float64(p.ys[i+1]-p.ys[i])
}

// mean returns the mean height.
func (p path) mean() float64 {
	var sum float64
	for _, y := range p.ys {
		sum += float64(y)
	}
	return sum / float64(len(p.ys))
}

// ridges returns the pieces of lines: where the ink, blurred along the lines, is darker than above and below.
func ridges(ink imaging.Plane, pitch float64) []path {
	across := ink.Blur(blurAcross*pitch, 0)
	soft := across.Blur(0, blurDown*pitch)
	curved := curvature(across.Blur(0, ridgeDown*pitch))
	limit := ridgeLevel * strongest(curved, soft)
	var out []path
	for _, c := range imaging.Components(curved.H, imaging.Edges, above(curved, limit)) {
		if float64(c.Box.Dx()) >= leastPiece*pitch {
			out = append(out, crest(curved, c))
		}
	}
	return out
}

// curvature returns minus the second derivative down the plane.
func curvature(p imaging.Plane) imaging.Plane {
	out := imaging.NewPlane(p.W, p.H)
	for y := 1; y+1 < p.H; y++ {
		a, b, c, to := p.Row(y-1), p.Row(y), p.Row(y+1), out.Row(y)
		for x := range to {
			to[x] = 2*b[x] - a[x] - c[x]
		}
	}
	return out
}

// strongest returns the curvature of the strongest ridges, over the positions with ink.
func strongest(curved, soft imaging.Plane) float32 {
	var values []float32
	for i := 0; i < len(curved.Values); i += ridgeSample {
		if soft.Values[i] > ridgeInk {
			values = append(values, curved.Values[i])
		}
	}
	if len(values) == 0 {
		return math.MaxFloat32
	}
	slices.Sort(values)
	return values[len(values)*strongRidge/100]
}

// crest returns the path through a connected ridge, each column's heights weighted by their curvature.
func crest(curved imaging.Plane, ridge imaging.Component) path {
	x0, n := ridge.Box.Min.X, ridge.Box.Dx()
	weight, height := make([]float64, n), make([]float64, n)
	for _, r := range ridge.Runs {
		for i, v := range curved.Row(r.Y)[r.Start:r.End] {
			weight[r.Start-x0+i] += float64(v)
			height[r.Start-x0+i] += float64(v) * float64(r.Y)
		}
	}
	p := path{xs: make([]int, n), ys: make([]float32, n)}
	for i := range weight {
		p.xs[i] = x0 + i
		p.ys[i] = float32(height[i] / weight[i])
	}
	return p
}
