package imaging

import (
	"image"
	"image/draw"
	"slices"
)

// Brighten scales the greys of a page up to white if no part of it is bright, such as a picture taken in the dark or a scan
// with the lamp off. It returns other pages unchanged, including negatives, whose blank parts are dark.
func Brighten(g *image.Gray) *image.Gray {
	h := histogramOf(g)
	brightest := h.quantile(brightShare)
	if brightest >= darkestPage || brightest == 0 || isNegative(g) {
		return g
	}
	return mapGreys(g, func(v int) int { return min(v*brightened/brightest, 255) })
}

// InvertNegative inverts a page that is a negative, which is common on microfilm of newspapers. It returns other pages
// unchanged, including pages photographed on a dark table.
func InvertNegative(g *image.Gray) *image.Gray {
	if !isNegative(g) {
		return g
	}
	return mapGreys(g, func(v int) int { return 255 - v })
}

// isNegative reports whether a page is mostly dark, with light writing.
func isNegative(g *image.Gray) bool { return isMostlyDark(g) && isLightOnDark(g) }

// isMostlyDark reports whether at least half of the pixels are on the dark side of Otsu's threshold.
func isMostlyDark(g *image.Gray) bool {
	h := histogramOf(g)
	return h.quantile(0.5) <= int(otsu(h))
}

// isLightOnDark reports whether writing is lighter than what surrounds it. Darkness alone proves nothing: a dark page, and the
// table around a small page, are mostly dark too. So it compares the numbers of small cells with a little light on dark and
// with a little dark on light.
func isLightOnDark(g *image.Gray) bool {
	light, dark := 0, 0
	for y := 0; y < g.Rect.Dy(); y += negativeCell {
		for x := 0; x < g.Rect.Dx(); x += negativeCell {
			h := histogramIn(g, image.Rect(x, y, min(x+negativeCell, g.Rect.Dx()), min(y+negativeCell, g.Rect.Dy())))
			darkest, middle, lightest := h.quantile(1-fullRange), h.quantile(0.5), h.quantile(fullRange)
			switch contrast := lightest - darkest; {
			case contrast < negativeContrast:
			case middle-darkest < contrast/3:
				light++
			case lightest-middle < contrast/3:
				dark++
			}
		}
	}
	return light >= negativeCells && light >= negativeLead*dark
}

// DropGrain whitens the paper of a page with little or no ink. Otherwise the grain of its paper would count as ink, and reading
// a blank page would take longer than reading a full one. If ink shows only after smoothing, it returns the smoothed page. It
// returns other pages unchanged, such as one that is mostly a picture. Flatten a shaded page first.
func DropGrain(g *image.Gray) *image.Gray {
	h := histogramOf(g)
	if hasInk(h) || hasLines(g) {
		return g
	}
	// The ink may be as faint as the grain, or there may be too little of it to tell.
	if smoothed := smooth(g, contrastSmoothing); hasInk(histogramOf(smoothed)) || hasLines(smoothed) {
		return smoothed
	}
	paper, grain := paperAndGrain(h)
	if grain >= pictureGrain {
		if _, left := paperAndGrain(histogramOf(smooth(g, pictureSmoothing))); float64(left) >= pictureTones*float64(grain) {
			return g
		}
	}
	return mapGreys(g, func(v int) int {
		if v >= paper-darkestGrain*grain {
			return 255
		}
		return v
	})
}

// DropSpecks whitens the specks of a page if there are many compared with its letters, or returns the page itself. height is
// the usual height of letters. Dots of letters and full stops are larger than specks, and pieces of broken letters are close to
// others.
func DropSpecks(g *image.Gray, height int) *image.Gray {
	threshold := InkThreshold(g)
	largest := min(max(int(speckSize*float64(height)), 1), largestSpeck)
	var specks []image.Rectangle
	letters := 0
	for _, r := range AllSpots(g) {
		switch {
		case max(r.Dx(), r.Dy()) <= largest:
			specks = append(specks, r)
		case 2*r.Dy() >= height:
			letters++
		}
	}
	areMany := func() bool { return len(specks) > 0 && float64(len(specks)) >= manySpecks*float64(letters) }
	if !areMany() {
		return g
	}
	specks = slices.DeleteFunc(specks, func(r image.Rectangle) bool {
		return inkIn(g, r.Inset(-largest-1), threshold) > inkIn(g, r, threshold)
	})
	if !areMany() {
		return g
	}
	out := Crop(g, g.Rect)
	for _, r := range specks {
		draw.Draw(out, r, image.White, image.Point{}, draw.Src)
	}
	return out
}

// hasInk reports whether Otsu's threshold is farther from the usual grey of the paper than grain can be.
func hasInk(h Histogram) bool {
	paper, grain := paperAndGrain(h)
	threshold := int(otsu(h))
	return float64(max(paper-threshold, threshold-paper)) > grainThreshold*float64(grain)
}

// hasLines reports whether the darker greys form lines of letters, as in small faint print, whose greys hardly differ from
// those of the paper. Grain is scattered at random and covers nearly half of the page; the ribs of laid paper form lines, but
// not of letters.
func hasLines(g *image.Gray) bool {
	threshold := InkThreshold(g)
	ink := InkPixels(g, threshold)
	if float64(ink) > maxTextInk*float64(Area(g.Rect)) || Order(g, threshold) < minTextOrder {
		return false
	}
	spots, area := AllSpots(g), 0
	letters := LetterShaped(WithoutSpecks(spots))
	for _, l := range letters {
		area += Area(l)
	}
	// Some letters of faint print touch, but most of the ink would fit into the boxes of those that do not. Chains of grain are
	// slimmer.
	return float64(len(letters)) >= max(enoughLetters, minLetterSpots*float64(len(spots))) && area >= ink
}

// Strengthen returns a page with its contrast multiplied by a factor around the usual grey of its paper.
func Strengthen(g *image.Gray, factor float64) *image.Gray {
	h := histogramOf(g)
	paper := h.quantile(0.5)
	return mapGreys(g, func(v int) int { return min(max(paper-int(float64(paper-v)*factor), 0), 255) })
}

// paperAndGrain returns the median grey, and the median distance from it, which is at least 1.
func paperAndGrain(h Histogram) (paper, grain int) {
	paper = h.quantile(0.5)
	var distances Histogram
	for v, n := range h {
		distances[max(v-paper, paper-v)] += n
	}
	return paper, max(distances.quantile(0.5), 1)
}

// mapGreys returns the page with each grey v replaced by f(v), which must be 0..255.
func mapGreys(g *image.Gray, f func(v int) int) *image.Gray {
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
