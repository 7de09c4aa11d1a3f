package layout

import (
	"math"
	"slices"

	"uncial/impl/ocr/imaging"
)

// trimAll trims the ends of the lines, drops those that are short, faint or not writing, and smooths the rest.
func trimAll(all []path, ink imaging.Plane, pitch float64) []path {
	var out []path
	for _, p := range all {
		p, ok := p.trim(ink, pitch)
		if !ok || float64(p.width()) < shortest*pitch {
			continue
		}
		if mean, variation := p.texture(ink, pitch); mean >= thinnest && variation >= p.leastVariation(pitch) {
			out = append(out, path{p.xs, imaging.BlurRow(p.ys, pathSmoothing*pitch)})
		}
	}
	return out
}

// trim cuts the ends back to the first and last columns with ink near the line. It reports false if nothing is left.
func (p path) trim(ink imaging.Plane, pitch float64) (path, bool) {
	r := max(int(nearPath*pitch), leastNear)
	hasInk := make([]bool, len(p.xs))
	for i, x := range p.xs {
		y, n := int(math.Round(float64(p.ys[i]))), 0
		for d := -r; d <= r; d++ {
			if ink.At(x, y+d) > darkInk {
				n++
			}
		}
		hasInk[i] = n >= darkPixels
	}
	first, last := -1, -1
	for start, end := range imaging.Runs(len(hasInk), darkColumns, func(i int) bool { return hasInk[i] }) {
		if first < 0 {
			first = start
		}
		last = end
	}
	if first < 0 || last-first < shortestColumns {
		return path{}, false
	}
	return p.slice(first, last), true
}

// leastVariation returns the variation of the ink below which a line of this length is not writing.
func (p path) leastVariation(pitch float64) float64 {
	return evenWord + (evenLine-evenWord)*min(float64(p.width())/(longLine*pitch), 1)
}

// texture returns the mean ink near the line, and its variation from column to column (deviation over mean).
func (p path) texture(ink imaging.Plane, pitch float64) (mean, variation float64) {
	r := int(nearPath * pitch)
	var sum, squares float64
	for i, x := range p.xs {
		column := 0.0
		for d := -r; d <= r; d++ {
			column += float64(ink.At(x, int(p.ys[i])+d))
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

// dropCutLines drops short lines at the left or right edge of the image if there are several: there the lines of another
// page were cut off.
func dropCutLines(all []path, width int, pitch float64) []path {
	if len(all) == 0 {
		return all
	}
	narrow := cutWidth * medianWidth(all)
	near := int(cutMargin * pitch)
	for _, atEdge := range []func(path) bool{
		func(p path) bool { return p.start() <= near },
		func(p path) bool { return p.end() >= width-near },
	} {
		whole := slices.DeleteFunc(slices.Clone(all), func(p path) bool { return atEdge(p) && float64(p.width()) < narrow })
		if len(all)-len(whole) >= cutLines {
			all = whole
		}
	}
	return all
}
