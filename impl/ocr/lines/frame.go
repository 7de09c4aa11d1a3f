package lines

import (
	"image"
	"math"
)

const (
	// leastSkew is the skew in degrees from which on the page is levelled; ridges follow smaller ones.
	leastSkew = 2
	// mostSkew and skewStep bound and grade the search, in degrees.
	mostSkew, skewStep = 10.0, 0.5
	// distinct is how much sharper the rows of the levelled page must be for its skew to be believed.
	distinct = 1.1
	// mostSpread is how many times as large as the page the plane may be that holds all of it levelled: a long strip of paper
	// would need one many times as large, and lies level.
	mostSpread = 2
)

// frame relates the working coordinates, in which lines are level, to the page.
type frame struct {
	scale    float64 // pixels of the page to one of the working size
	sin, cos float64 // of the angle by which the lines fall to the right; cos is 0 where there is none
	dx, dy   float64 // where the levelled plane's middle is in the plane
	cx, cy   float64 // the levelled plane's middle
}

// toPage is the place on the page, in pixels whose centres have whole numbers, of a place in the working coordinates.
func (f frame) toPage(x, y float64) (float64, float64) {
	if f.cos != 0 {
		x, y = f.turn(x, y)
	}
	return (x+0.5)*f.scale - 0.5, (y+0.5)*f.scale - 0.5
}

// fromPage is the place in the working coordinates of a place on the page.
func (f frame) fromPage(x, y float64) (float64, float64) {
	x, y = (x+0.5)/f.scale-0.5, (y+0.5)/f.scale-0.5
	if f.cos != 0 {
		x, y = x-f.dx, y-f.dy
		x, y = x*f.cos+y*f.sin+f.cx, y*f.cos-x*f.sin+f.cy
	}
	return x, y
}

func (f frame) turn(x, y float64) (float64, float64) {
	x, y = x-f.cx, y-f.cy
	return x*f.cos - y*f.sin + f.dx, x*f.sin + y*f.cos + f.dy
}

// level is the plane turned so that lines that fall by the angle become level, on a plane that holds all of it.
func (p plane) level(angle float64, f frame) (plane, frame) {
	f.sin, f.cos = math.Sincos(angle * math.Pi / 180)
	out := newPlane(p.levelSize(angle))
	f.cx, f.cy, f.dx, f.dy = float64(out.w-1)/2, float64(out.h-1)/2, float64(p.w-1)/2, float64(p.h-1)/2
	for y := range out.h {
		to := out.row(y)
		for x := range to {
			px, py := f.turn(float64(x), float64(y))
			x0, y0 := int(math.Floor(px)), int(math.Floor(py))
			if x0 < 0 || y0 < 0 || x0+1 >= p.w || y0+1 >= p.h {
				continue
			}
			fx, fy := float32(px-float64(x0)), float32(py-float64(y0))
			a, b := p.v[y0*p.w+x0:y0*p.w+x0+2], p.v[(y0+1)*p.w+x0:(y0+1)*p.w+x0+2]
			top, bottom := a[0]+(a[1]-a[0])*fx, b[0]+(b[1]-b[0])*fx
			to[x] = top + (bottom-top)*fy
		}
	}
	return out, f
}

// levelSize is the size of the plane that holds all of this one turned by an angle.
func (p plane) levelSize(angle float64) (w, h int) {
	sin, cos := math.Sincos(math.Abs(angle) * math.Pi / 180)
	return int(float64(p.w)*cos + float64(p.h)*sin), int(float64(p.h)*cos + float64(p.w)*sin)
}

// skew is the angle in degrees by which the lines fall to the right: the one at which sums of ink along the rows differ
// most from row to row. It is 0 where no angle stands out.
func skew(ink plane) float64 {
	small := ink.reduce(quarter)
	var points []image.Point
	for y := range small.h {
		for x, v := range small.row(y) {
			if v > 0.15 {
				points = append(points, image.Pt(x, y))
			}
		}
	}
	level := sharpness(points, small.w, small.h, 0)
	best, at := distinct*level, 0.0
	for a := -mostSkew; a <= mostSkew; a += skewStep {
		if w, h := ink.levelSize(a); w*h > mostSpread*len(ink.v) {
			continue
		}
		if s := sharpness(points, small.w, small.h, a); s > best {
			best, at = s, a
		}
	}
	return at
}

func sharpness(points []image.Point, w, h int, angle float64) float64 {
	slope := math.Tan(angle * math.Pi / 180)
	margin := int(math.Ceil(math.Abs(slope)*float64(w))) + 1
	rows := make([]float64, h+2*margin)
	for _, p := range points {
		rows[margin+p.Y-int(math.Round(slope*float64(p.X)))]++
	}
	var sum float64
	for i := 2; i < len(rows); i++ {
		d := rows[i] - rows[i-2]
		sum += d * d
	}
	return sum
}
