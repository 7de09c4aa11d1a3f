package accuracy

import (
	"math"
	"slices"
)

// Polygon is the outline of a line in pixels of its page: x and y of each corner, without repeating the first.
type Polygon [][2]float64

// spans are the pixels of an area: for each row, beginning with first, the columns at which the area begins and ends in turn.
type spans struct {
	first int
	rows  [][]int
}

// largestSide bounds the rows of an area: no page is higher.
const largestSide = 1 << 16

// spans returns the pixels whose middles lie in the polygon. A pixel that the outline encloses twice is outside (even-odd
// rule).
func (p Polygon) spans() spans {
	if len(p) < 3 {
		return spans{}
	}
	top, bottom := math.Inf(1), math.Inf(-1)
	for _, at := range p {
		top, bottom = min(top, at[1]), max(bottom, at[1])
	}
	if !(top > -largestSide && bottom < largestSide) { // NaN is neither
		return spans{}
	}
	s := spans{first: int(math.Floor(top))}
	for y := s.first; y <= int(bottom); y++ {
		s.rows = append(s.rows, p.crossings(float64(y)+0.5))
	}
	return s
}

// crossings returns the columns at which the polygon's sides cross a height, from left to right.
func (p Polygon) crossings(y float64) []int {
	var columns []int
	for i, a := range p {
		b := p[(i+1)%len(p)]
		if (a[1] <= y) == (b[1] <= y) {
			continue
		}
		x := a[0] + (y-a[1])/(b[1]-a[1])*(b[0]-a[0])
		columns = append(columns, int(math.Round(x)))
	}
	slices.Sort(columns)
	return columns
}

func (s spans) area() int { return s.shared(s) }

// shared returns how many pixels lie in both areas.
func (s spans) shared(o spans) int {
	n := 0
	for y := max(s.first, o.first); y < min(s.first+len(s.rows), o.first+len(o.rows)); y++ {
		a, b := s.rows[y-s.first], o.rows[y-o.first]
		for i, j := 0, 0; i+1 < len(a) && j+1 < len(b); {
			n += max(min(a[i+1], b[j+1])-max(a[i], b[j]), 0)
			if a[i+1] < b[j+1] {
				i += 2
			} else {
				j += 2
			}
		}
	}
	return n
}
