package layout

import (
	"math"
	"slices"

	"uncial/impl/ocr/imaging"
)

// onlyWritten drops lines that are not writing on the page: writing that shows through from the other side, whose ink is
// fainter than that of most lines, and lines that the network finds on the desk around the page, which is darker than paper.
func onlyWritten(all []path, ink, paper imaging.Plane) []path {
	tones := make([]tone, len(all))
	for i, p := range all {
		tones[i] = tone{p.darkness(ink), p.paper(paper), len(p.xs)}
	}
	usualInk := usual(tones, func(l tone) float64 { return l.ink })
	usualPaper := usual(tones, func(l tone) float64 { return l.paper })
	var out []path
	for i, p := range all {
		if tones[i].ink >= faintLine*usualInk && tones[i].paper >= darkDesk*usualPaper {
			out = append(out, p)
		}
	}
	return out
}

// tone is the ink of a line's strokes, 0..1, the grey of its paper, and its length.
type tone struct {
	ink, paper float64
	length     int
}

// usual returns the median of value over the lines, weighted by their length.
func usual(all []tone, value func(tone) float64) float64 {
	return weightedMedian(all, value, func(t tone) int { return t.length })
}

// darkness returns the ink of the strokes of a line, 0..1: the strokeInk quantile in the zone of small letters.
func (p path) darkness(ink imaging.Plane) float64 {
	var counts [256]int
	n := 0
	for i, x := range p.xs {
		base := int(math.Round(float64(p.ys[i]) * mapStride))
		for y := base - int(p.band.up*mapStride*smallLetters); y <= base; y++ {
			if y < 0 || y >= ink.H || x*mapStride >= ink.W {
				continue
			}
			counts[int(ink.At(x*mapStride, y)*255)]++
			n++
		}
	}
	left := int(float64(n) * (1 - strokeInk))
	for v := 255; v > 0; v-- {
		if left -= counts[v]; left < 0 {
			return float64(v) / 255
		}
	}
	return 0
}

// paper returns the mean grey of the paper along a line.
func (p path) paper(paper imaging.Plane) float64 {
	var sum float64
	for i, x := range p.xs {
		sum += float64(paper.At(x*mapStride/paperBlock, int(p.ys[i])*mapStride/paperBlock))
	}
	return sum / float64(len(p.xs))
}

// dropCutLines drops short lines at the left or right edge of an image if there are several: the edge cut off the lines of
// another page. width is the width of the image, and height the usual height of its lines.
func dropCutLines(all []path, width, height float64) []path {
	if len(all) == 0 {
		return all
	}
	narrow, near := cutWidth*medianWidth(all), cutMargin*height
	for _, atEdge := range []func(path) bool{
		func(p path) bool { return float64(p.start()) <= near },
		func(p path) bool { return float64(p.end()) >= width-near },
	} {
		whole := slices.DeleteFunc(slices.Clone(all), func(p path) bool { return atEdge(p) && float64(p.width()) < narrow })
		if len(all)-len(whole) >= cutLines {
			all = whole
		}
	}
	return all
}
