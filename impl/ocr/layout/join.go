package layout

import (
	"cmp"
	"math"
	"slices"
)

// join makes lines of the pieces that continue each other, from left to right.
func join(parts []path, pitch float64) []path {
	slices.SortStableFunc(parts, func(a, b path) int { return cmp.Compare(a.start(), b.start()) })
	used := make([]bool, len(parts))
	var out []path
	for i, line := range parts {
		if used[i] {
			continue
		}
		for next := i; next >= 0; next = successor(line, parts, used, pitch) {
			used[next] = true
			if next != i {
				line = line.extend(parts[next])
			}
		}
		out = append(out, line)
	}
	return out
}

// successor returns the index of the nearest unused piece that continues the line, or -1.
func successor(line path, parts []path, used []bool, pitch float64) int {
	k := max(int(endLength*pitch), 1)
	height, slope := line.tail(k)
	best, nearest := -1, math.Inf(1)
	for j, p := range parts {
		gap := float64(p.start() - line.end())
		if used[j] || gap < -overlap*pitch || gap > widestGap*pitch || p.end() <= line.end() {
			continue
		}
		head := p.slice(0, min(k, len(p.ys))).mean()
		expected := height + slope*max(gap, 0)
		if math.Abs(head-expected) < misfit*pitch && gap < nearest {
			best, nearest = j, gap
		}
	}
	return best
}

// tail returns the mean height of the line's last k columns, and its slope there.
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
	return path{slices.Concat(p.xs, q.xs[i:]), slices.Concat(p.ys, q.ys[i:])}
}
