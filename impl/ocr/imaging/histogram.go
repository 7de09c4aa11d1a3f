package imaging

import (
	"image"
	"math"
)

// Histogram counts the pixels of each grey.
type Histogram [256]int

// histogramOf counts the pixels of each grey.
func histogramOf(g *image.Gray) Histogram {
	var counts [4]Histogram // used in turn: neighbours are often equal, and incrementing the same counter repeatedly is slow
	for y := range g.Rect.Dy() {
		r := row(g, y)
		for ; len(r) >= 4; r = r[4:] {
			counts[0][r[0]]++
			counts[1][r[1]]++
			counts[2][r[2]]++
			counts[3][r[3]]++
		}
		counts[0].Add(r)
	}
	h := counts[0]
	for _, c := range counts[1:] {
		for v, n := range c {
			h[v] += n
		}
	}
	return h
}

// Add counts more pixels.
func (h *Histogram) Add(pixels []uint8) {
	for _, v := range pixels {
		h[v]++
	}
}

// Total returns the number of pixels counted.
func (h *Histogram) Total() int {
	total := 0
	for _, n := range h {
		total += n
	}
	return total
}

// AtRank returns the grey at index rank, from 0, when all pixels are sorted from dark to light. It returns 0 for a negative
// rank, and 255 for a rank past the end.
func (h *Histogram) AtRank(rank int) uint8 {
	for v, n := range h {
		if rank < n {
			return uint8(v) // #nosec G115 -- an index of 256
		}
		rank -= n
	}
	return 255
}

// quantile returns the smallest grey that the share q of the pixels does not exceed.
func (h *Histogram) quantile(q float64) int {
	return int(h.AtRank(int(math.Ceil(q*float64(h.Total()))) - 1))
}

// histogramIn counts the greys in a part of the image.
func histogramIn(g *image.Gray, r image.Rectangle) (h Histogram) {
	for y := r.Min.Y; y < r.Max.Y; y++ {
		h.Add(row(g, y)[r.Min.X:r.Max.X])
	}
	return h
}

// PaperGrey returns the grey of the paper in a part of the image: the q quantile of its greys.
func PaperGrey(g *image.Gray, r image.Rectangle, q float64) uint8 {
	h := histogramIn(g, r)
	total := r.Dx() * r.Dy()
	return h.AtRank(total - 1 - int((1-q)*float64(total)))
}

// otsu returns the grey that best separates dark from light: pixels up to it are ink (Otsu 1979, the lowest variance within
// the two classes). Of several that separate them equally, it is the middle one, so that it also separates the greys between
// black and white that rotating or resizing a bilevel page makes.
func otsu(h Histogram) uint8 {
	var total, sum float64
	for v, n := range h {
		total += float64(n)
		sum += float64(v) * float64(n)
	}
	var dark, darkSum, best float64
	first, last := len(h)/2-1, len(h)/2-1 // if the page has only one grey
	for v, n := range h {
		dark += float64(n)
		darkSum += float64(v) * float64(n)
		if dark == 0 || dark == total {
			continue
		}
		gap := darkSum/dark - (sum-darkSum)/(total-dark)
		switch between := dark * (total - dark) * gap * gap; {
		case between > best:
			best, first, last = between, v, v
		case n == 0 && v == last+1: // pixels are divided as by the previous grey
			last = v
		}
	}
	return uint8((first + last) / 2) // #nosec G115 -- an index of 256
}

// Contrast returns the difference between the mean greys of paper and ink, which InkThreshold separates; 0 without either.
func Contrast(g *image.Gray) float64 {
	h := histogramOf(g)
	threshold := int(otsu(h))
	var pixels, sum [2]float64
	for v, n := range h {
		side := 0
		if v > threshold {
			side = 1
		}
		pixels[side] += float64(n)
		sum[side] += float64(v) * float64(n)
	}
	if pixels[0] == 0 || pixels[1] == 0 {
		return 0
	}
	return sum[1]/pixels[1] - sum[0]/pixels[0]
}

// IsBilevel reports whether nearly all pixels of the page are black or white. Such a page needs neither a background estimate
// nor a threshold.
func IsBilevel(g *image.Gray) bool {
	h := histogramOf(g)
	extreme := 0
	for i := range bilevelEnds {
		extreme += h[i] + h[255-i]
	}
	return float64(extreme) >= bilevelShare*float64(max(h.Total(), 1))
}
