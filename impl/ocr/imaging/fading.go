package imaging

import (
	"image"
	"iter"
	"slices"
)

// Inks describes the ink in each cell of a page.
type Inks struct {
	// Paper is how much darker than white the darker paper of each cell is, and Ink how much darker than that the ink is, in grey
	// levels.
	Paper, Ink Plane
	cell       int // side of a cell in pixels
}

// InkOf describes the ink of a page in square cells, of that many pixels on each side.
func InkOf(g *image.Gray, cell int) Inks {
	w, h := (g.Rect.Dx()+cell-1)/cell, (g.Rect.Dy()+cell-1)/cell
	inks := Inks{NewPlane(w, h), NewPlane(w, h), cell}
	for i := range inks.Ink.Values {
		x, top := i%w*cell, i/w*cell
		var greys Histogram
		for y := top; y < min(top+cell, g.Rect.Dy()); y++ {
			greys.Add(row(g, y)[x:min(x+cell, g.Rect.Dx())])
		}
		paper, ink := greys.quantile(paperOfCell), greys.quantile(inkOfCell)
		inks.Paper.Values[i], inks.Ink.Values[i] = float32(255-paper), float32(paper-ink)
	}
	return inks
}

// Cells yields the indices of the cells that overlap a box, in the values of the planes.
func (k Inks) Cells(box image.Rectangle) iter.Seq[int] {
	return func(yield func(int) bool) {
		box = box.Intersect(image.Rect(0, 0, k.Ink.W*k.cell, k.Ink.H*k.cell))
		for y := box.Min.Y / k.cell; y*k.cell < box.Max.Y; y++ {
			for x := box.Min.X / k.cell; x*k.cell < box.Max.X; x++ {
				if !yield(y*k.Ink.W + x) {
					return
				}
			}
		}
	}
}

// Around yields the indices of a cell and of those around it.
func (k Inks) Around(i int) iter.Seq[int] {
	x, y := i%k.Ink.W*k.cell, i/k.Ink.W*k.cell
	return k.Cells(image.Rect(x-k.cell, y-k.cell, x+2*k.cell, y+2*k.cell))
}

// EvenInk returns the page with the ink of its paler cells as dark as dark, on white paper. The ink of a cell counts as that of
// the darkest cell close to it, so that grain beside text does not become ink. Ink paler than faintest stays as it is.
func EvenInk(g *image.Gray, inks Inks, dark, faintest float32) *image.Gray {
	w, h := inks.Ink.W, inks.Ink.H
	factors, papers := Plane{w, h, slices.Clone(inks.Ink.Values)}, NewPlane(w, h)
	filter(factors.Values, w, h, inkReach, slices.Max[[]float32])
	for i, v := range factors.Values {
		factors.Values[i] = 1
		if v >= faintest && v < dark {
			factors.Values[i], papers.Values[i] = dark/v, inks.Paper.Values[i]
		}
	}
	out := image.NewGray(g.Rect)
	width := g.Rect.Dx()
	factorAt, paperAt := factors.Interpolator(inks.cell, width), papers.Interpolator(inks.cell, width)
	factor, paper := make([]float32, width), make([]float32, width)
	for y := range g.Rect.Dy() {
		at := (float32(y)+0.5)/float32(inks.cell) - 0.5
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
