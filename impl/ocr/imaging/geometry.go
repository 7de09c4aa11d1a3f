package imaging

import (
	"image"
	"math"
)

// Resize scales the page to w x h pixels: by averaging what a pixel covers when it shrinks, linearly when it grows.
func Resize(g *image.Gray, w, h int) *image.Gray {
	w, h = max(w, 1), max(h, 1)
	xs, ys := weights(g.Rect.Dx(), w), weights(g.Rect.Dy(), h)
	most := 0
	for _, k := range ys {
		most = max(most, len(k.factors))
	}
	wide := make([][]float32, most) // the rows of the page that the last kernel needs, in their new width, by turns
	for i := range wide {
		wide[i] = make([]float32, w)
	}
	out := image.NewGray(image.Rect(0, 0, w, h))
	line := make([]float32, w)
	next := 0 // row of the page that is not widened yet
	for y, k := range ys {
		for next = max(next, k.first); next < k.first+len(k.factors); next++ {
			widen(row(g, next), xs, wide[next%most])
		}
		clear(line)
		for i, f := range k.factors {
			for x, v := range wide[(k.first+i)%most] {
				line[x] += f * v
			}
		}
		to := row(out, y)
		for x, v := range line {
			to[x] = uint8(min(max(v+0.5, 0), 255))
		}
	}
	return out
}

func widen(from []uint8, xs []kernel, to []float32) {
	for x, k := range xs {
		var sum float32
		for i, f := range k.factors {
			sum += f * float32(from[k.first+i])
		}
		to[x] = sum
	}
}

// kernel are the factors of neighbouring pixels, from the first on; they add up to 1.
type kernel struct {
	first   int
	factors []float32
}

// weights are the kernels of n pixels made of m: a triangle as wide as one pixel of the coarser grid on either side.
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

const (
	// maxSkew is the greatest skew that is sought, in degrees. Pages that lie worse were not scanned but thrown.
	maxSkew = 5.0
	// skewStep is how finely the skew is found, in degrees: half a pixel over the width of a short line.
	skewStep = 0.05
	// skewWidth is the width in pixels at which the skew is measured; smaller is faster and less exact. skewPixels bounds
	// pages that are far higher than wide.
	skewWidth, skewPixels = 800, 2_000_000
)

// Skew is the angle in degrees by which the lines of the page fall to the right (clockwise). It is the angle at which
// the rows of the page are most unlike each other: sums of ink along the lines vary most when the lines are level.
// Divide a shaded page by its background first.
func Skew(g *image.Gray) float64 {
	w, h := g.Rect.Dx(), g.Rect.Dy()
	if w > skewWidth {
		w, h = skewWidth, h*skewWidth/w
	}
	if w*h > skewPixels {
		scale := math.Sqrt(skewPixels / float64(w*h))
		w, h = int(float64(w)*scale), int(float64(h)*scale)
	}
	if w != g.Rect.Dx() {
		g = Resize(g, w, h)
	}
	points := inkPoints(Binarize(g, Otsu(g)))
	if len(points) == 0 {
		return 0
	}
	best, at := 0.0, 0.0
	try := func(angle float64) {
		if s := sharpness(points, g.Rect.Dx(), g.Rect.Dy(), angle); s > best {
			best, at = s, angle
		}
	}
	try(0)
	for a := -maxSkew; a <= maxSkew; a += 10 * skewStep {
		try(a)
	}
	coarse := at
	for i := -9; i <= 9; i++ {
		try(coarse + float64(i)*skewStep)
	}
	return at
}

func inkPoints(g *image.Gray) []image.Point {
	var points []image.Point
	for y := range g.Rect.Dy() {
		for x, v := range row(g, y) {
			if v == 0 {
				points = append(points, image.Pt(x, y))
			}
		}
	}
	return points
}

// sharpness is the sum of the squared differences of neighbouring rows' ink, when the page is sheared by an angle.
func sharpness(points []image.Point, w, h int, angle float64) float64 {
	slope := math.Tan(angle * math.Pi / 180)
	margin := int(math.Ceil(math.Abs(slope)*float64(w))) + 1
	rows := make([]int, h+2*margin)
	for _, p := range points {
		rows[margin+p.Y-int(math.Round(slope*float64(p.X)))]++
	}
	var sum float64
	for i := 1; i < len(rows); i++ {
		d := float64(rows[i] - rows[i-1])
		sum += d * d
	}
	return sum
}

// Rotate turns the page by an angle in degrees, clockwise, around its middle; what comes in from outside is white. The
// size stays, so that a box on the result lies close to its place on the page.
func Rotate(g *image.Gray, angle float64) *image.Gray {
	w, h := g.Rect.Dx(), g.Rect.Dy()
	out := image.NewGray(image.Rect(0, 0, w, h))
	sin, cos := math.Sincos(angle * math.Pi / 180)
	cx, cy := float64(w-1)/2, float64(h-1)/2
	for y := range h {
		to := row(out, y)
		dy := float64(y) - cy
		for x := range to {
			dx := float64(x) - cx
			to[x] = sample(g, cx+dx*cos+dy*sin, cy-dx*sin+dy*cos)
		}
	}
	return out
}

// sample is the value between four pixels, white outside the page.
func sample(g *image.Gray, x, y float64) uint8 {
	x0, y0 := int(math.Floor(x)), int(math.Floor(y))
	fx, fy := float32(x-float64(x0)), float32(y-float64(y0))
	if x0 < 0 || y0 < 0 || x0+1 >= g.Rect.Dx() || y0+1 >= g.Rect.Dy() {
		return 255
	}
	i := y0*g.Stride + x0
	a, b := float32(g.Pix[i]), float32(g.Pix[i+1])
	c, d := float32(g.Pix[i+g.Stride]), float32(g.Pix[i+g.Stride+1])
	u, l := a+(b-a)*fx, c+(d-c)*fx
	return uint8(u + (l-u)*fy + 0.5)
}
