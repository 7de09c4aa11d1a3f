package imaging

import (
	"image"
	"math"
)

// Otsu is the grey value that best parts the page into dark and light: pixels up to it are ink (Otsu 1979, the least
// variance within the two classes).
func Otsu(g *image.Gray) uint8 { return otsu(Histogram(g)) }

func otsu(h [256]int) uint8 {
	var total, sum float64
	for v, n := range h {
		total += float64(n)
		sum += float64(v) * float64(n)
	}
	var dark, darkSum, best float64
	threshold := 127
	for v, n := range h {
		dark += float64(n)
		darkSum += float64(v) * float64(n)
		if dark == 0 || dark == total {
			continue
		}
		gap := darkSum/dark - (sum-darkSum)/(total-dark)
		if between := dark * (total - dark) * gap * gap; between > best {
			best, threshold = between, v
		}
	}
	return uint8(threshold) // #nosec G115 -- an index of 256
}

// Binarize makes pixels up to the threshold black and the others white.
func Binarize(g *image.Gray, threshold uint8) *image.Gray {
	out := image.NewGray(g.Rect)
	for y := range g.Rect.Dy() {
		to := row(out, y)
		for x, v := range row(g, y) {
			if v > threshold {
				to[x] = 255
			}
		}
	}
	return out
}

// sauvolaRange is the greatest standard deviation of grey values, as in Sauvola & Pietikäinen (2000).
const sauvolaRange = 128

// Sauvola makes a pixel black where it is darker than the mean of the window around it, lowered the more the less
// contrast the window has: mean * (1 + k*(deviation/128 - 1)). The window is a square of 2*radius+1 pixels.
func Sauvola(g *image.Gray, radius int, k float64) *image.Gray {
	w, h := g.Rect.Dx(), g.Rect.Dy()
	out := image.NewGray(image.Rect(0, 0, w, h))
	sums, squares := integrals(g)
	at := func(t []uint64, x, y int) uint64 { return t[y*(w+1)+x] }
	for y := range h {
		y0, y1 := max(y-radius, 0), min(y+radius+1, h)
		from, to := row(g, y), row(out, y)
		for x, v := range from {
			x0, x1 := max(x-radius, 0), min(x+radius+1, w)
			n := float64((x1 - x0) * (y1 - y0))
			mean := float64(at(sums, x1, y1)-at(sums, x0, y1)-at(sums, x1, y0)+at(sums, x0, y0)) / n
			square := float64(at(squares, x1, y1)-at(squares, x0, y1)-at(squares, x1, y0)+at(squares, x0, y0)) / n
			deviation := math.Sqrt(max(square-mean*mean, 0))
			if float64(v) > mean*(1+k*(deviation/sauvolaRange-1)) {
				to[x] = 255
			}
		}
	}
	return out
}

// integrals are the sums of the values, and of their squares, above and left of each pixel.
func integrals(g *image.Gray) (sums, squares []uint64) {
	w, h := g.Rect.Dx(), g.Rect.Dy()
	sums, squares = make([]uint64, (w+1)*(h+1)), make([]uint64, (w+1)*(h+1))
	for y := range h {
		var s, q uint64
		above, here := y*(w+1), (y+1)*(w+1)
		for x, v := range row(g, y) {
			s += uint64(v)
			q += uint64(v) * uint64(v)
			sums[here+x+1] = sums[above+x+1] + s
			squares[here+x+1] = squares[above+x+1] + q
		}
	}
	return sums, squares
}
