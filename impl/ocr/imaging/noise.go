package imaging

import (
	"image"
	"math"
)

const (
	// quiet is the noise, a standard deviation in grey values, that is never looked at any closer. Of the 55 pages measured
	// the noisiest has 2.6.
	quiet = 4.0
	// noisy is the noise, as a share of the contrast of ink and paper, that one smoothing makes up for. On the pages
	// measured it is at most 0.04; from about 0.2 on Tesseract takes noise for ink and loses whole pages.
	noisy = 0.15
	// mostSmoothing is how many times a page is smoothed at most: more would melt its letters.
	mostSmoothing = 5
	// contrastSmoothing makes the noise small beside the ink, for measuring the contrast.
	contrastSmoothing = 4
	// inkQuantile is the share of a page's pixels that is as dark as ink at least.
	inkQuantile = 0.03
	// lightQuantile is where paper is sought, which on a page that was photographed on a dark table is the smaller part.
	lightQuantile = 0.9
)

// Denoise smooths a page whose noise is strong beside its contrast: a picture taken in little light, a faint microfilm.
// Other pages are returned as they are.
func Denoise(g *image.Gray) *image.Gray {
	deviation := noise(g)
	if deviation < quiet {
		return g
	}
	h := histogramOf(smooth(g, contrastSmoothing))
	contrast := h.quantile(lightQuantile) - h.quantile(inkQuantile)
	times := int(math.Round(deviation / float64(max(contrast, 1)) / noisy))
	return smooth(g, min(times, mostSmoothing))
}

// noise estimates the standard deviation of a page's noise, from the differences of pixels from what their eight neighbours
// tell: the operator of Immerkær (1996), which is blind to shading. Their lower quartile is taken, for ink is no noise, and
// of a scrap of small type more than half is letters and their edges. What Leaves made white does not count.
func noise(g *image.Gray) float64 {
	var differences [2048]int
	n := 0
	for top := 0; top < g.Rect.Dy(); top += paperCell {
		for left := 0; left < g.Rect.Dx(); left += paperCell {
			if r := image.Rect(left, top, left+paperCell, top+paperCell).Intersect(g.Rect); !white(g, r) {
				n += countDifferences(g, r.Intersect(g.Rect.Inset(1)), &differences)
			}
		}
	}
	at, below := 0, differences[0]
	for 4*below < n {
		at++
		below += differences[at]
	}
	// The lower quartile of a normal distribution's distances is 0.3186 deviations; the operator's deviation is 6 times the
	// noise's.
	return float64(at) / (0.3186 * 6)
}

// countDifferences counts what the operator gives for every second pixel of every second row, and returns how many they are.
func countDifferences(g *image.Gray, r image.Rectangle, differences *[2048]int) int {
	n := 0
	for y := r.Min.Y; y < r.Max.Y; y += 2 {
		a, b, c := row(g, y-1), row(g, y), row(g, y+1)
		for x := r.Min.X; x < r.Max.X; x += 2 {
			d := int(a[x-1]) - 2*int(a[x]) + int(a[x+1]) - 2*int(b[x-1]) + 4*int(b[x]) - 2*int(b[x+1]) + int(c[x-1]) - 2*int(c[x]) + int(c[x+1])
			differences[max(d, -d)]++
			n++
		}
	}
	return n
}

func white(g *image.Gray, r image.Rectangle) bool {
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for _, v := range row(g, y)[r.Min.X:r.Max.X] {
			if v != 255 {
				return false
			}
		}
	}
	return true
}

// smooth averages each pixel with its neighbours, by the factors 1 2 1 along both sides, several times over. It copies once.
func smooth(g *image.Gray, times int) *image.Gray {
	if times == 0 || g.Rect.Empty() {
		return g
	}
	out := Crop(g, g.Rect)
	w := g.Rect.Dx()
	above, here, below := make([]uint8, w), make([]uint8, w), make([]uint8, w)
	for range times {
		smoothOnce(out, above, here, below)
	}
	return out
}

// smoothOnce smooths a page in its place. The three rows of its width hold what three of its rows are when smoothed along.
func smoothOnce(g *image.Gray, above, here, below []uint8) {
	h := g.Rect.Dy()
	smoothRow(row(g, 0), here)
	copy(above, here)
	for y := range h {
		smoothRow(row(g, min(y+1, h-1)), below)
		to := row(g, y)
		for x := range to {
			to[x] = uint8((int(above[x]) + 2*int(here[x]) + int(below[x]) + 2) / 4) // #nosec G115 -- a mean
		}
		above, here, below = here, below, above
	}
}

func smoothRow(from, to []uint8) {
	last := len(from) - 1
	for x := range to {
		to[x] = uint8((int(from[max(x-1, 0)]) + 2*int(from[x]) + int(from[min(x+1, last)]) + 2) / 4) // #nosec G115 -- a mean
	}
}

func quantileOf(h Histogram, q float64) int { return h.quantile(q) }

// mapped is the page with each grey value replaced by what f gives for it, 0..255.
func mapped(g *image.Gray, f func(v int) int) *image.Gray {
	var table [256]uint8
	for v := range table {
		table[v] = uint8(f(v)) // #nosec G115 -- 0..255
	}
	out := image.NewGray(image.Rect(0, 0, g.Rect.Dx(), g.Rect.Dy()))
	for y := range g.Rect.Dy() {
		to := row(out, y)
		for x, v := range row(g, y) {
			to[x] = table[v]
		}
	}
	return out
}
