package imaging

import (
	"image"
	"iter"
	"slices"
)

// cells describes the ink in each cell of a page.
type cells struct {
	// paper is 255 minus the grey of each cell's darker paper, and ink that grey minus the grey of its ink.
	paper, ink Plane
	side       int // of a cell in pixels
}

// cellsOf describes the ink of a page in square cells, of that many pixels on each side.
func cellsOf(g *image.Gray, side int) cells {
	w, h := (g.Rect.Dx()+side-1)/side, (g.Rect.Dy()+side-1)/side
	c := cells{NewPlane(w, h), NewPlane(w, h), side}
	for i := range c.ink.Values {
		x, top := i%w*side, i/w*side
		var greys Histogram
		for y := top; y < min(top+side, g.Rect.Dy()); y++ {
			greys.Add(row(g, y)[x:min(x+side, g.Rect.Dx())])
		}
		paper, ink := greys.quantile(paperOfCell), greys.quantile(inkOfCell)
		c.paper.Values[i], c.ink.Values[i] = float32(255-paper), float32(paper-ink)
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

// EvenFading returns a page with its paler ink as dark as most of the writing that was found, whose boxes are given. It returns
// nil unless there are cells of paler ink outside the writing, and the ink fades: some of these cells are next to writing that
// is hardly darker. The paper must be white. A cell has that many pixels on each side, enough for ink in every cell of writing.
func EvenFading(g *image.Gray, writing []image.Rectangle, cell int) *image.Gray {
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
	return c.even(g, dark, faintest)
}

// even returns the page with paler ink as dark as dark, on white paper. Each cell is darkened as the darkest cell around it
// needs, because the edge of a text has little ink, and grain beside a text must not become ink. Where all are paler than
// faintest, nothing changes.
func (c cells) even(g *image.Gray, dark, faintest float32) *image.Gray {
	factors, papers := Plane{c.ink.W, c.ink.H, slices.Clone(c.ink.Values)}, NewPlane(c.ink.W, c.ink.H)
	filter(factors.Values, c.ink.W, c.ink.H, 1, slices.Max[[]float32])
	for i, v := range factors.Values {
		factors.Values[i] = 1
		if v >= faintest && v < dark {
			factors.Values[i], papers.Values[i] = dark/v, c.paper.Values[i]
		}
	}
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
