package imaging

import (
	"image"
	"math"
	"slices"
)

// EvenSides brightens one side, up to the seam, of a picture that was composed of two, such as two leaves on film, if the paper
// of that side is far darker than that of the other side. Otherwise the bright paper would count as the background beyond the
// seam too, and the dark side next to the seam as shadow. EvenSides returns other pages unchanged.
func EvenSides(g *image.Gray) *image.Gray {
	bands := seamBandsOf(g)
	s, ok := bands.seam()
	if !ok || !bands.haveInk(s) || !bands.isDarkThroughout(s) {
		return g
	}
	s.refine(g, bands)
	out := image.NewGray(image.Rect(0, 0, g.Rect.Dx(), g.Rect.Dy()))
	for y := range g.Rect.Dy() {
		from, to := row(g, y), row(out, y)
		copy(to, from)
		x := min(max(s.at(y), 0), len(to))
		dark := to[x:]
		if s.isDarkLeft {
			dark = to[:x]
		}
		factor := s.factors[min(y/seamPitch, len(s.factors)-1)]
		for i, v := range dark {
			dark[i] = uint8(min(float32(v)*factor, 255))
		}
	}
	return out
}

// seamPitch is the distance in pixels between the rows of cells that are examined.
const seamPitch = 4 * paperCell

// seamBands are rows of cells, one in each seamPitch pixels.
type seamBands struct {
	paper Plane
	ink   []bool // for each cell, whether it has ink
}

// seam is a straight line between two kinds of paper.
type seam struct {
	top, bottom float64 // where it meets the upper and the lower edge: in cells, after refine in pixels
	height      int     // of the picture in pixels
	isDarkLeft  bool
	factors     []float32 // by which the dark side will be brightened, one for each band
}

// at returns the first pixel to the right of the seam in a row of pixels.
func (s *seam) at(y int) int {
	return int(math.Round(s.top + (s.bottom-s.top)*(float64(y)+0.5)/float64(s.height)))
}

// seamBandsOf estimates the paper of each cell, and whether the cell has ink, in one row of cells per band.
func seamBandsOf(g *image.Gray) seamBands {
	w, h := g.Rect.Dx()/paperCell, g.Rect.Dy()/seamPitch
	b := seamBands{NewPlane(w, h), make([]bool, w*h)}
	for i := range b.ink {
		at := image.Pt(i%w*paperCell, i/w*seamPitch)
		cell := histogramIn(g, image.Rectangle{at, at.Add(image.Pt(paperCell, paperCell))})
		paper := float32(cell.quantile(paperQuantile))
		b.paper.Values[i], b.ink[i] = paper, float32(cell.quantile(1-paperQuantile)) < seamInk*paper
	}
	return b
}

// seam returns the straight, nearly vertical line that has far brighter paper on the same side in most bands. It reports false
// if there is none.
func (b seamBands) seam() (seam, bool) {
	w, h := b.paper.W, b.paper.H
	if h < minSeamBands {
		return seam{}, false
	}
	margin := max(int(seamMargin*float64(w)), 2)
	best, found := int(math.Ceil(seamShare*float64(h)))-1, seam{}
	drift := int(seamDrift * float64(h*seamPitch) / paperCell)
	for top := margin; top < w-margin; top++ {
		for bottom := max(top-drift, margin); bottom <= min(top+drift, w-margin-1); bottom++ {
			left, right := 0, 0
			for y := range h {
				switch a, z, _ := b.beside(top, bottom, y); {
				case a < seamStep*z && a >= darkestPaper:
					left++
				case z < seamStep*a && z >= darkestPaper:
					right++
				}
			}
			if n := max(left, right); n > best {
				best, found = n, seam{top: float64(top), bottom: float64(bottom), isDarkLeft: left > right}
			}
		}
	}
	return found, found.bottom > 0
}

// beside returns the greys of the paper on both sides of the cell that a line crosses in band y, and the column of that cell.
func (b seamBands) beside(top, bottom, y int) (left, right float32, x int) {
	x = top + (bottom-top)*y/max(b.paper.H-1, 1)
	return b.paper.At(x-1, y), b.paper.At(x+1, y), x
}

// haveInk reports whether there is writing on both sides of a seam. A table beside a leaf has none.
func (b seamBands) haveInk(s seam) bool {
	var cells, inked [2]int
	for y := range b.paper.H {
		_, _, at := b.beside(int(s.top), int(s.bottom), y)
		for x := range b.paper.W {
			side := 0
			if x > at {
				side = 1
			}
			cells[side]++
			if b.ink[y*b.paper.W+x] {
				inked[side]++
			}
		}
	}
	isWritten := func(side int) bool { return float64(inked[side]) >= minSeamInk*float64(cells[side]) }
	return isWritten(0) && isWritten(1)
}

// isDarkThroughout reports whether the paper of the dark side is dark far from the seam too. In a picture of three pages, the
// third one may be bright, and would become white.
func (b seamBands) isDarkThroughout(s seam) bool {
	var near [2]float64 // sums of the paper on both sides of the seam, the dark side first
	greys := make([][]float64, b.paper.W)
	for y := range b.paper.H {
		dark, bright, at := b.beside(int(s.top), int(s.bottom), y)
		from, to := 0, at
		if !s.isDarkLeft {
			dark, bright = bright, dark
			from, to = at+1, b.paper.W
		}
		near[0] += float64(dark)
		near[1] += float64(bright)
		for x := from; x < to; x++ {
			greys[x] = append(greys[x], float64(b.paper.At(x, y)))
		}
	}
	limit := (near[0] + near[1]) / 2 / float64(b.paper.H)
	columns, bright := 0, 0
	for _, column := range greys {
		if len(column) == 0 {
			continue
		}
		columns++
		if median(column) > limit {
			bright++
		}
	}
	return float64(bright) <= maxBrightColumns*float64(columns)
}

// refine finds the seam to the pixel, and how much darker its dark side is in each band.
func (s *seam) refine(g *image.Gray, b seamBands) {
	s.height = g.Rect.Dy()
	var upper, lower, factors []float64
	for y := range b.paper.H {
		left, right, x := b.beside(int(s.top), int(s.bottom), y)
		if s.isDarkLeft {
			left, right = right, left
		}
		factors = append(factors, float64(left)/float64(max(right, darkestPaper)))
		off := float64(step(g, x*paperCell, y*seamPitch) - x*paperCell)
		if y < b.paper.H/2 {
			upper = append(upper, off)
		} else {
			lower = append(lower, off)
		}
	}
	top, bottom := s.top*paperCell, s.bottom*paperCell
	// The medians are those of a quarter and of three quarters of the height.
	u, l := median(upper), median(lower)
	s.top, s.bottom = top+u-(l-u)/2, bottom+l+(l-u)/2
	for y := range factors {
		near := factors[max(y-seamReach, 0):min(y+seamReach+1, len(factors))]
		s.factors = append(s.factors, float32(max(median(slices.Clone(near)), 1)))
	}
}

// step returns the column of pixels, near a cell at (x, y), at which the brightness of the cell's rows changes most.
func step(g *image.Gray, x, y int) int {
	best, at := 0, x
	for c := x - paperCell; c <= x+2*paperCell; c++ {
		change := 0
		for dy := range paperCell {
			r := row(g, y+dy)
			for k := range seamEdge {
				change += int(r[c+k]) - int(r[c-1-k])
			}
		}
		if change = max(change, -change); change > best {
			best, at = change, c
		}
	}
	return at
}

// median returns the upper median of the values, which must not be empty, and sorts them.
func median(values []float64) float64 {
	slices.Sort(values)
	return values[len(values)/2]
}
