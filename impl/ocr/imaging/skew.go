package imaging

import (
	"image"
	"math"
)

// Skew returns the angle in degrees by which the lines of the page slope down to the right (clockwise), up to half a degree
// more than skewRange in either direction. Slant finds larger angles. Flatten a shaded page first.
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
	return sharpest(g)
}

// sharpest returns the angle at which the amount of ink differs most from row to row, up to half a degree more than skewRange
// in either direction.
func sharpest(g *image.Gray) float64 {
	points := inkPoints(g, InkThreshold(g))
	if len(points) == 0 {
		return 0
	}
	best, at := 0.0, 0.0
	try := func(angle float64) {
		if s := sharpness(points, g.Rect.Size(), angle); s > best {
			best, at = s, angle
		}
	}
	try(0)
	for a := -skewRange; a <= skewRange; a += coarseSteps * skewStep {
		try(a)
	}
	coarse := at
	for i := 1 - coarseSteps; i < coarseSteps; i++ {
		try(coarse + float64(i)*skewStep)
	}
	return at
}

// inkPoints returns the pixels that are as dark as threshold, or darker, row by row.
func inkPoints(g *image.Gray, threshold uint8) []image.Point {
	var points []image.Point
	for y := range g.Rect.Dy() {
		for x, v := range row(g, y) {
			if v <= threshold {
				points = append(points, image.Pt(x, y))
			}
		}
	}
	return points
}

// sharpness measures how level the lines of a page of this size would be if it were sheared by an angle in degrees. points are
// the pixels with ink. It returns the sum of the squared differences in ink between successive rows, which is greatest when the
// lines are level.
func sharpness(points []image.Point, size image.Point, angle float64) float64 {
	slope := math.Tan(angle * math.Pi / 180)
	margin := int(math.Ceil(math.Abs(slope)*float64(size.X))) + 1
	rows := make([]int, size.Y+2*margin)
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

// Rotate rotates the page by an angle in degrees, clockwise, around its middle, and interpolates between four pixels. The
// result has the size of the page, so that boxes stay close to where they were; pixels from outside the page are white.
func Rotate(g *image.Gray, angle float64) *image.Gray { return RotatePart(g, angle, g.Rect, 255) }

// RotatePart is Rotate for a part of the rotated page, which may reach beyond the page. Pixels from outside the page get the
// grey outside.
func RotatePart(g *image.Gray, angle float64, part image.Rectangle, outside uint8) *image.Gray {
	w, h := g.Rect.Dx(), g.Rect.Dy()
	out := image.NewGray(image.Rectangle{Max: part.Size()})
	sin, cos := math.Sincos(angle * math.Pi / 180)
	cx, cy := float64(w-1)/2, float64(h-1)/2
	for y := range out.Rect.Dy() {
		to := row(out, y)
		dy := float64(part.Min.Y+y) - cy
		right, down := dy*sin, dy*cos
		for i := range to {
			dx := float64(part.Min.X+i) - cx
			fx, fy := cx+dx*cos+right, cy-dx*sin+down
			x, y := int(fx), int(fy)
			if fx < 0 || fy < 0 || x+1 >= w || y+1 >= h {
				to[i] = outside
				continue
			}
			upper, lower := g.Pix[y*g.Stride+x:][:2], g.Pix[(y+1)*g.Stride+x:][:2]
			to[i] = uint8(bilinear(float32(upper[0]), float32(upper[1]), float32(lower[0]), float32(lower[1]), float32(fx-float64(x)), float32(fy-float64(y))) + 0.5)
		}
	}
	return out
}

// RotatedExtent returns the box of all ink, also faint ink, in pixels of the page after it was rotated by an angle in degrees,
// clockwise, around its middle. Flatten a shaded page first.
func RotatedExtent(g *image.Gray, angle float64) image.Rectangle {
	var all image.Rectangle
	for y := range g.Rect.Dy() {
		from, to := -1, -1 // the first and the last pixel with ink of the row
		for x, v := range row(g, y) {
			if v <= faintInk {
				if from < 0 {
					from = x
				}
				to = x
			}
		}
		if from < 0 {
			continue
		}
		for _, end := range [2]int{from, to} {
			x, y := RotatePoint(float64(end), float64(y), g.Rect.Size(), angle)
			at := image.Pt(int(math.Round(x)), int(math.Round(y)))
			all = all.Union(image.Rectangle{Min: at, Max: at.Add(image.Pt(1, 1))})
		}
	}
	return all
}

// RotatePoint rotates a point by an angle in degrees, clockwise, around the middle of an image of that size, as Rotate does.
func RotatePoint(x, y float64, size image.Point, angle float64) (float64, float64) {
	if angle == 0 {
		return x, y
	}
	cx, cy := float64(size.X-1)/2, float64(size.Y-1)/2
	sin, cos := math.Sincos(angle * math.Pi / 180)
	dx, dy := x-cx, y-cy
	return cx + dx*cos - dy*sin, cy + dx*sin + dy*cos
}

// EdgeGrey returns the median grey of the pixels at the edge of an image.
func EdgeGrey(g *image.Gray) uint8 {
	w, h := g.Rect.Dx(), g.Rect.Dy()
	var all Histogram
	for _, side := range [4]image.Rectangle{image.Rect(0, 0, w, 1), image.Rect(0, h-1, w, h), image.Rect(0, 0, 1, h), image.Rect(w-1, 0, w, h)} {
		for v, n := range histogramIn(g, side) {
			all[v] += n
		}
	}
	return uint8(all.quantile(0.5)) // #nosec G115 -- 0..255
}
