package imaging

import "image"

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
