package lines

import (
	"cmp"
	"math"
	"slices"
)

const (
	// widestGap and overlap are how far, in units of the pitch, pieces of a line may stand apart and lie side by side.
	widestGap, overlap = 2.2, 0.5
	// misfit is how far a piece may lie above or below the continuation of another, in units of the pitch.
	misfit = 0.33
	// steepest is the slope that a continuation follows at most.
	steepest = 0.15
)

// join makes lines of the pieces that continue each other, from the left.
func join(parts []path, pitch float64) []path {
	slices.SortStableFunc(parts, func(a, b path) int { return cmp.Compare(a.start(), b.start()) })
	used := make([]bool, len(parts))
	var out []path
	for i, line := range parts {
		if used[i] {
			continue
		}
		used[i] = true
		for {
			j := successor(line, parts, used, pitch)
			if j < 0 {
				break
			}
			used[j] = true
			line = line.extend(parts[j])
		}
		out = append(out, line)
	}
	return out
}

// successor is the nearest piece that continues the line, or -1.
func successor(line path, parts []path, used []bool, pitch float64) int {
	k := max(int(1.5*pitch), 1)
	height, slope := line.tail(k)
	best, nearest := -1, math.Inf(1)
	for j, p := range parts {
		gap := float64(p.start() - line.end())
		if used[j] || gap < -overlap*pitch || gap > widestGap*pitch || p.end() <= line.end() {
			continue
		}
		expected := height + slope*max(gap, 0)
		if math.Abs(p.head(k)-expected) < misfit*pitch && gap < nearest {
			best, nearest = j, gap
		}
	}
	return best
}

// tail is the mean height of the line's last k columns, and its slope there.
func (p path) tail(k int) (height, slope float64) {
	n := len(p.ys)
	last := p.ys[max(n-k, 0):]
	for _, y := range last {
		height += float64(y) / float64(len(last))
	}
	if n > 3*k {
		slope = fit(p.xs[n-3*k:], p.ys[n-3*k:])
	}
	return height, min(max(slope, -steepest), steepest)
}

// head is the mean height of the first k columns.
func (p path) head(k int) float64 {
	return path{p.xs, p.ys[:min(k, len(p.ys))]}.mean()
}

// fit is the slope of the straight line through the points.
func fit(xs []int, ys []float32) float64 {
	var mx, my float64
	n := float64(len(xs))
	for i, x := range xs {
		mx += float64(x) / n
		my += float64(ys[i]) / n
	}
	var xy, xx float64
	for i, x := range xs {
		dx := float64(x) - mx
		xy += dx * (float64(ys[i]) - my)
		xx += dx * dx
	}
	if xx == 0 {
		return 0
	}
	return xy / xx
}

// extend is the line with the columns of another that lie beyond its end.
func (p path) extend(q path) path {
	i, _ := slices.BinarySearch(q.xs, p.end()+1)
	return path{slices.Concat(p.xs, q.xs[i:]), slices.Concat(p.ys, q.ys[i:])}
}
