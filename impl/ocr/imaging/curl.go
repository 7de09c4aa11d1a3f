package imaging

import (
	"cmp"
	"image"
	"math"
	"slices"
)

// Curl describes how the lines of a page curve, as they do near the fold of a book. It says how far each point lies below its
// place on the straightened page.
type Curl struct {
	cell int   // the side of a cell in pixels
	down Plane // how far down the middle of each cell lies, in pixels
}

// FindCurl returns the curl of a page of that size, or nil if its lines are straight or too few. letters are the boxes of its
// letters. Rotate a skewed page first.
//
// It follows the letters of each line, takes the median slope in each cell, and smooths the slopes. It straightens the boxes of
// the letters by these slopes and measures what is left, curlPasses times in all. A list whose lines begin or end alike may
// seem to slope: the y of May is as high as its M, but lower. So there must be a curl without such letters too.
func FindCurl(size image.Point, letters []image.Rectangle) *Curl {
	height := LetterHeight(letters)
	if height == 0 {
		return nil
	}
	letters = slices.DeleteFunc(slices.Clone(letters), func(l image.Rectangle) bool {
		return 2*l.Dy() < height || l.Dy() > 3*height
	})
	slices.SortFunc(letters, func(a, b image.Rectangle) int { return cmp.Compare(a.Min.X, b.Min.X) })
	c := curlOf(size, letters, height, false)
	if c == nil || curlOf(size, letters, height, true) == nil {
		return nil
	}
	return c
}

// curlOf returns the curl of a page by its letters, sorted from left to right, with or without those that do not end where
// their neighbours do. It returns nil if the slopes hardly differ.
func curlOf(size image.Point, letters []image.Rectangle, height int, withoutStrays bool) *Curl {
	cell := curlCell * height
	c := &Curl{cell, NewPlane((size.X+cell-1)/cell, (size.Y+cell-1)/cell)}
	slopes := NewPlane(c.down.W, c.down.H)
	for range curlPasses {
		addSmooth(slopes, c.cellSlopes(c.straightened(letters), height, withoutStrays))
		c.setSlopes(slopes)
	}
	var found []float32
	for _, l := range letters {
		m := Middle(l).Div(cell)
		found = append(found, slopes.At(m.X, m.Y))
	}
	slices.Sort(found)
	tail := int(curlTail * float64(len(found)))
	if found[len(found)-1-tail]-found[tail] < minCurlSlope || c.steepest() > maxCurlGradient {
		return nil
	}
	return c
}

// straightened returns boxes of the page as they lie on the straightened page.
func (c *Curl) straightened(boxes []image.Rectangle) []image.Rectangle {
	out := make([]image.Rectangle, len(boxes))
	for i, b := range boxes {
		m := Middle(b)
		out[i] = b.Add(image.Pt(0, int(math.Round(c.Up(float64(m.X), float64(m.Y))))-m.Y))
	}
	return out
}

// cellSlope is the slope of the lines in a cell, downwards per pixel to the right. Its weight is 0 if it is not known.
type cellSlope struct{ slope, weight float64 }

// cellSlopes returns the median slope of the lines in each cell where the letters agree on it. letters are sorted from left to
// right.
func (c *Curl) cellSlopes(letters []image.Rectangle, height int, withoutStrays bool) []cellSlope {
	cells := make([][]float64, len(c.down.Values))
	next := nextInLine(letters, height)
	stray := make([]bool, len(letters))
	if withoutStrays {
		stray = strays(letters, next, height)
	}
	for i, l := range letters {
		if stray[i] {
			continue
		}
		from := Middle(l)
		for j := next[i]; j >= 0; j = next[j] {
			o := letters[j]
			to := Middle(o)
			dx := to.X - from.X
			if dx > maxSlopeLength*height {
				break
			}
			if stray[j] || dx < minSlopeLength*height || sameHeight*max(l.Dy()-o.Dy(), o.Dy()-l.Dy()) > height {
				continue
			}
			at := from.Add(to).Div(2).Div(c.cell)
			k := min(max(at.Y, 0), c.down.H-1)*c.down.W + min(max(at.X, 0), c.down.W-1)
			if len(cells[k]) == maxCellSlopes {
				continue
			}
			cells[k] = append(cells[k], float64(o.Min.Y+o.Max.Y-l.Min.Y-l.Max.Y)/float64(2*dx))
		}
	}
	found := make([]cellSlope, len(cells))
	for k, s := range cells {
		if len(s) < minCellSlopes {
			continue
		}
		slices.Sort(s)
		if s[len(s)*3/4]-s[len(s)/4] <= maxSlopeSpread {
			found[k] = cellSlope{s[len(s)/2], min(float64(len(s)), maxCellWeight)}
		}
	}
	return found
}

// strays reports for each letter whether it does not end where its neighbours lead one to expect, as p and y do: in the middle
// between the ends of one of the two letters before it and one of the two after it, or at the end of a line, where the last two
// lead to. On a page with a curl, lines slope.
func strays(letters []image.Rectangle, next []int, height int) []bool {
	type ends [2]int // of the nearest letter and the one beyond it; -1 if there is none
	before, after := make([]ends, len(letters)), make([]ends, len(letters))
	for i := range letters {
		before[i], after[i] = ends{-1, -1}, ends{-1, -1}
	}
	for i, l := range letters {
		for j, n := next[i], 0; j >= 0 && n < 2; j, n = next[j], n+1 {
			after[i][n], before[j][n] = letters[j].Max.Y, l.Max.Y
		}
	}
	stray := make([]bool, len(letters))
	for i, l := range letters {
		known, fits := false, false
		expect := func(x, y int) { // twice the expected end is x + y
			off := 2*l.Max.Y - x - y
			known, fits = true, fits || sameEnd*max(off, -off) <= 2*height
		}
		for _, x := range before[i] {
			for _, y := range after[i] {
				if x >= 0 && y >= 0 {
					expect(x, y)
				}
			}
		}
		for _, e := range []ends{before[i], after[i]} {
			if !known && e[1] >= 0 {
				expect(2*e[0], 2*(e[0]-e[1]))
			}
		}
		stray[i] = known && !fits
	}
	return stray
}

// nextInLine returns, for each of the letters, the index of the next letter of its line, or -1. letters are sorted from left to
// right.
func nextInLine(letters []image.Rectangle, height int) []int {
	rows := map[int][]int{} // the letters in each strip of the page
	for i, l := range letters {
		y := Middle(l).Y / height
		rows[y] = append(rows[y], i)
	}
	next := make([]int, len(letters))
	for i, l := range letters {
		next[i] = -1
		for y := Middle(l).Y/height - 1; y <= Middle(l).Y/height+1; y++ {
			first, _ := slices.BinarySearch(rows[y], i+1)
			for _, j := range rows[y][first:] {
				o := letters[j]
				if o.Min.X > l.Max.X+maxLetterGap*height || next[i] >= 0 && j > next[i] {
					break
				}
				if o.Min.X >= l.Max.X-height/4 && 2*(min(o.Max.Y, l.Max.Y)-max(o.Min.Y, l.Min.Y)) >= min(o.Dy(), l.Dy()) {
					next[i] = j
					break
				}
			}
		}
	}
	return next
}

// addSmooth adds smoothed slopes to those of each cell. The smoothed slope of a cell is that of a plane through the slopes
// around it (a local linear regression), so that slopes that grow towards an edge are not underestimated there.
func addSmooth(slopes Plane, known []cellSlope) {
	for k := range slopes.Values {
		m := [3][4]float64{{curlPrior}, {0, curlRidge}, {0, 0, curlRidge}} // the normal equations
		x0, y0 := k%slopes.W, k/slopes.W
		for y := max(y0-curlReach*curlDown, 0); y <= min(y0+curlReach*curlDown, slopes.H-1); y++ {
			for x := max(x0-curlReach*curlAcross, 0); x <= min(x0+curlReach*curlAcross, slopes.W-1); x++ {
				s := known[y*slopes.W+x]
				if s.weight == 0 {
					continue
				}
				dx, dy := float64(x-x0), float64(y-y0)
				weight := s.weight * math.Exp(-(dx*dx/(curlAcross*curlAcross)+dy*dy/(curlDown*curlDown))/2)
				for i, a := range [3]float64{1, dx, dy} {
					for j, b := range [4]float64{1, dx, dy, s.slope} {
						m[i][j] += weight * a * b
					}
				}
			}
		}
		slopes.Values[k] += float32(firstUnknown(m))
	}
}

// firstUnknown solves three linear equations with a positive definite matrix for the first of their unknowns.
func firstUnknown(m [3][4]float64) float64 {
	for pivot := 2; pivot > 0; pivot-- {
		for i := range pivot {
			factor := m[i][pivot] / m[pivot][pivot]
			for j := range m[i] {
				m[i][j] -= factor * m[pivot][j]
			}
		}
	}
	return m[0][3] / m[0][0]
}

// setSlopes sets how far down the cells lie from their slopes. The middle column stays in place.
func (c *Curl) setSlopes(slopes Plane) {
	middle, cell := slopes.W/2, float32(c.cell)
	for y := range slopes.H {
		down, slope := c.down.Row(y), slopes.Row(y)
		for x := middle + 1; x < len(down); x++ {
			down[x] = down[x-1] + cell*(slope[x-1]+slope[x])/2
		}
		for x := middle - 1; x >= 0; x-- {
			down[x] = down[x+1] - cell*(slope[x+1]+slope[x])/2
		}
	}
}

// steepest returns how much the shift changes at most from row to row, in pixels per pixel. From 1 on, lines would lie upon
// each other.
func (c *Curl) steepest() (most float32) {
	for y := range c.down.H - 1 {
		below := c.down.Row(y + 1)
		for x, v := range c.down.Row(y) {
			most = max(most, below[x]-v, v-below[x])
		}
	}
	return most / float32(c.cell)
}

// Down returns the y on the page of a point of the straightened page, in pixels.
func (c *Curl) Down(x, y float64) float64 { return y + c.shift(x, y) }

// Up returns the y on the straightened page of a point of the page, in pixels.
func (c *Curl) Up(x, y float64) float64 {
	up := y
	for range curlSteps {
		up = y - c.shift(x, up)
	}
	return up
}

// shift returns how far a point of the straightened page lies below that place on the page.
func (c *Curl) shift(x, y float64) float64 {
	fx := min(max(float32(x)/float32(c.cell)-0.5, 0), float32(c.down.W-1))
	fy := min(max(float32(y)/float32(c.cell)-0.5, 0), float32(c.down.H-1))
	x0, y0 := int(fx), int(fy)
	return float64(bilinear(c.down.At(x0, y0), c.down.At(x0+1, y0), c.down.At(x0, y0+1), c.down.At(x0+1, y0+1), fx-float32(x0), fy-float32(y0)))
}

// Straighten returns a page of the curl's size with straight lines. It moves pixels only up and down.
func (c *Curl) Straighten(g *image.Gray) *image.Gray {
	interpolate := c.down.Interpolator(c.cell, g.Rect.Dx())
	return ShiftColumns(g, func(y int, down []float32) { interpolate(float32(y)/float32(c.cell)-0.5, down) })
}

// Lean returns the angle in degrees, clockwise, by which the columns and stems of a page lean, in the range of Skew.
// The lines of a page with a curl slope, although the page may be upright.
func Lean(g *image.Gray) float64 {
	size := g.Rect.Size()
	if scale := math.Sqrt(leanPixels / float64(size.X*size.Y)); scale < 1 {
		g = Resize(g, int(float64(size.X)*scale), int(float64(size.Y)*scale))
	}
	return sharpest(Turn(g, 1))
}
