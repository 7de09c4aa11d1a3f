package ocrtest

import (
	"image"
	"math"
	"math/rand/v2"
)

// BlankPage returns a blank page of w x h pixels, in light grey because scanned paper is not quite white.
func BlankPage(w, h int) *image.Gray {
	g := image.NewGray(image.Rect(0, 0, w, h))
	for i := range g.Pix {
		g.Pix[i] = 235
	}
	return g
}

// Scribble draws a line that looks like joined handwriting but has no letters: waves between the baseline and the x-height
// (small, in pixels), ascenders, descenders, and gaps between words. The line goes from x0 to x1; base returns the y of the
// baseline at each x. The same seed draws the same line. Use Scribble where only the layout matters, and Write for text.
func Scribble(g *image.Gray, x0, x1, small int, base func(x float64) float64, seed uint64) {
	random := rand.New(rand.NewPCG(seed, 1)) // #nosec G404 -- a drawing, not a secret
	size := float64(small)
	// One turn of the outer loop is a word, three to seven x-heights wide; one of the inner loop is a letter.
	for x := float64(x0); x < float64(x1)-size; x += 0.9 * size {
		end := min(x+size*(3+4*random.Float64()), float64(x1))
		for x < end {
			width := size * (0.6 + 0.5*random.Float64())
			top, bottom := -size, 0.0
			switch random.IntN(7) {
			case 0:
				top = -2.1 * size
			case 1:
				bottom = 0.9 * size
			}
			stroke(g, x, width, top, bottom, base, size/7)
			x += width * (1 + 0.4*random.Float64())
		}
	}
}

// stroke draws one wave: up from the baseline to top, and down again, below the baseline if bottom is positive.
func stroke(g *image.Gray, x, width, top, bottom float64, base func(float64) float64, pen float64) {
	// Enough points that the discs of the pen overlap.
	steps := int(4 * (width - top + bottom))
	for i := range steps {
		t := float64(i) / float64(steps)
		px := x + width*t
		y := top * math.Sin(math.Pi*t)
		if t > 0.5 && bottom > 0 {
			y = top + (bottom-top)*(2*t-1)
			if t > 0.75 {
				y = bottom * (1 - t) * 4
			}
		}
		dot(g, px, base(px)+y, pen)
	}
}

// dot draws a disc of radius r, in pixels, in dark ink. Parts outside the page are ignored.
func dot(g *image.Gray, x, y, r float64) {
	for py := int(y - r); py <= int(y+r); py++ {
		for px := int(x - r); px <= int(x+r); px++ {
			if dx, dy := float64(px)-x, float64(py)-y; dx*dx+dy*dy <= r*r && image.Pt(px, py).In(g.Rect) {
				g.Pix[py*g.Stride+px] = 50
			}
		}
	}
}

// Rule draws a straight line, two pixels wide, in any direction: a rule of a form, a stroke through a word.
func Rule(g *image.Gray, x0, y0, x1, y1 int) {
	n := max(max(x1-x0, x0-x1), max(y1-y0, y0-y1), 1)
	for i := range n + 1 {
		x, y := float64(x0)+float64((x1-x0)*i)/float64(n), float64(y0)+float64((y1-y0)*i)/float64(n)
		dot(g, x+0.5, y+0.5, 1)
	}
}
