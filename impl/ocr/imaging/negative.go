package imaging

import "image"

// negativeLetters is how many times as many light letters as dark ones a negative has at least. The dark spots that it
// has are the counters of letters such as o and e, less than half as many.
const negativeLetters = 1.5

// Bright is the page with its greys spread up to white where it is so dark that nothing on it is: a picture taken without
// light, a scan with the lamp off. Other pages are returned as they are, negatives too: theirs is dark where it is blank.
func Bright(g *image.Gray) *image.Gray {
	const enough, white = 110, 240 // the brightest greys of a page that stays, and what those of others become
	brightest := quantileOf(histogramOf(g), 0.99)
	if brightest >= enough || brightest == 0 || Positive(g) != g {
		return g
	}
	return mapped(g, func(v int) int { return min(v*white/brightest, 255) })
}

// Positive is the page with dark writing on light paper: its inverse where it is a negative, as films of newspapers
// often are. Other pages are returned as they are, those on a dark table too.
func Positive(g *image.Gray) *image.Gray {
	if !mostlyDark(g) || !negative(withoutBorder(g)) {
		return g
	}
	return inverse(g)
}

func negative(g *image.Gray) bool {
	if !mostlyDark(g) {
		return false
	}
	light, dark := len(Letters(inverse(g))), len(Letters(g))
	return light >= enoughLetters && float64(light) >= negativeLetters*float64(dark)
}

func mostlyDark(g *image.Gray) bool {
	h := histogramOf(g)
	return median(h) <= int(otsu(h))
}

func inverse(g *image.Gray) *image.Gray {
	return mapped(g, func(v int) int { return 255 - v })
}

// withoutBorder is the page without rows and columns of white at its edges, beside which grey paper counts as dark.
func withoutBorder(g *image.Gray) *image.Gray {
	const white, most = 0.9, 3 // the share of white pixels in such a row, and the most that is cut of each side, 1 in most
	threshold := otsu(histogramOf(g))
	w, h := g.Rect.Dx(), g.Rect.Dy()
	across, down := make([]int, h), make([]int, w) // white pixels
	for y := range h {
		for x, v := range row(g, y) {
			if v > threshold {
				across[y]++
				down[x]++
			}
		}
	}
	ends := func(counts []int, of int) (from, to int) {
		from, to = 0, len(counts)
		for ; from < len(counts)/most && float64(counts[from]) > white*float64(of); from++ {
		}
		for ; to > len(counts)-len(counts)/most && float64(counts[to-1]) > white*float64(of); to-- {
		}
		return from, to
	}
	x0, x1 := ends(down, h)
	y0, y1 := ends(across, w)
	box := image.Rect(x0, y0, x1, y1)
	if box == image.Rect(0, 0, w, h) {
		return g
	}
	return Crop(g, box.Add(g.Rect.Min))
}
