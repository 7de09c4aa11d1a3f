package groundtruth

import (
	"math"
	"slices"
)

// Heights returns how far a line's letters reach above and below its baseline, in pixels: the distance that its polygon exceeds
// in a tenth of the columns above, and in 15 % of them below, so that a single flourish does not count. ok is false where the
// polygon does not fit the baseline. Lines were cut by the same rule when the shipped model was trained.
func (l Line) Heights() (up, down float64, ok bool) {
	x0, x1 := l.Polygon[0].X, l.Polygon[0].X
	y0, y1 := l.Polygon[0].Y, l.Polygon[0].Y
	for _, p := range l.Polygon {
		x0, x1, y0, y1 = min(x0, p.X), max(x1, p.X), min(y0, p.Y), max(y1, p.Y)
	}
	if x1-x0 < minWidth || y1-y0 < minHeight {
		return 0, 0, false
	}
	var ups, downs []float64
	for i := range columns {
		x := x0 + (float64(i)+0.5)*(x1-x0)/columns
		if top, bottom, ok := l.extent(x); ok {
			base := l.at(x)
			ups, downs = append(ups, base-top), append(downs, bottom-base)
		}
	}
	if len(ups) < minColumns {
		return 0, 0, false
	}
	slices.Sort(ups)
	slices.Sort(downs)
	up, down = max(quantile(ups, upShare), minUp), max(quantile(downs, downShare), minDown)
	if middle := quantile(ups, 0.5); up > flourish*max(middle, 1)+slack {
		up = usualUp * middle
	}
	ok = up+down >= minHeight && up+down <= maxExceeded*(y1-y0)
	return up, down, ok
}

// at returns the y of the baseline at a column; beyond its ends the line continues horizontally. Band.At of package layout is
// the same function. This package cannot share it: layout needs cgo, and uncial is built without it.
func (l Line) at(x float64) float64 {
	b := l.Baseline
	for i := 1; i < len(b); i++ {
		if x <= b[i].X {
			if x <= b[i-1].X || b[i].X == b[i-1].X {
				return b[i-1].Y
			}
			return b[i-1].Y + (b[i].Y-b[i-1].Y)*(x-b[i-1].X)/(b[i].X-b[i-1].X)
		}
	}
	return b[len(b)-1].Y
}

// extent returns the highest and lowest point of the polygon at a column.
func (l Line) extent(x float64) (top, bottom float64, ok bool) {
	top, bottom = math.Inf(1), math.Inf(-1)
	for i, a := range l.Polygon {
		b := l.Polygon[(i+1)%len(l.Polygon)]
		if (a.X <= x) == (b.X <= x) {
			continue
		}
		y := a.Y + (b.Y-a.Y)*(x-a.X)/(b.X-a.X)
		top, bottom = min(top, y), max(bottom, y)
	}
	return top, bottom, top <= bottom
}

// quantile returns the value that a share of the sorted values does not exceed, interpolated between neighbours.
func quantile(sorted []float64, share float64) float64 {
	at := share * float64(len(sorted)-1)
	i := int(at)
	if i+1 >= len(sorted) {
		return sorted[len(sorted)-1]
	}
	return sorted[i] + (sorted[i+1]-sorted[i])*(at-float64(i))
}
