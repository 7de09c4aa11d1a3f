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
		x, y := i%w*cell, i/w*cell
		greys := histogramOf(Crop(g, image.Rect(x, y, x+cell, y+cell).Intersect(g.Rect)))
		paper, ink := greys.quantile(paperOfCell), greys.quantile(inkOfCell)
		inks.Paper.Values[i], inks.Ink.Values[i] = float32(255-paper), float32(paper-ink)
	}
	return inks
}

// Cells yields the indices of the cells that overlap a box, in the values of the planes.
func (k Inks) Cells(box image.Rectangle) iter.Seq[int] {
	return func(yield func(int) bool) {
		cells := image.Rect(box.Min.X/k.cell, box.Min.Y/k.cell, (box.Max.X-1)/k.cell+1, (box.Max.Y-1)/k.cell+1)
		cells = cells.Intersect(image.Rect(0, 0, k.Ink.W, k.Ink.H))
		for y := cells.Min.Y; y < cells.Max.Y; y++ {
			for x := cells.Min.X; x < cells.Max.X; x++ {
				if !yield(y*k.Ink.W + x) {
					return
				}
			}
		}
	}
}

// EvenInk returns the page with the ink of its paler cells as dark as dark, on white paper. Ink paler than faintest is none; such
// cells are changed like those next to them.
func EvenInk(g *image.Gray, inks Inks, dark, faintest float32) *image.Gray {
	w, h := inks.Ink.W, inks.Ink.H
	factors, papers := NewPlane(w, h), NewPlane(w, h)
	for i, v := range inks.Ink.Values {
		if v >= faintest {
			factors.Values[i] = max(dark/v, 1)
		}
	}
	around := slices.Clone(factors.Values)
	filter(around, w, h, 1, slices.Max[[]float32])
	for i := range factors.Values {
		f := &factors.Values[i]
		if *f == 0 {
			*f = max(around[i], 1)
		}
		if *f > 1 {
			papers.Values[i] = inks.Paper.Values[i]
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
			to[x] = uint8(min(max(255-(float32(255-v)-paper[x])*factor[x], 0), 255))
		}
	}
	return out
}
