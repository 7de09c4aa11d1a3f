// Package lines finds the lines of handwritten pages and cuts them out as straight strips, which is how models for
// handwriting read. It works on the grey image alone.
//
// A page is brought to a working size, and to a map of its ink without shading, borders and rules. The ink, blurred along
// the lines, has a ridge for each; pieces of ridges are joined into lines. How far a strip reaches above and below its
// line follows from the height of the small letters: what matters most is that their middle lies where the model has
// learnt to expect it.
package lines

import (
	"image"
	"math"
)

const (
	// workHeight is the height that pages are brought to, in pixels; smaller ones stay as they are.
	workHeight = 1500
	// workPixels bounds wide pages.
	workPixels = 3_000_000
)

// Page is the lines of one page.
type Page struct {
	// Blocks hold the lines in reading order: columns, notes in the margin, rows of a table.
	Blocks [][]Line
	// Pitch is the distance of the lines in pixels of the page.
	Pitch float64
	// Skew is how far the lines fall to the right, in degrees.
	Skew float64

	band   band
	frame  frame
	source source
}

// Line is one line of writing.
type Line struct {
	path path
	page *Page
}

// Find finds the lines of a page whose bounds begin at (0, 0).
func Find(g *image.Gray) *Page {
	scale := workScale(g.Rect.Dx(), g.Rect.Dy())
	w, h := int(float64(g.Rect.Dx())/scale), int(float64(g.Rect.Dy())/scale)
	if w < leastSide || h < leastSide {
		return &Page{}
	}
	ink := inkMap(shrink(g, w, h))
	p := &Page{Skew: skew(ink), frame: frame{scale: scale}}
	if math.Abs(p.Skew) >= leastSkew {
		ink, p.frame = ink.level(p.Skew, p.frame)
	}
	rules := ink.dropRules()
	d := pitch(ink)
	p.Pitch = d * scale
	all := dropSlivers(settle(split(join(ridges(ink, d), d), ink, rules, d), ink, d), ink.w, d)
	p.band = measureBand(ink, all, d)
	p.source = newSource(g, p.band, p.frame)
	p.Blocks = p.arrange(all, d)
	return p
}

// leastSide is the smallest width and height of a page, in pixels, that is looked at.
const leastSide = 32

// workScale is by how much the page shrinks.
func workScale(w, h int) float64 {
	scale := float64(h) / workHeight
	if pixels := float64(w) * float64(h); pixels > workPixels*scale*scale {
		scale = math.Sqrt(pixels / workPixels)
	}
	return max(scale, 1)
}

// Lines are the lines of all blocks in reading order.
func (p *Page) Lines() []Line {
	var all []Line
	for _, b := range p.Blocks {
		all = append(all, b...)
	}
	return all
}

// Width is how far the line reaches across, in pixels of the working size.
func (l Line) Width() int { return l.path.end() - l.path.start() }
