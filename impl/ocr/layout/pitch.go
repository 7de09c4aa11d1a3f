package layout

import (
	"math"

	"uncial/impl/ocr/imaging"
)

// pitch returns the distance between lines in pixels: the lag at which the ink of narrow columns of the page is most like
// itself. Where several lags are nearly as good it is the smallest, because a multiple of the pitch is as good as the pitch.
func pitch(ink imaging.Plane) float64 {
	var sum [mostPitch + 1]float64
	width := max(pitchColumn, ink.W/pitchColumnShare)
	for x := 0; x+width <= ink.W; x += width / 2 {
		if profile, total := columnProfile(ink, x, x+width); total >= columnInk*float64(ink.H) {
			addCorrelation(profile, sum[:])
		}
	}
	best := 0.0
	for i := leastPitch; i < mostPitch; i++ {
		if isPeak(sum[:], i) {
			best = max(best, sum[i])
		}
	}
	for i := leastPitch; i < mostPitch; i++ {
		if isPeak(sum[:], i) && sum[i] >= goodPeak*best {
			return float64(i)
		}
	}
	return usualPitch
}

func isPeak(c []float64, i int) bool {
	return c[i] > c[i-1] && c[i] >= c[i+1] && c[i] > leastPeak*c[0]
}

// columnProfile returns the ink of each row between two columns, and their sum.
func columnProfile(ink imaging.Plane, from, to int) ([]float32, float64) {
	profile := make([]float32, ink.H)
	total := 0.0
	for y := range profile {
		for _, v := range ink.Row(y)[from:to] {
			profile[y] += v
		}
		total += float64(profile[y])
	}
	return profile, total
}

// addCorrelation adds the autocorrelation of a profile, with its trend taken away and its extremes cut.
func addCorrelation(profile []float32, sum []float64) {
	n := len(profile)
	smooth, trend := make([]float32, n), make([]float32, n)
	imaging.BoxMean(profile, smooth, 1)
	imaging.BoxMean(smooth, profile, 1)
	imaging.BoxMean(profile, trend, trendWidth/2)
	var squares float64
	for i := range profile {
		profile[i] -= trend[i]
		squares += float64(profile[i]) * float64(profile[i])
	}
	deviation := float32(math.Sqrt(squares / float64(n)))
	if deviation == 0 {
		return
	}
	var power float64
	for i, v := range profile {
		profile[i] = min(max(v, -mostDeviations*deviation), mostDeviations*deviation)
		power += float64(profile[i]) * float64(profile[i])
	}
	weight := math.Sqrt(float64(deviation)) / power
	for lag := range min(len(sum), n) {
		var c float32
		for i, v := range profile[lag:] {
			c += v * profile[i]
		}
		sum[lag] += float64(c) * weight
	}
}
