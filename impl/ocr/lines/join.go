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

const (
	// shortest is the shortest line in units of the pitch.
	shortest = 1.0
	// thinnest is the least mean ink along a line; less is a stain or what shines through.
	thinnest = 0.03
	// smoothing of a line's heights along it, in units of the pitch.
	smoothing = 1.2
)

// settle cuts the ends of the lines back to where there is ink, drops those that are short or faint, and smooths the rest.
func settle(all []path, ink plane, pitch float64) []path {
	var out []path
	for _, p := range all {
		p, ok := p.trim(ink, pitch)
		if !ok || float64(p.end()-p.start()) < shortest*pitch || p.density(ink, pitch) < thinnest {
			continue
		}
		out = append(out, p.smooth(smoothing*pitch))
	}
	return out
}

// trim cuts the ends back to the first and last columns with ink near the line. It is false where nothing is left.
func (p path) trim(ink plane, pitch float64) (path, bool) {
	r := max(int(0.33*pitch), 2)
	on := make([]bool, len(p.xs))
	for i, x := range p.xs {
		y, n := int(math.Round(float64(p.ys[i]))), 0
		for d := -r; d <= r; d++ {
			if ink.at(x, y+d) > 0.35 {
				n++
			}
		}
		on[i] = n >= 2
	}
	first, last := -1, -1
	for start, end := range runs(len(on), 2, func(i int) bool { return on[i] }) {
		if first < 0 {
			first = start
		}
		last = end
	}
	if first < 0 || last-first < 3 {
		return path{}, false
	}
	return path{p.xs[first:last], p.ys[first:last]}, true
}

// density is the mean ink within 0.3 pitch of the line.
func (p path) density(ink plane, pitch float64) float64 {
	r := int(0.3 * pitch)
	var sum, n float64
	for i := 0; i < len(p.xs); i += 4 {
		for d := -r; d <= r; d++ {
			sum += float64(ink.at(p.xs[i], int(p.ys[i])+d))
			n++
		}
	}
	return sum / n
}

// smooth blurs the heights, with the ends going on as they are.
func (p path) smooth(sigma float64) path {
	r := boxRadius(sigma)
	in, out := slices.Clone(p.ys), make([]float32, len(p.ys))
	for range passes {
		boxMean(in, out, r)
		in, out = out, in
	}
	return path{p.xs, in}
}
