package layout

import (
	"cmp"
	"math"
	"slices"

	"uncial/impl/ocr/imaging"
	"uncial/impl/ocr/neural"
)

// decode returns the lines that the network's maps show, in pixels of the maps. The baseline map has a ridge for each line.
// decode connects the ridges from column to column, cuts the paths where the map of ends says so, and joins paths that continue
// each other. Its time is bounded by the size of the maps, whatever their values.
func decode(m neural.Maps) []path {
	var out []path
	for _, t := range trace(m) {
		out = append(out, cutAtEnds(t, m)...)
	}
	out = withHeights(out, m)
	out = joinPaths(out, m)
	out = slices.DeleteFunc(out, func(p path) bool { return float64(p.width()) < shortestLine*p.band.height() })
	out = withoutDoubles(out)
	for i := range out {
		out[i] = out[i].smooth(lineSmoothing * out[i].band.height())
	}
	return out
}

// mark is where a ridge of the baseline map crosses a column.
type mark struct{ y, strength float32 }

// marks returns the ridges of a column from top to bottom.
func marks(column []float32) []mark {
	var out []mark
	for from, to := range imaging.Runs(len(column), 1, func(y int) bool { return column[y] > faintBaseline }) {
		if to-from <= thickestRidge {
			out = append(out, centre(column, from, to))
			continue
		}
		for y := from; y < to; y++ { // several ridges touch, or the line is steep
			if isTop(column, y, from, to) {
				out = append(out, centre(column, max(y-1, from), min(y+2, to)))
			}
		}
	}
	return out
}

// isTop reports whether the value at y is the largest within thickestRidge/2 in its run, and the first of equal ones.
func isTop(column []float32, y, from, to int) bool {
	for d := 1; d <= thickestRidge/2; d++ {
		if y-d >= from && column[y-d] >= column[y] || y+d < to && column[y+d] > column[y] {
			return false
		}
	}
	return true
}

// centre returns the centre of a part of a column: its mean y, weighted by the values, and the largest value.
func centre(column []float32, from, to int) mark {
	var sum, weighted, top float32
	for y := from; y < to; y++ {
		sum += column[y]
		weighted += column[y] * float32(y)
		top = max(top, column[y])
	}
	return mark{weighted / sum, top}
}

// track is a line that is being traced.
type track struct {
	path
	strength float32 // sum over the columns
}

// expected returns the y at which the track is expected at a column beyond its end.
func (t *track) expected(x int) float64 {
	n := len(t.xs)
	k := max(n-slopeColumns, 0)
	slope := 0.0
	if n-k >= slopeColumns/2 {
		slope = float64(t.ys[n-1]-t.ys[k]) / float64(t.xs[n-1]-t.xs[k])
	}
	return float64(t.ys[n-1]) + slope*float64(x-t.xs[n-1])
}

// trace connects the marks of neighbouring columns.
func trace(m neural.Maps) []path {
	var open, done []*track
	column := make([]float32, m.H)
	for x := range m.W {
		for y := range column {
			column[y] = m.Baseline[y*m.W+x]
		}
		found := marks(column)
		taken := follow(open, found, x)
		for i, k := range found {
			if !taken[i] {
				open = append(open, &track{path{xs: []int{x}, ys: []float32{k.y}}, k.strength})
			}
		}
		open = slices.DeleteFunc(open, func(t *track) bool {
			ended := x-t.end() >= longestGap
			if ended {
				done = append(done, t)
			}
			return ended
		})
	}
	var out []path
	for _, t := range append(done, open...) {
		if len(t.xs) >= minColumns && t.strength >= minStrength*float32(len(t.xs)) {
			out = append(out, t.filled())
		}
	}
	return out
}

// follow continues tracks with the marks of column x, each track with at most one mark, and reports which marks were taken.
func follow(open []*track, found []mark, x int) []bool {
	taken := make([]bool, len(found))
	type pair struct {
		t        *track
		mark     int
		distance float64
	}
	var pairs []pair
	for _, t := range open {
		y := t.expected(x)
		reach := minReach + reachGrowth*float64(x-t.end())
		i, _ := slices.BinarySearchFunc(found, float32(y-reach), func(k mark, v float32) int { return cmp.Compare(k.y, v) })
		for ; i < len(found) && float64(found[i].y) <= y+reach; i++ {
			d := math.Abs(float64(found[i].y)-y) + float64(x-t.end()-1)
			pairs = append(pairs, pair{t, i, d})
		}
	}
	slices.SortStableFunc(pairs, func(a, b pair) int { return cmp.Compare(a.distance, b.distance) })
	for _, p := range pairs {
		if !taken[p.mark] && p.t.end() < x {
			taken[p.mark] = true
			p.t.xs, p.t.ys = append(p.t.xs, x), append(p.t.ys, found[p.mark].y)
			p.t.strength += found[p.mark].strength
		}
	}
	return taken
}

// filled returns the path with a y for every column between its ends.
func (p path) filled() path {
	out := path{band: p.band}
	for x := p.start(); x <= p.end(); x++ {
		out.xs, out.ys = append(out.xs, x), append(out.ys, float32(p.at(float64(x))))
	}
	return out
}

// ends returns, for each column of a path, the probability that a line begins or ends there.
func (p path) ends(m neural.Maps) []float32 {
	out := make([]float32, len(p.xs))
	for i, x := range p.xs {
		y := int(math.Round(float64(p.ys[i])))
		for d := -endNear; d <= endNear; d++ {
			if k := y + d; k >= 0 && k < m.H {
				out[i] = max(out[i], m.End[k*m.W+x])
			}
		}
	}
	return out
}

// cutAtEnds divides a path where the map of ends says that one line ends and another begins. It ignores the ends of the path
// itself, at which the map is high too.
func cutAtEnds(p path, m neural.Maps) []path {
	ends := p.ends(m)
	var out []path
	from := 0
	for a, b := range imaging.Runs(len(ends), 1, func(i int) bool { return ends[i] > likelyEnd }) {
		if a < endReach || b > len(ends)-endReach {
			continue
		}
		out = append(out, p.slice(from, (a+b)/2))
		from = (a + b) / 2
	}
	return append(out, p.slice(from, len(p.xs)))
}

// withHeights sets the band of each path to the medians of the Up and Down maps along it. It drops paths without a plausible
// height.
func withHeights(all []path, m neural.Maps) []path {
	var out []path
	for _, p := range all {
		up, down := make([]float64, len(p.xs)), make([]float64, len(p.xs))
		for i, x := range p.xs {
			at := min(max(int(math.Round(float64(p.ys[i]))), 0), m.H-1)*m.W + x
			up[i], down[i] = float64(m.Up[at])/mapStride, float64(m.Down[at])/mapStride
		}
		p.band = band{quantile(up, 0.5), quantile(down, 0.5)}
		if p.band.up > 0 && p.band.height() >= minHeight {
			p.band.down = max(p.band.down, 0)
			out = append(out, p)
		}
	}
	return out
}

// joinPaths joins paths that continue each other, unless the map of ends says that a line ends there.
func joinPaths(all []path, m neural.Maps) []path {
	slices.SortStableFunc(all, func(a, b path) int { return cmp.Compare(a.start(), b.start()) })
	used := make([]bool, len(all))
	var out []path
	for i, line := range all {
		if used[i] {
			continue
		}
		for next := i; next >= 0; next = continuation(line, all, used, m) {
			used[next] = true
			if next != i {
				line = line.extend(all[next]).filled()
			}
		}
		out = append(out, line)
	}
	return out
}

// continuation returns the index of the nearest unused path that continues a line, or -1.
func continuation(line path, all []path, used []bool, m neural.Maps) int {
	h := line.band.height()
	if slices.Max(line.ends(m)[max(len(line.xs)-endReach, 0):]) > likelyEnd {
		return -1
	}
	height, slope := line.tail(max(int(h), 1))
	best, nearest := -1, math.Inf(1)
	first, _ := slices.BinarySearchFunc(all, line.end()+1, func(p path, x int) int { return cmp.Compare(p.start(), x) })
	for j := first; j < len(all) && float64(all[j].start()-line.end()) <= widestJoin*h; j++ {
		p := all[j]
		gap := float64(p.start() - line.end())
		if used[j] || gap >= nearest || slices.Max(p.ends(m)[:min(endReach, len(p.xs))]) > likelyEnd {
			continue
		}
		head := p.slice(0, min(max(int(h), 1), len(p.ys))).mean()
		if math.Abs(head-height-slope*gap) < joinMisfit*h && p.band.height() < alikeHeights*h && h < alikeHeights*p.band.height() {
			best, nearest = j, gap
		}
	}
	return best
}

// withoutDoubles drops paths that mostly coincide with a longer one.
func withoutDoubles(all []path) []path {
	slices.SortStableFunc(all, func(a, b path) int { return cmp.Compare(b.width(), a.width()) })
	var out []path
	for _, p := range all {
		if !slices.ContainsFunc(out, p.liesOn) {
			out = append(out, p)
		}
	}
	return out
}

// liesOn reports whether most of the path is nearer to another path than two lines can be.
func (p path) liesOn(q path) bool {
	if p.end() < q.start() || p.start() > q.end() {
		return false
	}
	n := 0
	for i, x := range p.xs {
		if x >= q.start() && x <= q.end() && math.Abs(float64(p.ys[i])-q.at(float64(x))) < nearestLines*min(p.band.height(), q.band.height()) {
			n++
		}
	}
	return 2*n > len(p.xs)
}
