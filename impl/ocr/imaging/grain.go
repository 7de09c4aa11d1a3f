package imaging

import "image"

const (
	// grainThreshold is how far from the usual paper, in units of the grain, the threshold between paper and ink lies at
	// most where there is too little ink to find it by: there it parts light grain from dark. On paper alone it lies within
	// 1, on the 55 pages measured, faint ones and hands included, 4 or more below.
	grainThreshold = 2.5
	// darkestGrain is how far below the usual paper grain reaches at most, in the same units: six standard deviations
	// where it is normal.
	darkestGrain = 9
)

// DropGrain makes the paper of a page white that has hardly any ink, or none. Else its grain is taken for ink, and a
// blank page costs more than a full one. A page whose ink shows only when it is smoothed is returned smooth, others as they
// are. Divide a shaded page by its background first.
func DropGrain(g *image.Gray) *image.Gray {
	if hasInk(g) {
		return g
	}
	if smoothed := smooth(g, contrastSmoothing); hasInk(smoothed) { // as faint as the grain, or too little to tell
		return smoothed
	}
	h := histogramOf(g)
	paper := median(h)
	grain := max(spread(h, paper), 1)
	return mapped(g, func(v int) int {
		if v >= paper-darkestGrain*grain {
			return 255
		}
		return v
	})
}

// hasInk says whether the threshold between ink and paper lies farther from the usual paper than grain does.
func hasInk(g *image.Gray) bool {
	h := histogramOf(g)
	paper := median(h)
	threshold := int(otsu(h))
	return float64(max(paper-threshold, threshold-paper)) > grainThreshold*float64(max(spread(h, paper), 1))
}

func median(h Histogram) int { return h.quantile(0.5) }

// spread is the median distance of the pixels from a grey value.
func spread(h Histogram, from int) int {
	var distances Histogram
	for v, n := range h {
		distances[max(v-from, from-v)] += n
	}
	return median(distances)
}
