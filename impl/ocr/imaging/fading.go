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

// EvenFading returns a page with its paler ink as dark as most of the writing that was found, whose boxes are given. It returns
// nil unless there are cells of paler ink outside the writing, and the ink fades: some of these cells are next to writing that
// is hardly darker. The paper must be white. A cell has that many pixels on each side, enough for ink in every cell of writing.
func EvenFading(g *image.Gray, writing []image.Rectangle, cell int) *image.Gray {
	inks := InkOf(g, cell)
	ink := inks.Ink.Values
	isWriting := make([]bool, len(ink))
	var written []float32
	for _, box := range writing {
		for i := range inks.Cells(box) {
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
		for j := range inks.Around(i) {
			if isWriting[j] && ink[j] <= maxFadingStep*v {
				fading++
				break
			}
		}
	}
	if dark < minDarkInk || float64(pale) < minPaleShare*float64(len(written)) || fading < minFadingCells {
		return nil
	}
	return inks.even(g, dark, faintest)
}

// even returns the page with paler ink as dark as dark, on white paper. The ink of a cell counts as that of the darkest cell
// around it, because the edge of a text has little ink, and grain beside a text is none. Ink paler than faintest stays as it
// is.
func (k Inks) even(g *image.Gray, dark, faintest float32) *image.Gray {
	factors, papers := Plane{k.Ink.W, k.Ink.H, slices.Clone(k.Ink.Values)}, NewPlane(k.Ink.W, k.Ink.H)
	filter(factors.Values, k.Ink.W, k.Ink.H, 1, slices.Max[[]float32])
	for i, v := range factors.Values {
		factors.Values[i] = 1
		if v >= faintest && v < dark {
			factors.Values[i], papers.Values[i] = dark/v, k.Paper.Values[i]
		}
	}
	out := image.NewGray(g.Rect)
	width := g.Rect.Dx()
	factorAt, paperAt := factors.Interpolator(k.cell, width), papers.Interpolator(k.cell, width)
	factor, paper := make([]float32, width), make([]float32, width)
	for y := range g.Rect.Dy() {
		at := (float32(y)+0.5)/float32(k.cell) - 0.5
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
