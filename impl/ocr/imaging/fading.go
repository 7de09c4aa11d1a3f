package imaging

import (
	"image"
	"iter"
	"slices"
)

// cells describes the ink in each cell of a page.
type cells struct {
	// paper is 255 minus the grey of each cell's darker paper, and ink that grey minus the grey of its ink. stroke is the same for
	// the cell's darkest ink, which shows even if only a corner of the cell is written on.
	paper, ink, stroke Plane
	side               int // of a cell in pixels
}

// cellsOf describes the ink of a page in square cells, of that many pixels on each side.
func cellsOf(g *image.Gray, side int) cells {
	w, h := (g.Rect.Dx()+side-1)/side, (g.Rect.Dy()+side-1)/side
	c := cells{NewPlane(w, h), NewPlane(w, h), NewPlane(w, h), side}
	for i := range c.ink.Values {
		x, y := i%w*side, i/w*side
		greys := histogramIn(g, image.Rect(x, y, min(x+side, g.Rect.Dx()), min(y+side, g.Rect.Dy())))
		paper := greys.quantile(paperOfCell)
		c.paper.Values[i], c.ink.Values[i] = float32(255-paper), float32(paper-greys.quantile(inkOfCell))
		c.stroke.Values[i] = float32(paper - greys.quantile(strokeOfCell))
	}
	return c
}

// in yields the indices of the cells that overlap a box, in the values of the planes.
func (c cells) in(box image.Rectangle) iter.Seq[int] {
	return func(yield func(int) bool) {
		box = box.Intersect(image.Rect(0, 0, c.ink.W*c.side, c.ink.H*c.side))
		for y := box.Min.Y / c.side; y*c.side < box.Max.Y; y++ {
			for x := box.Min.X / c.side; x*c.side < box.Max.X; x++ {
				if !yield(y*c.ink.W + x) {
					return
				}
			}
		}
	}
}

// around yields the indices of a cell and of those around it.
func (c cells) around(i int) iter.Seq[int] {
	x, y := i%c.ink.W*c.side, i/c.ink.W*c.side
	return c.in(image.Rect(x-c.side, y-c.side, x+2*c.side, y+2*c.side))
}

// Fading is a page whose ink fades.
type Fading struct {
	page           *image.Gray
	cells          cells
	dark, faintest float32 // the ink of most of the writing that was found, and of the palest writing that is not grain
}

// FindFading returns nil unless there are cells of paler ink outside the writing that was found, whose boxes are given, and the
// ink fades: some of these cells are next to writing whose ink is at most maxFadingStep times as dark. The paper must be white.
// cell is the side of a cell in pixels, large enough that every cell of writing has ink.
func FindFading(g *image.Gray, writing []image.Rectangle, cell int) *Fading {
	c := cellsOf(g, cell)
	ink := c.ink.Values
	isWriting := make([]bool, len(ink))
	var written []float32
	for _, box := range writing {
		for i := range c.in(box) {
			if !isWriting[i] {
				isWriting[i], written = true, append(written, ink[i])
			}
		}
	}
	if len(written) == 0 {
		return nil
	}
	slices.Sort(written)
	dark := written[int(darkQuantile*float64(len(written)))]
	faintest, pale, fading := max(dark/maxEvened, minEvenedInk), 0, 0
	for i, v := range ink {
		if isWriting[i] || v < faintest || v > paleInk*dark {
			continue
		}
		pale++
		for j := range c.around(i) {
			if isWriting[j] && ink[j] <= maxFadingStep*v {
				fading++
				break
			}
		}
	}
	if dark < minDarkInk || float64(pale) < minPaleShare*float64(len(written)) || fading < minFadingCells {
		return nil
	}
	return &Fading{g, c, dark, faintest}
}

// Even returns the page with paler ink as dark as most of the writing, on white paper. Each cell is darkened as the darkest
// cell around it needs, because the edge of a text has little ink, and grain beside a text must not become ink. Where all are
// paler than the faintest writing, nothing changes.
func (f *Fading) Even() *image.Gray { return f.darkened(f.cells, f.cells.darkest()) }

// EvenSteps is like Even, for ink that becomes pale within a few words: each cell with ink is darkened as it needs itself, and
// cells are smaller. Grain becomes darker too.
func (f *Fading) EvenSteps() *image.Gray {
	c := cellsOf(f.page, f.cells.side/stepCells)
	darkest := c.darkest()
	needed := Plane{c.ink.W, c.ink.H, slices.Clone(darkest.Values)}
	filter(needed.Values, c.ink.W, c.ink.H, 1, slices.Min[[]float32]) // with the maximum of darkest, this fills blanks within a text
	for i, v := range c.ink.Values {
		if v < f.faintest {
			needed.Values[i] = darkest.Values[i]
		} else {
			needed.Values[i] = max(needed.Values[i], min(c.stroke.Values[i], darkest.Values[i]))
		}
	}
	return f.darkened(c, needed)
}

// darkest returns the ink of the darkest cell around each cell.
func (c cells) darkest() Plane {
	out := Plane{c.ink.W, c.ink.H, slices.Clone(c.ink.Values)}
	filter(out.Values, c.ink.W, c.ink.H, 1, slices.Max[[]float32])
	return out
}

// darkened returns the page with each cell darkened as that ink needs.
func (f *Fading) darkened(c cells, ink Plane) *image.Gray {
	factors, papers := ink, NewPlane(ink.W, ink.H)
	for i, v := range ink.Values {
		factors.Values[i] = 1
		if v >= f.faintest && v < f.dark {
			factors.Values[i], papers.Values[i] = f.dark/v, c.paper.Values[i]
		}
	}
	g := f.page
	out := image.NewGray(g.Rect)
	width := g.Rect.Dx()
	factorAt, paperAt := factors.Interpolator(c.side, width), papers.Interpolator(c.side, width)
	factor, paper := make([]float32, width), make([]float32, width)
	for y := range g.Rect.Dy() {
		at := (float32(y)+0.5)/float32(c.side) - 0.5
		factorAt(at, factor)
		paperAt(at, paper)
		from, to := row(g, y), row(out, y)
		for x, v := range from {
			// The conversion keeps compilers from fusing the operations, so that all processors compute the same.
			darkness := float32((float32(255-v) - paper[x]) * factor[x])
			to[x] = uint8(min(max(255-darkness, 0), 255))
		}
	}
	return out
}
