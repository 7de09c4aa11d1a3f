package imaging

import (
	"image"
	"math"
	"slices"
)

// Plane is a raster of W*H real numbers, stored row by row: greys, amounts of ink, or the brightness of cells.
type Plane struct {
	W, H   int
	Values []float32
}

// NewPlane returns a plane of zeros.
func NewPlane(w, h int) Plane { return Plane{w, h, make([]float32, w*h)} }

// Row returns row y, which shares memory with the plane.
func (p Plane) Row(y int) []float32 { return p.Values[y*p.W : (y+1)*p.W] }

// At returns the value at a point. Outside the plane it returns the nearest value at the edge.
func (p Plane) At(x, y int) float32 {
	return p.Values[min(max(y, 0), p.H-1)*p.W+min(max(x, 0), p.W-1)]
}

// bilinear interpolates between a and b in the upper row and c and d in the lower one.
func bilinear(a, b, c, d, fx, fy float32) float32 {
	upper, lower := a+(b-a)*fx, c+(d-c)*fx
	return upper + (lower-upper)*fy
}

// Interpolator returns a function that interpolates the plane at height y, in rows of the plane, and enlarges the result n
// times into a row of w pixels.
func (p Plane) Interpolator(n, w int) func(y float32, to []float32) {
	type between struct {
		x0, x1 int
		fx     float32
	}
	columns := make([]between, w)
	for x := range columns {
		fx := min(max((float32(x)+0.5)/float32(n)-0.5, 0), float32(p.W-1))
		x0 := int(fx)
		columns[x] = between{x0, min(x0+1, p.W-1), fx - float32(x0)}
	}
	return func(y float32, to []float32) {
		y = min(max(y, 0), float32(p.H-1))
		y0 := int(y)
		a, b, fy := p.Row(y0), p.Row(min(y0+1, p.H-1)), y-float32(y0)
		for x, c := range columns {
			to[x] = bilinear(a[c.x0], a[c.x1], b[c.x0], b[c.x1], c.fx, fy)
		}
	}
}

// Reduce returns a plane of the means of squares of n x n values. It has at least one value.
func (p Plane) Reduce(n int) Plane {
	out := NewPlane(max(p.W/n, 1), max(p.H/n, 1))
	for y := range out.H {
		to := out.Row(y)
		for dy := range min(n, p.H) {
			from := p.Row(y*n + dy)
			for x := range to {
				for _, v := range from[x*n : min(x*n+n, p.W)] {
					to[x] += v
				}
			}
		}
		for x := range to {
			to[x] /= float32(min(n, p.H) * min(n, p.W))
		}
	}
	return out
}

// blurPasses is the number of box blurs that make one blur. Three come within a few percent of a Gaussian.
const blurPasses = 3

// boxRadius returns the radius of the box that approximates a Gaussian of that deviation when it is applied blurPasses times.
func boxRadius(sigma float64) int {
	return max(int(math.Round((math.Sqrt(12*sigma*sigma/blurPasses+1)-1)/2)), 0)
}

// Blur returns the plane blurred by approximately a Gaussian of standard deviation sigma, in pixels.
func (p Plane) Blur(sigma float64) Plane {
	out := Plane{p.W, p.H, slices.Clone(p.Values)}
	for y := range p.H {
		copy(out.Row(y), BlurRow(p.Row(y), sigma))
	}
	out.blurColumns(boxRadius(sigma))
	return out
}

// BlurRow returns a row of values blurred by approximately a Gaussian of standard deviation sigma. The values at both ends are
// repeated beyond them.
func BlurRow(values []float32, sigma float64) []float32 {
	r := boxRadius(sigma)
	in, out := slices.Clone(values), make([]float32, len(values))
	for range blurPasses {
		boxMean(in, out, r)
		in, out = out, in
	}
	return in
}

// boxMean writes the means over 2r+1 values to out. The values at both ends are repeated beyond them.
func boxMean(in, out []float32, r int) {
	n := len(in)
	scale := 1 / float32(2*r+1)
	sum := float32(r+1) * in[0]
	for i := 1; i <= r; i++ {
		sum += in[min(i, n-1)]
	}
	for i := range out {
		out[i] = sum * scale
		sum += in[min(i+r+1, n-1)] - in[max(i-r, 0)]
	}
}

// blurColumns blurs each column in place. It walks the plane row by row, which suits the processor's caches better.
func (p Plane) blurColumns(r int) {
	in := Plane{p.W, p.H, make([]float32, len(p.Values))}
	sum := make([]float32, p.W)
	scale := 1 / float32(2*r+1)
	for range blurPasses {
		copy(in.Values, p.Values)
		for x, v := range in.Row(0) {
			sum[x] = float32(r+1) * v
		}
		for i := 1; i <= r; i++ {
			for x, v := range in.Row(min(i, p.H-1)) {
				sum[x] += v
			}
		}
		for y := range p.H {
			enters, leaves, to := in.Row(min(y+r+1, p.H-1)), in.Row(max(y-r, 0)), p.Row(y)
			for x := range to {
				to[x] = sum[x] * scale
				sum[x] += enters[x] - leaves[x]
			}
		}
	}
}

// filter replaces every value with f of the values at most r away, first along the rows and then along the columns. For the
// minimum and the maximum, that is a rank filter over a square. Windows end at the edge.
func filter[T any](values []T, w, h, r int, f func(window []T) T) {
	column := make([]T, max(w, h))
	for y := range h {
		across := values[y*w : (y+1)*w]
		before := column[:copy(column, across)]
		for x := range across {
			across[x] = f(before[max(x-r, 0):min(x+r+1, w)])
		}
	}
	for x := range w {
		for y := range h {
			column[y] = values[y*w+x]
		}
		for y := range h {
			values[y*w+x] = f(column[max(y-r, 0):min(y+r+1, h)])
		}
	}
}

// Mask is a set of pixels or cells of a page. Set has W*H values, row by row: whether each pixel or cell is in the set.
type Mask struct {
	W, H int
	Set  []bool
}

// NewMask returns the set of the pixels whose values satisfy f.
func NewMask(p Plane, f func(v float32) bool) Mask {
	m := Mask{p.W, p.H, make([]bool, len(p.Values))}
	for i, v := range p.Values {
		m.Set[i] = f(v)
	}
	return m
}

// Erode returns the set without the pixels that have a pixel outside the set within r pixels, diagonals included. The edge of
// the page does not count as outside.
func (m Mask) Erode(r int) Mask {
	out := Mask{m.W, m.H, slices.Clone(m.Set)}
	filter(out.Set, m.W, m.H, r, func(window []bool) bool { return !slices.Contains(window, false) })
	return out
}

// dilate returns the set and all pixels that touch it, also at a corner.
func (m Mask) dilate() Mask {
	out := Mask{m.W, m.H, slices.Clone(m.Set)}
	filter(out.Set, m.W, m.H, 1, func(window []bool) bool { return slices.Contains(window, true) })
	return out
}

// components returns the connected components of the set if inside is true, or else of everything outside it. Cells that share
// an edge are connected.
func (m Mask) components(inside bool) []Component {
	return Components(m.H, Edges, func(y int) RunSeq {
		return Runs(m.W, 1, func(x int) bool { return m.Set[y*m.W+x] == inside })
	})
}

// add adds the pixels of a component to the set.
func (m Mask) add(c Component) {
	for _, r := range c.Runs {
		for x := r.Start; x < r.End; x++ {
			m.Set[r.Y*m.W+x] = true
		}
	}
}

// ToPlane averages the pixels of an image into a plane of w x h values.
func ToPlane(g *image.Gray, w, h int) Plane {
	out := NewPlane(w, h)
	gw, gh := g.Rect.Dx(), g.Rect.Dy()
	edges := make([]int, w+1)
	for x := range edges {
		edges[x] = x * gw / w
	}
	sums := make([]uint32, w)
	for y := range h {
		top, bottom := y*gh/h, max((y+1)*gh/h, y*gh/h+1)
		clear(sums)
		for sy := top; sy < bottom; sy++ {
			from := row(g, sy)
			for x := range sums {
				s := uint32(0)
				for _, v := range from[edges[x]:max(edges[x+1], edges[x]+1)] {
					s += uint32(v)
				}
				sums[x] += s
			}
		}
		to := out.Row(y)
		for x, s := range sums {
			to[x] = float32(s) / float32((bottom-top)*max(edges[x+1]-edges[x], 1))
		}
	}
	return out
}
