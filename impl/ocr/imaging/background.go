package imaging

import "image"

const (
	// cell is the side of the squares, in pixels, in which the paper is sought. Small enough to follow shading,
	// large enough that some paper shows between the letters of 300 dpi scans.
	cell = 16
	// paperQuantile of a cell's pixels is taken for its paper: above the ink, below specks of glare.
	paperQuantile = 0.9
	// reach is how many cells around a cell are searched for brighter paper, so that large letters and woodcuts are
	// not taken for background.
	reach = 3
	// darkest is the least value that counts as paper. Dividing the black surroundings of a page by themselves would
	// make them white with noise.
	darkest = 48
)

// Flatten divides the page by its background, so that the paper becomes evenly white and ink keeps its contrast
// against the paper around it.
func Flatten(g *image.Gray) *image.Gray {
	bg := background(g)
	w, h := g.Rect.Dx(), g.Rect.Dy()
	out := image.NewGray(image.Rect(0, 0, w, h))
	line := make([]float32, w)
	for y := range h {
		bg.interpolate(y, line)
		from, to := row(g, y), row(out, y)
		for x, v := range from {
			to[x] = uint8(min(float32(v)*255/line[x], 255))
		}
	}
	return out
}

// grid is a value for each cell of a page.
type grid struct {
	w, h   int
	values []float32
}

func background(g *image.Gray) grid {
	b := rawBackground(g)
	for i, v := range b.values {
		b.values[i] = max(v, darkest)
	}
	b.brightest(reach)
	b.blur(reach)
	return b
}

// rawBackground is the paper of each cell on its own.
func rawBackground(g *image.Gray) grid {
	w, h := g.Rect.Dx(), g.Rect.Dy()
	b := grid{w: (w + cell - 1) / cell, h: (h + cell - 1) / cell}
	b.values = make([]float32, b.w*b.h)
	for cy := range b.h {
		for cx := range b.w {
			b.values[cy*b.w+cx] = float32(Paper(g, image.Rect(cx*cell, cy*cell, (cx+1)*cell, (cy+1)*cell).Intersect(g.Rect), paperQuantile))
		}
	}
	return b
}

// Paper is the grey of the paper in a part of a page whose bounds begin at (0, 0): what the share q of its pixels does not
// exceed.
func Paper(g *image.Gray, r image.Rectangle, q float64) uint8 {
	var h [256]int
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for _, v := range row(g, y)[r.Min.X:r.Max.X] {
			h[v]++
		}
	}
	above := int((1 - q) * float64(r.Dx()*r.Dy()))
	v := 255
	for n := h[v]; n <= above && v > 0; n += h[v] {
		v--
	}
	return uint8(v) // #nosec G115 -- 0..255
}

// brightest gives each cell the greatest value within r cells, then takes back the widening (a grey closing).
func (b *grid) brightest(r int) {
	b.each(r, func(window []float32) float32 {
		m := window[0]
		for _, v := range window {
			m = max(m, v)
		}
		return m
	})
	b.each(r, func(window []float32) float32 {
		m := window[0]
		for _, v := range window {
			m = min(m, v)
		}
		return m
	})
}

func (b *grid) blur(r int) {
	b.each(r, func(window []float32) float32 {
		var sum float32
		for _, v := range window {
			sum += v
		}
		return sum / float32(len(window))
	})
}

// each replaces every value by f of the values within r cells, along the rows and then along the columns.
func (b *grid) each(r int, f func([]float32) float32) {
	out := make([]float32, len(b.values))
	for y := range b.h {
		line := b.values[y*b.w : (y+1)*b.w]
		for x := range line {
			out[y*b.w+x] = f(line[max(x-r, 0):min(x+r+1, b.w)])
		}
	}
	column := make([]float32, b.h)
	for x := range b.w {
		for y := range b.h {
			column[y] = out[y*b.w+x]
		}
		for y := range b.h {
			b.values[y*b.w+x] = f(column[max(y-r, 0):min(y+r+1, b.h)])
		}
	}
}

// interpolate fills line with the values along the row y of the page, bilinearly between the middles of the cells.
func (b *grid) interpolate(y int, line []float32) {
	y0, y1, fy := between(y, b.h)
	upper, lower := b.values[y0*b.w:(y0+1)*b.w], b.values[y1*b.w:(y1+1)*b.w]
	for x := range line {
		x0, x1, fx := between(x, b.w)
		u := upper[x0] + (upper[x1]-upper[x0])*fx
		l := lower[x0] + (lower[x1]-lower[x0])*fx
		line[x] = u + (l-u)*fy
	}
}

// between are the two cells whose middles lie around a pixel, of n, and how far the pixel is from the first.
func between(pixel, n int) (int, int, float32) {
	at := (float32(pixel)+0.5)/cell - 0.5
	if at <= 0 {
		return 0, 0, 0
	}
	i := int(at)
	if i >= n-1 {
		return n - 1, n - 1, 0
	}
	return i, i + 1, at - float32(i)
}
