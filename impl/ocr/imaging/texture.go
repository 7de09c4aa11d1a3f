package imaging

import (
	"image"
	"math"
	"slices"
)

// Order says how much more the rows or columns of pixels differ in ink than if the ink were scattered at random in spots of its usual
// size: about 1 for noise however coarse, and more for writing, because it has lines. 0 if the image has too little ink to tell.
func Order(g *image.Gray) float64 {
	threshold := otsu(histogramOf(g))
	var orders []float64
	for y := 0; y+tileSide <= g.Rect.Dy(); y += tileSide {
		for x := 0; x+tileSide <= g.Rect.Dx(); x += tileSide {
			if order, ok := tileOrder(g, image.Pt(x, y), threshold); ok {
				orders = append(orders, order)
			}
		}
	}
	if len(orders) < leastTiles {
		return 0
	}
	slices.Sort(orders)
	return orders[int(orderRank*float64(len(orders)))]
}

// tileOrder is Order of one tile. It reports false if the tile has hardly any ink or hardly any paper.
func tileOrder(g *image.Gray, at image.Point, threshold uint8) (float64, bool) {
	var rows, columns [tileSide]int // ink in each
	var across, down int            // runs of ink
	var above [tileSide]bool
	for y := range tileSide {
		before := false
		for x, v := range row(g, at.Y+y)[at.X : at.X+tileSide] {
			isInk := v <= threshold
			if isInk {
				rows[y]++
				columns[x]++
			}
			if isInk && !before {
				across++
			}
			if isInk && !above[x] {
				down++
			}
			before, above[x] = isInk, isInk
		}
	}
	ink := 0
	for _, n := range rows {
		ink += n
	}
	share := float64(ink) / (tileSide * tileSide)
	if share < leastTileInk || share > 1-leastTileInk {
		return 0, false
	}
	return max(order(rows, share, float64(ink)/float64(across)), order(columns, share, float64(ink)/float64(down))), true
}

// order divides the variation of sums of ink by that of noise with the same share of ink and the same mean length of runs. A run of
// noise is longer than its spots by the factor 1/(1-share), and a sum over n spots varies like a binomial distribution.
func order(sums [tileSide]int, share, run float64) float64 {
	mean, variance := share*tileSide, 0.0
	for _, n := range sums {
		variance += (float64(n) - mean) * (float64(n) - mean) / tileSide
	}
	spot := run * (1 - share)
	return math.Sqrt(variance) / (tileSide * math.Sqrt(share*(1-share)*spot/tileSide))
}
