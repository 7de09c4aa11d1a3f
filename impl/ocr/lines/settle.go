package lines

import (
	"math"
	"slices"
)

const (
	// shortest is the shortest line in units of the pitch.
	shortest = 0.6
	// thinnest is the least mean ink along a line; less is a stain or what shines through.
	thinnest = 0.03
	// evenWord and evenLine are the least variation of the ink along a short line and along one of longLine or more, its
	// deviation over its mean: writing has strokes and blanks, while rules and the edges of a page are even.
	evenWord, evenLine = 0.2, 0.45
	// longLine is the length of a line that has blanks between words, in units of the pitch.
	longLine = 8.0
	// smoothing of a line's heights along it, in units of the pitch.
	smoothing = 1.2
)

// settle cuts the ends of the lines back to where there is ink, drops what is short, faint or no writing, and smooths the rest.
func settle(all []path, ink plane, pitch float64) []path {
	var out []path
	for _, p := range all {
		p, ok := p.trim(ink, pitch)
		if !ok || float64(p.width()) < shortest*pitch {
			continue
		}
		if mean, variation := p.texture(ink, pitch); mean < thinnest || variation < p.evenness(pitch) {
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

// evenness is the variation below which a line of this length is no writing.
func (p path) evenness(pitch float64) float64 {
	return evenWord + (evenLine-evenWord)*min(float64(p.width())/(longLine*pitch), 1)
}

// texture is the mean ink within 0.33 pitch of the line, and how much it varies from column to column.
func (p path) texture(ink plane, pitch float64) (mean, variation float64) {
	r := int(0.33 * pitch)
	var sum, squares float64
	for i, x := range p.xs {
		column := 0.0
		for d := -r; d <= r; d++ {
			column += float64(ink.at(x, int(p.ys[i])+d))
		}
		sum += column
		squares += column * column
	}
	n := float64(len(p.xs))
	m := sum / n
	if m == 0 {
		return 0, 0
	}
	return m / float64(2*r+1), math.Sqrt(max(squares/n-m*m, 0)) / m
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

const (
	// slivers is how many scraps at one edge of the image show that the next leaf's text begins or ends there, and
	// sliverWidth how wide they are at most, as a share of the width of the usual line.
	slivers, sliverWidth = 3, 0.3
)

// dropSlivers removes what stands at the image's left or right edge of the lines of another leaf: scraps that were cut
// there.
func dropSlivers(all []path, width int, pitch float64) []path {
	if len(all) == 0 {
		return all
	}
	narrow := sliverWidth * medianWidth(all)
	near := int(0.5 * pitch)
	for _, cutThere := range []func(path) bool{
		func(p path) bool { return p.start() <= near },
		func(p path) bool { return p.end() >= width-near },
	} {
		isSliver := func(p path) bool { return cutThere(p) && float64(p.width()) < narrow }
		n := 0
		for _, p := range all {
			if isSliver(p) {
				n++
			}
		}
		if n >= slivers {
			all = slices.DeleteFunc(all, isSliver)
		}
	}
	return all
}
