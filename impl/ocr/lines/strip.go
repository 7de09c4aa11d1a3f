package lines

import (
	"image"
	"math"

	"uncial/internal/document"
)

// Stretch is how much wider than high a strip's pixels are for the models that read hands.
const Stretch = 1.6

const (
	// padding is how far a strip reaches beyond the ends of its line, in units of the pitch.
	padding = 0.45
	// narrowest is the least width of a strip in pixels, and widest the most.
	narrowest, widest = 16, 8000
	// coarse is how many times higher than a strip the band may be before the page is shrunk for it.
	coarse = 1.5
)

// source is the page that strips are taken from, shrunk so that a pixel is about one of a strip's.
type source struct {
	g      *image.Gray
	factor float64 // pixels of the page to one of the source
}

func newSource(g *image.Gray, b band, f frame) source {
	height := (b.up + b.down) * f.scale
	if height <= coarse*Height {
		return source{g, 1}
	}
	factor := height / Height
	p := shrink(g, max(int(math.Round(float64(g.Rect.Dx())/factor)), 1), max(int(math.Round(float64(g.Rect.Dy())/factor)), 1))
	small := image.NewGray(image.Rect(0, 0, p.w, p.h))
	for i, v := range p.v {
		small.Pix[i] = uint8(min(v+0.5, 255))
	}
	return source{small, factor}
}

// Strip is a line cut out of its page: straight, Height pixels high, and stretched in width.
type Strip struct {
	Image *image.Gray
	line  Line
	x0    float64 // where the strip begins, in working coordinates
	step  float64 // working pixels to a column of the strip
}

// Strip cuts the line out, its width stretched by a factor. It is false where the line is too narrow to be read.
func (l Line) Strip(stretch float64) (Strip, bool) {
	p := l.page
	pitch := p.Pitch / p.frame.scale
	x0, x1 := float64(l.path.start())-padding*pitch, float64(l.path.end())+padding*pitch
	height := p.band.up + p.band.down
	w := min(int(math.Round((x1-x0)*Height/height*stretch)), widest)
	if w < narrowest {
		return Strip{}, false
	}
	s := Strip{image.NewGray(image.Rect(0, 0, w, Height)), l, x0, (x1 - x0) / float64(w)}
	s.fill()
	clean(s.Image)
	return s, true
}

// Line is the line that was cut out.
func (s Strip) Line() Line { return s.line }

// place is the working coordinates of a place on the strip.
func (s Strip) place(x, y float64) (float64, float64) {
	b := s.line.page.band
	at := s.x0 + x*s.step - 0.5
	return at, s.line.path.at(at) - b.up + y*(b.up+b.down)/Height
}

func (s Strip) fill() {
	src := s.line.page.source
	outside := make([]int, 0, 64)
	for x := range s.Image.Rect.Dx() {
		for y := range Height {
			px, py := s.line.page.frame.toPage(s.place(float64(x)+0.5, float64(y)+0.5))
			v, ok := src.sample((px+0.5)/src.factor-0.5, (py+0.5)/src.factor-0.5)
			if !ok {
				outside = append(outside, y*s.Image.Stride+x)
			}
			s.Image.Pix[y*s.Image.Stride+x] = v
		}
	}
	if len(outside) > 0 && len(outside) < len(s.Image.Pix) {
		paper := greyQuantile(s.Image, 0.75, len(outside))
		for _, i := range outside {
			s.Image.Pix[i] = paper
		}
	}
}

// sample interpolates between 16 pixels. It is false, and the value 0, outside the page.
func (s source) sample(x, y float64) (uint8, bool) {
	w, h := s.g.Rect.Dx(), s.g.Rect.Dy()
	if x < -0.5 || y < -0.5 || x > float64(w)-0.5 || y > float64(h)-0.5 {
		return 0, false
	}
	x0, y0 := int(math.Floor(x)), int(math.Floor(y))
	kx, ky := cubic(float32(x-float64(x0))), cubic(float32(y-float64(y0)))
	var sum float32
	for j, fy := range ky {
		row := s.g.Pix[min(max(y0+j-1, 0), h-1)*s.g.Stride:]
		var line float32
		if x0 >= 1 && x0+2 < w {
			q := row[x0-1 : x0+3 : x0+3]
			line = kx[0]*float32(q[0]) + kx[1]*float32(q[1]) + kx[2]*float32(q[2]) + kx[3]*float32(q[3])
		} else {
			for i, fx := range kx {
				line += fx * float32(row[min(max(x0+i-1, 0), w-1)])
			}
		}
		sum += fy * line
	}
	return uint8(min(max(sum+0.5, 0), 255)), true
}

// cubic are the factors of four neighbours, for a place d beyond the second (cubic convolution with a = -1).
func cubic(d float32) [4]float32 {
	d2, d3 := d*d, d*d*d
	return [4]float32{-d + 2*d2 - d3, 1 - 2*d2 + d3, d + d2 - d3, -d2 + d3}
}

// greyQuantile is the grey that the share q of the strip's pixels does not exceed, without the zeros of some pixels.
func greyQuantile(g *image.Gray, q float64, zeros int) uint8 {
	var counts [256]int
	for _, v := range g.Pix {
		counts[v]++
	}
	counts[0] -= zeros
	want := int(q * float64(len(g.Pix)-zeros))
	for i, n := range counts {
		if want < n {
			return uint8(i) // #nosec G115 -- at most 255
		}
		want -= n
	}
	return 255
}

// Box is the upright box on the page around a rectangle of the strip.
func (s Strip) Box(r image.Rectangle) document.Box {
	x0, y0, x1, y1 := math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)
	for i := range 5 {
		x := float64(r.Min.X) + float64(i)*float64(r.Dx())/4
		for _, y := range [2]int{r.Min.Y, r.Max.Y} {
			px, py := s.line.page.frame.toPage(s.place(x, float64(y)))
			x0, y0, x1, y1 = min(x0, px), min(y0, py), max(x1, px), max(y1, py)
		}
	}
	x, y := int(math.Round(x0)), int(math.Round(y0))
	return document.Box{X: x, Y: y, W: max(int(math.Round(x1))-x, 1), H: max(int(math.Round(y1))-y, 1)}
}

// Baseline is the line that the letters stand on, in pixels of the page, from left to right.
func (s Strip) Baseline() []document.Point {
	const foot = coreMiddle*Height + coreHeight/2
	w := s.Image.Rect.Dx()
	n := max(w/(2*Height), 1)
	points := make([]document.Point, n+1)
	for i := range points {
		px, py := s.line.page.frame.toPage(s.place(float64(w*i)/float64(n), foot))
		points[i] = document.Point{X: int(math.Round(px)), Y: int(math.Round(py))}
	}
	return points
}
