package imaging

import (
	"image"
	"math"
	"slices"
)

// Order returns how many times more the rows or columns of pixels differ in ink than if the ink were scattered at random in
// spots of its usual size: about 1 for noise, however coarse, and more for writing, because it has lines. Pixels up to the
// threshold, which InkThreshold returns, are ink. Order returns 0 if the image has too little ink to tell.
func Order(g *image.Gray, threshold uint8) float64 {
	var orders []float64
	for y := 0; y+tileSide <= g.Rect.Dy(); y += tileSide {
		for x := 0; x+tileSide <= g.Rect.Dx(); x += tileSide {
			if order, ok := tileOrder(g, image.Pt(x, y), threshold); ok {
				orders = append(orders, order)
			}
		}
	}
	if len(orders) < minTiles {
		return 0
	}
	slices.Sort(orders)
	return orders[int(orderRank*float64(len(orders)))]
}

// tileOrder returns the Order of one tile. It reports false if the tile has hardly any ink or hardly any paper.
func tileOrder(g *image.Gray, at image.Point, threshold uint8) (float64, bool) {
	var rows, columns [tileSide]int // ink in each
	var across, down int            // runs of ink
	var above [tileSide]uint8
	for y := range tileSide {
		var before uint8
		for x, v := range row(g, at.Y+y)[at.X : at.X+tileSide] {
			var ink uint8 // 1 or 0: faster than conditions that no processor can predict
			if v <= threshold {
				ink = 1
			}
			rows[y] += int(ink)
			columns[x] += int(ink)
			across += int(ink &^ before)
			down += int(ink &^ above[x])
			before, above[x] = ink, ink
		}
	}
	ink := 0
	for _, n := range rows {
		ink += n
	}
	share := float64(ink) / (tileSide * tileSide)
	if share < minTileInk || share > 1-minTileInk {
		return 0, false
	}
	return max(order(rows, share, float64(ink)/float64(across)), order(columns, share, float64(ink)/float64(down))), true
}

// order divides the variation of sums of ink by that of noise with the same share of ink and the same mean length of runs. A
// run of noise is longer than its spots by the factor 1/(1-share), and a sum over n spots varies like a binomial distribution.
func order(sums [tileSide]int, share, run float64) float64 {
	mean, variance := share*tileSide, 0.0
	for _, n := range sums {
		variance += (float64(n) - mean) * (float64(n) - mean) / tileSide
	}
	spot := run * (1 - share)
	return math.Sqrt(variance) / (tileSide * math.Sqrt(share*(1-share)*spot/tileSide))
}

// IsPattern reports whether nearly all tiles with ink look the same a few pixels further down, and a few pixels further right.
// Tiles of writing never do. Pixels up to the threshold are ink.
func IsPattern(g *image.Gray, threshold uint8) bool {
	tiles, same := 0, 0
	for y := 0; y+tileSide+maxPeriod <= g.Rect.Dy(); y += tileSide {
		for x := 0; x+tileSide+maxPeriod <= g.Rect.Dx(); x += tileSide {
			at := image.Pt(x, y)
			if _, ok := tileOrder(g, at, threshold); !ok {
				continue
			}
			tiles++
			if repeats(g, at, image.Pt(0, 1), threshold) && repeats(g, at, image.Pt(1, 0), threshold) {
				same++
			}
			if tiles >= minTiles && 2*same < tiles {
				return false // stop early, because hardly any page is a pattern
			}
		}
	}
	return tiles >= minTiles && float64(same) >= patternShare*float64(tiles)
}

// repeats reports whether a tile looks the same after n steps, for some n from minPeriod to maxPeriod.
func repeats(g *image.Gray, at, step image.Point, threshold uint8) bool {
	for n := minPeriod; n <= maxPeriod; n++ {
		if isSame(g, at, at.Add(step.Mul(n)), threshold) {
			return true
		}
	}
	return false
}

// isSame reports whether at most maxDifferences pixels differ between two tiles.
func isSame(g *image.Gray, a, b image.Point, threshold uint8) bool {
	n := 0
	for y := range tileSide {
		one, other := row(g, a.Y+y)[a.X:a.X+tileSide], row(g, b.Y+y)[b.X:b.X+tileSide]
		for x, v := range one {
			if (v <= threshold) != (other[x] <= threshold) {
				n++
			}
		}
		if n > maxDifferences {
			return false
		}
	}
	return true
}
