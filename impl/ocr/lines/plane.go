package lines

import (
	"image"
	"math"
)

// plane is a picture of real numbers, row by row.
type plane struct {
	w, h int
	v    []float32
}

func newPlane(w, h int) plane { return plane{w, h, make([]float32, w*h)} }

func (p plane) row(y int) []float32 { return p.v[y*p.w : (y+1)*p.w] }

// at is the value nearest to a point; outside the plane it is that of the edge.
func (p plane) at(x, y int) float32 {
	return p.v[min(max(y, 0), p.h-1)*p.w+min(max(x, 0), p.w-1)]
}

// passes of a box make a bell; three are within some percent of one.
const passes = 3

// boxRadius is the radius of the box that, passed three times, blurs like a Gaussian of that deviation.
func boxRadius(sigma float64) int {
	return max(int(math.Round((math.Sqrt(12*sigma*sigma/passes+1)-1)/2)), 0)
}

// blur is the plane blurred by about a Gaussian of those deviations, in pixels, across and down.
func (p plane) blur(across, down float64) plane {
	out := newPlane(p.w, p.h)
	copy(out.v, p.v)
	out.blurRows(boxRadius(across))
	out.blurColumns(boxRadius(down))
	return out
}

func (p plane) blurRows(r int) {
	if r == 0 {
		return
	}
	line := make([]float32, p.w)
	for y := range p.h {
		for range passes {
			copy(line, p.row(y))
			boxMean(line, p.row(y), r)
		}
	}
}

// boxMean writes the means over 2r+1 values to out; beyond the ends the last value goes on.
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

// blurColumns goes through the plane row by row, which the processor's caches like better than columns.
func (p plane) blurColumns(r int) {
	if r == 0 {
		return
	}
	in := make([]float32, len(p.v))
	sum := make([]float32, p.w)
	scale := 1 / float32(2*r+1)
	for range passes {
		copy(in, p.v)
		src := plane{p.w, p.h, in}
		for x, v := range src.row(0) {
			sum[x] = float32(r+1) * v
		}
		for i := 1; i <= r; i++ {
			for x, v := range src.row(min(i, p.h-1)) {
				sum[x] += v
			}
		}
		for y := range p.h {
			comes, goes, to := src.row(min(y+r+1, p.h-1)), src.row(max(y-r, 0)), p.row(y)
			for x := range to {
				to[x] = sum[x] * scale
				sum[x] += comes[x] - goes[x]
			}
		}
	}
}

// shrink averages the pixels of the page, or of a part of it, to a plane of w x h.
func shrink(g *image.Gray, w, h int) plane {
	out := newPlane(w, h)
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
			from := g.Pix[sy*g.Stride : sy*g.Stride+gw]
			for x := range sums {
				s := uint32(0)
				for _, v := range from[edges[x]:max(edges[x+1], edges[x]+1)] {
					s += uint32(v)
				}
				sums[x] += s
			}
		}
		to := out.row(y)
		for x, s := range sums {
			to[x] = float32(s) / float32((bottom-top)*max(edges[x+1]-edges[x], 1))
		}
	}
	return out
}
