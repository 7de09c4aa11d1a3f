package layout

import (
	"image"
	"math"

	"uncial/impl/ocr/imaging"
	"uncial/internal/document"
)

// source is the image that strips are cut from: the page, shrunk so that its pixels are about as large as those of a strip.
type source struct {
	g      *image.Gray
	factor float64     // pixels of the page per pixel of the source
	origin image.Point // of the source on the page
}

// newSource returns the source for a page, or for a part of it that begins at origin. height is the usual height of its lines
// in pixels of the page.
func newSource(g *image.Gray, height float64, origin image.Point) source {
	if height <= coarse*Height {
		return source{g, 1, origin}
	}
	factor := height / Height
	w, h := int(math.Round(float64(g.Rect.Dx())/factor)), int(math.Round(float64(g.Rect.Dy())/factor))
	p := imaging.ToPlane(g, max(w, 1), max(h, 1))
	small := image.NewGray(image.Rect(0, 0, p.W, p.H))
	for i, v := range p.Values {
		small.Pix[i] = uint8(min(v+0.5, 255))
	}
	return source{small, factor, origin}
}

// Strip is a line cut out of its page: Image is straight, and Height pixels high.
type Strip struct {
	Image *image.Gray
	line  Line
	x0    float64 // where the strip begins, in pixels of the network's maps
	pitch float64 // such pixels per column of the strip
}

// Strip cuts the line out and erases the ink of neighbouring lines. It reports false if the line is too short to be read, or
// not on the page.
func (l Line) Strip() (Strip, bool) {
	if len(l.path.xs) == 0 {
		return Strip{}, false
	}
	height := l.path.band.height()
	x0, x1 := float64(l.path.start())-padding*height, float64(l.path.end())+padding*height
	w := min(int(math.Round((x1-x0)*Height/height)), widest)
	if w < narrowest {
		return Strip{}, false
	}
	s := Strip{image.NewGray(image.Rect(0, 0, w, Height)), l, x0, (x1 - x0) / float64(w)}
	if !s.fill() {
		return Strip{}, false
	}
	eraseNeighbours(s.Image)
	return s, true
}

// Line returns the line that was cut out.
func (s Strip) Line() Line { return s.line }

// toPage converts a point on the strip to one on the page.
func (s Strip) toPage(x, y float64) (float64, float64) { return s.column(x)(y) }

// column returns a function that converts the points at x, from the top of the strip down, to points on the page.
func (s Strip) column(x float64) func(y float64) (float64, float64) {
	b, part := s.line.path.band, s.line.part
	at := s.x0 + x*s.pitch - 0.5
	top := s.line.path.at(at) - b.up
	return func(y float64) (float64, float64) { return part.toPage(at, top+y*(b.up+b.down)/Height) }
}

// fill samples the strip's pixels from the source. Pixels outside the source become paper. It reports false if the whole strip
// is outside.
func (s Strip) fill() bool {
	strip, from := s.Image, s.line.part.source
	var outside []int
	for x := range strip.Rect.Dx() {
		toPage := s.column(float64(x) + 0.5)
		for y := range strip.Rect.Dy() {
			px, py := toPage(float64(y) + 0.5)
			px, py = px-float64(from.origin.X), py-float64(from.origin.Y)
			v, ok := from.sample((px+0.5)/from.factor-0.5, (py+0.5)/from.factor-0.5)
			if !ok {
				outside = append(outside, y*strip.Stride+x)
			}
			strip.Pix[y*strip.Stride+x] = v
		}
	}
	if len(outside) == len(strip.Pix) {
		return false
	}
	if len(outside) > 0 {
		paper := greyQuantile(strip, outsidePaper, len(outside))
		for _, i := range outside {
			strip.Pix[i] = paper
		}
	}
	return true
}

// sample interpolates between 16 pixels. Outside the source it returns 0 and false.
func (s source) sample(x, y float64) (uint8, bool) {
	w, h := s.g.Rect.Dx(), s.g.Rect.Dy()
	if x < -0.5 || y < -0.5 || x > float64(w)-0.5 || y > float64(h)-0.5 {
		return 0, false
	}
	x0, y0 := int(math.Floor(x)), int(math.Floor(y))
	kx, ky := cubic(float32(x-float64(x0))), cubic(float32(y-float64(y0)))
	isInside := x0 >= 1 && y0 >= 1 && x0+2 < w && y0+2 < h
	var sum float32
	for j, fy := range ky {
		var line float32
		if isInside {
			q := s.g.Pix[(y0+j-1)*s.g.Stride+x0-1:][:4]
			line = kx[0]*float32(q[0]) + kx[1]*float32(q[1]) + kx[2]*float32(q[2]) + kx[3]*float32(q[3])
		} else {
			row := s.g.Pix[min(max(y0+j-1, 0), h-1)*s.g.Stride:]
			for i, fx := range kx {
				line += fx * float32(row[min(max(x0+i-1, 0), w-1)])
			}
		}
		sum += fy * line
	}
	return uint8(min(max(sum+0.5, 0), 255)), true
}

// cubic returns the weights of the four pixels around a point that lies between the second and the third, at distance d, 0 to
// 1, from the second (cubic convolution with a = -1).
func cubic(d float32) [4]float32 {
	d2, d3 := d*d, d*d*d
	return [4]float32{-d + 2*d2 - d3, 1 - 2*d2 + d3, d + d2 - d3, -d2 + d3}
}

// greyQuantile returns the q quantile of the strip's greys. It ignores zeros pixels of grey 0.
func greyQuantile(g *image.Gray, q float64, zeros int) uint8 {
	var h imaging.Histogram
	h.Add(g.Pix)
	h[0] -= zeros
	return h.AtRank(int(q * float64(h.Total())))
}

// Box returns the bounding box, on the page, of a rectangle of the strip.
func (s Strip) Box(r image.Rectangle) document.Box {
	var e extremes
	for i := range stripPoints + 1 {
		x := float64(r.Min.X) + float64(i)*float64(r.Dx())/stripPoints
		for _, y := range [2]int{r.Min.Y, r.Max.Y} {
			e.add(s.toPage(x, float64(y)))
		}
	}
	return e.box(math.Round, math.Round)
}

// Baseline returns the baseline of the line, in pixels of the page, from left to right.
func (s Strip) Baseline() []document.Point {
	foot := Height * s.line.path.band.up / s.line.path.band.height()
	w := s.Image.Rect.Dx()
	n := max(w/(2*Height), 1)
	points := make([]document.Point, n+1)
	for i := range points {
		px, py := s.toPage(float64(w*i)/float64(n), foot)
		points[i] = document.Point{X: int(math.Round(px)), Y: int(math.Round(py))}
	}
	return points
}
