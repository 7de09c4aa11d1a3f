package imaging

import (
	"image"
	"math"
)

// Resize scales the page to w x h pixels. When it shrinks, each pixel is a weighted mean of those it covers; when it enlarges,
// it interpolates linearly.
func Resize(g *image.Gray, w, h int) *image.Gray {
	w, h = max(w, 1), max(h, 1)
	xs, ys := weights(g.Rect.Dx(), w), weights(g.Rect.Dy(), h)
	ringRows := 0
	for _, k := range ys {
		ringRows = max(ringRows, len(k.factors))
	}
	wide := make([][]float32, ringRows) // a ring buffer of the rows that the tallest kernel needs, resized to the new width
	for i := range wide {
		wide[i] = make([]float32, w)
	}
	out := image.NewGray(image.Rect(0, 0, w, h))
	sums := make([]float32, w)
	next := 0 // the first row that is not in the ring buffer yet
	for y, k := range ys {
		for next = max(next, k.first); next < k.first+len(k.factors); next++ {
			resizeRow(row(g, next), xs, wide[next%ringRows])
		}
		clear(sums)
		for i, f := range k.factors {
			for x, v := range wide[(k.first+i)%ringRows][:len(sums)] {
				sums[x] += f * v
			}
		}
		to := row(out, y)
		for x, v := range sums {
			to[x] = uint8(min(max(v+0.5, 0), 255))
		}
	}
	return out
}

// resizeRow applies one kernel for each pixel of the result. to has as many elements as xs.
func resizeRow(from []uint8, xs []kernel, to []float32) {
	for x, k := range xs {
		var sum float32
		pixels := from[k.first:][:len(k.factors)]
		for i, f := range k.factors {
			sum += f * float32(pixels[i])
		}
		to[x] = sum
	}
}

// kernel holds the factors of neighbouring pixels, from index first on; they add up to 1.
type kernel struct {
	first   int
	factors []float32
}

// weights returns the kernels that make n pixels from m: triangles that reach one pixel of the coarser grid to either side.
func weights(m, n int) []kernel {
	scale := float64(m) / float64(n)
	support := max(scale, 1)
	kernels := make([]kernel, n)
	for i := range kernels {
		centre := (float64(i)+0.5)*scale - 0.5
		first, last := max(int(math.Ceil(centre-support)), 0), min(int(math.Floor(centre+support)), m-1)
		k := kernel{first: first}
		var sum float64
		for j := first; j <= last; j++ {
			f := max(1-math.Abs(float64(j)-centre)/support, 0)
			k.factors = append(k.factors, float32(f))
			sum += f
		}
		for j := range k.factors {
			k.factors[j] /= float32(sum)
		}
		kernels[i] = k
	}
	return kernels
}

// ShiftColumns moves the pixels of each column: the pixel at x, y of the result is the one at x, y + down[x], interpolated
// between two pixels. shifts writes the shifts of row y to down. Pixels from above or below the page are white.
func ShiftColumns(g *image.Gray, shifts func(y int, down []float32)) *image.Gray {
	w, h := g.Rect.Dx(), g.Rect.Dy()
	out := image.NewGray(image.Rect(0, 0, w, h))
	down := make([]float32, w)
	for y := range h {
		shifts(y, down)
		to := row(out, y)
		for x, d := range down {
			at := float32(y) + d
			if at < 0 || at > float32(h-1) {
				to[x] = 255
				continue
			}
			upper := int(at)
			lower := min(upper+1, h-1)
			share := at - float32(upper)
			to[x] = uint8(float32(g.Pix[upper*g.Stride+x])*(1-share) + float32(g.Pix[lower*g.Stride+x])*share + 0.5)
		}
	}
	return out
}
