package layout

import (
	"math"
	"slices"

	"uncial/impl/ocr/imaging"
)

// path is the baseline of a line, in pixels of the network's maps: a y for each of its columns, from left to right.
type path struct {
	xs   []int
	ys   []float32
	band band
}

// band is how far a line's ink reaches above and below its baseline, in pixels of the network's maps.
type band struct{ up, down float64 }

// height returns the height of the line, from the top of its ascenders to the bottom of its descenders.
func (b band) height() float64 { return b.up + b.down }

func (p path) start() int { return p.xs[0] }

// end returns the last column of the path, which is part of it.
func (p path) end() int { return p.xs[len(p.xs)-1] }

func (p path) width() int { return p.end() - p.start() }

// middle returns the column halfway between the ends.
func (p path) middle() int { return (p.start() + p.end()) / 2 }

// slice returns the columns with the indices [i, j). It shares memory with the path.
func (p path) slice(i, j int) path { return path{p.xs[i:j], p.ys[i:j], p.band} }

// at returns the y at x. It interpolates between columns; beyond its ends the path continues with its overall slope.
func (p path) at(x float64) float64 {
	last := len(p.xs) - 1
	switch i, _ := slices.BinarySearch(p.xs, int(math.Floor(x))); {
	case x <= float64(p.xs[0]):
		return float64(p.ys[0]) + p.incline()*(x-float64(p.xs[0]))
	case x >= float64(p.xs[last]):
		return float64(p.ys[last]) + p.incline()*(x-float64(p.xs[last]))
	default:
		if p.xs[i] > int(math.Floor(x)) {
			i--
		}
		f := (x - float64(p.xs[i])) / float64(p.xs[i+1]-p.xs[i])
		return float64(p.ys[i]) + f*float64(p.ys[i+1]-p.ys[i])
	}
}

// incline returns the slope from the path's first to its last column, limited to steepest in both directions.
func (p path) incline() float64 {
	slope := float64(p.ys[len(p.ys)-1]-p.ys[0]) / float64(max(p.width(), 1))
	return min(max(slope, -steepest), steepest)
}

// smooth returns the path blurred relative to the straight line from its first to its last column, so that its ends keep their
// slope.
func (p path) smooth(deviation float64) path {
	n := len(p.ys)
	slope := (p.ys[n-1] - p.ys[0]) / float32(max(n-1, 1))
	rest := make([]float32, n)
	for i, y := range p.ys {
		rest[i] = y - p.ys[0] - float32(i)*slope
	}
	out := path{p.xs, imaging.BlurRow(rest, deviation), p.band}
	for i := range out.ys {
		out.ys[i] += p.ys[0] + float32(i)*slope
	}
	return out
}

// mean returns the mean y of the path; y grows downwards.
func (p path) mean() float64 {
	var sum float64
	for _, y := range p.ys {
		sum += float64(y)
	}
	return sum / float64(len(p.ys))
}

// tail returns the mean y of the line's last k columns, and its slope there.
func (p path) tail(k int) (height, slope float64) {
	n := len(p.ys)
	last := p.ys[max(n-k, 0):]
	for _, y := range last {
		height += float64(y) / float64(len(last))
	}
	if n > slopeLength*k {
		slope = p.slice(n-slopeLength*k, n).fitSlope()
	}
	return height, min(max(slope, -steepest), steepest)
}

// fitSlope returns the slope of the straight line that fits the path best.
func (p path) fitSlope() float64 {
	var mx, my float64
	n := float64(len(p.xs))
	for i, x := range p.xs {
		mx += float64(x) / n
		my += float64(p.ys[i]) / n
	}
	var xy, xx float64
	for i, x := range p.xs {
		dx := float64(x) - mx
		xy += dx * (float64(p.ys[i]) - my)
		xx += dx * dx
	}
	if xx == 0 {
		return 0
	}
	return xy / xx
}

// extend returns the line with those columns of another that lie beyond its end.
func (p path) extend(q path) path {
	i, _ := slices.BinarySearch(q.xs, p.end()+1)
	return path{slices.Concat(p.xs, q.xs[i:]), slices.Concat(p.ys, q.ys[i:]), p.band}
}

// quantile returns the q quantile of the values, interpolated. values must not be empty.
func quantile(values []float64, q float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	at := q * float64(len(sorted)-1)
	i := int(at)
	if i+1 >= len(sorted) {
		return sorted[len(sorted)-1]
	}
	return sorted[i] + (at-float64(i))*(sorted[i+1]-sorted[i])
}

// scaled returns the path enlarged or shrunk by a factor.
func (p path) scaled(factor float64) path {
	out := path{band: band{p.band.up * factor, p.band.down * factor}}
	for x := int(float64(p.start()) * factor); x <= int(float64(p.end())*factor); x++ {
		out.xs, out.ys = append(out.xs, x), append(out.ys, float32(p.at(float64(x)/factor)*factor))
	}
	return out
}

// liesIn reports whether most of the path is in the band of another.
func (p path) liesIn(q path) bool {
	n := 0
	for i, x := range p.xs {
		if x >= q.start() && x <= q.end() {
			if d := float64(p.ys[i]) - q.at(float64(x)); d > -q.band.up && d < q.band.down {
				n++
			}
		}
	}
	return 2*n > len(p.xs)
}
