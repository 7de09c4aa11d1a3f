package layout

import (
	"image"
	"math"

	"uncial/impl/ocr/imaging"
)

// frame relates the working coordinates, in which lines are level, to the page.
type frame struct {
	scale    float64 // pixels of the page for one of the working size
	sin, cos float64 // of the angle by which the lines fall to the right; cos is 0 if the page was not levelled
	dx, dy   float64 // the middle of the levelled plane, on the plane before levelling
	cx, cy   float64 // the middle of the levelled plane
}

// toPage converts a point in working coordinates to one on the page, whose pixels have their middles at whole numbers.
func (f frame) toPage(x, y float64) (float64, float64) {
	if f.cos != 0 {
		x, y = f.tilt(x, y)
	}
	return (x+0.5)*f.scale - 0.5, (y+0.5)*f.scale - 0.5
}

// fromPage converts a point on the page to one in working coordinates.
func (f frame) fromPage(x, y float64) (float64, float64) {
	x, y = (x+0.5)/f.scale-0.5, (y+0.5)/f.scale-0.5
	if f.cos != 0 {
		x, y = x-f.dx, y-f.dy
		x, y = x*f.cos+y*f.sin+f.cx, y*f.cos-x*f.sin+f.cy
	}
	return x, y
}

// tilt converts a point on the levelled plane to one on the plane before levelling.
func (f frame) tilt(x, y float64) (float64, float64) {
	x, y = x-f.cx, y-f.cy
	return x*f.cos - y*f.sin + f.dx, x*f.sin + y*f.cos + f.dy
}

// level rotates a plane so that lines that fall by the angle become level, on a plane that holds all of it.
func level(p imaging.Plane, angle float64, f frame) (imaging.Plane, frame) {
	f.sin, f.cos = math.Sincos(angle * math.Pi / 180)
	out := imaging.NewPlane(levelSize(p, angle))
	f.cx, f.cy, f.dx, f.dy = float64(out.W-1)/2, float64(out.H-1)/2, float64(p.W-1)/2, float64(p.H-1)/2
	for y := range out.H {
		to := out.Row(y)
		for x := range to {
			to[x], _ = p.Sample(f.tilt(float64(x), float64(y)))
		}
	}
	return out, f
}

// levelSize returns the size of the plane that holds all of p when it is rotated by an angle.
func levelSize(p imaging.Plane, angle float64) (w, h int) {
	sin, cos := math.Sincos(math.Abs(angle) * math.Pi / 180)
	return int(float64(p.W)*cos + float64(p.H)*sin), int(float64(p.H)*cos + float64(p.W)*sin)
}

// skew returns the angle in degrees by which the lines fall to the right, or 0 if no angle stands out. Unlike imaging.Skew
// it looks for large angles in coarse steps, because small ones do not disturb ridges.
func skew(ink imaging.Plane) float64 {
	small := ink.Reduce(quarter)
	size := image.Pt(small.W, small.H)
	var points []image.Point
	for y := range small.H {
		for x, v := range small.Row(y) {
			if v > skewInk {
				points = append(points, image.Pt(x, y))
			}
		}
	}
	best, at := distinctSkew*imaging.Sharpness(points, size, 0, skewLag), 0.0
	for a := -mostSkew; a <= mostSkew; a += skewStep {
		if w, h := levelSize(ink, a); w*h > mostSpread*len(ink.Values) {
			continue
		}
		if s := imaging.Sharpness(points, size, a, skewLag); s > best {
			best, at = s, a
		}
	}
	return at
}
