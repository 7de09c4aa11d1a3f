package imaging

import (
	"image"
	"math"
)

// Denoise smooths a page whose noise is strong compared with its contrast, such as a picture taken in poor light or a faint
// microfilm, and less if its letters are small. It returns other pages unchanged.
func Denoise(g *image.Gray) *image.Gray {
	deviation := noise(g)
	if deviation < quietNoise {
		return g
	}
	h := histogramOf(smooth(g, contrastSmoothing))
	contrast := h.quantile(lightQuantile) - h.quantile(inkQuantile)
	share := deviation / float64(max(contrast, 1))
	smoothed := smooth(g, smoothings(share, noiseShare))
	if smoothed == g {
		return g
	}
	if height := LetterHeight(Letters(smoothed)); height > 0 && height <= smallNoiseHeight {
		return smooth(g, smoothings(share, smallNoiseShare))
	}
	return smoothed
}

// smoothings returns how often to smooth a page whose noise is a share of its contrast, if one smoothing can remove another.
func smoothings(noise, removed float64) int { return min(int(math.Round(noise/removed)), maxSmoothing) }

// Descreen turns a page in black and white whose greys are rendered as dots, such as a dithered photograph, into one with
// greys. It returns other pages unchanged.
func Descreen(g *image.Gray) *image.Gray {
	area := Area(g.Rect)
	if area < minScreened || !IsBilevel(g) {
		return g
	}
	// Dense dots touch and form few spots, but they count as noise everywhere.
	if noise(g) >= quietNoise || len(AllSpots(g)) > area/pixelsPerDot {
		return smooth(g, maxSmoothing)
	}
	return g
}

// differenceRange is more than the largest difference that the operator of noise returns, 8 * 255.
const differenceRange = 2048

// noise estimates the standard deviation of a page's noise, in grey levels, from the differences between pixels and the values
// that their eight neighbours predict: the operator of Immerkær (1996), which ignores shading. It uses the lower quartile of
// the differences, because ink is not noise, and more than half of the pixels in a scrap of small type belong to letters and
// their edges. Whitened surroundings do not count.
func noise(g *image.Gray) float64 {
	var differences [differenceRange]int
	n := 0
	for top := 0; top < g.Rect.Dy(); top += paperCell {
		for left := 0; left < g.Rect.Dx(); left += paperCell {
			if r := image.Rect(left, top, left+paperCell, top+paperCell).Intersect(g.Rect); !isWhite(g, r) {
				n += countDifferences(g, r.Intersect(g.Rect.Inset(1)), &differences)
			}
		}
	}
	at, below := 0, differences[0]
	for 4*below < n {
		at++
		below += differences[at]
	}
	// In a normal distribution, the lower quartile of the absolute deviations is lowerQuartile standard deviations. The
	// operator multiplies the deviation of the noise by operatorGain.
	const lowerQuartile, operatorGain = 0.3186, 6
	return float64(at) / (lowerQuartile * operatorGain)
}

// countDifferences counts the operator's results for every second pixel of every second row, and returns their number.
func countDifferences(g *image.Gray, r image.Rectangle, differences *[differenceRange]int) int {
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

// isWhite reports whether all pixels of a rectangle are white.
func isWhite(g *image.Gray, r image.Rectangle) bool {
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for _, v := range row(g, y)[r.Min.X:r.Max.X] {
			if v != 255 {
				return false
			}
		}
	}
	return true
}

// smooth averages each pixel with its neighbours, with the weights 1 2 1 across and down, the given number of times. It copies
// the page only once.
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

// smoothOnce smooths a page in place. The three buffers, as wide as the page, hold three of its rows smoothed across.
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

// smoothRow writes to each pixel of to the mean of a pixel, counted twice, and its two neighbours. The pixels at both ends are
// repeated beyond them.
func smoothRow(from, to []uint8) {
	last := len(from) - 1
	for x := range to {
		to[x] = uint8((int(from[max(x-1, 0)]) + 2*int(from[x]) + int(from[min(x+1, last)]) + 2) / 4) // #nosec G115 -- a mean
	}
}

// Thin returns a copy with thinner strokes: each pixel becomes the mean of itself and the lightest among itself and its four
// neighbours.
func Thin(g *image.Gray) *image.Gray {
	w, h := g.Rect.Dx(), g.Rect.Dy()
	out := image.NewGray(image.Rect(0, 0, w, h))
	at := func(x, y int) uint16 { return uint16(g.Pix[y*g.Stride+x]) }
	for y := range h {
		for x := range w {
			lightest := max(at(x, y), at(max(x-1, 0), y), at(min(x+1, w-1), y), at(x, max(y-1, 0)), at(x, min(y+1, h-1)))
			out.Pix[y*out.Stride+x] = uint8((at(x, y) + lightest) / 2) // #nosec G115 -- the mean of two bytes
		}
	}
	return out
}
