package lines

import "math"

const (
	// leastPitch and mostPitch bound the distance of lines, in pixels of the working size.
	leastPitch, mostPitch = 14, 180
	// usualPitch is assumed where nothing repeats.
	usualPitch = 40
	// trend is the width over which a profile's own rise and fall is taken away.
	trend = 121
)

// pitch is the distance of the lines in pixels: the lag at which the ink of narrow columns of the page is most like
// itself. Where several lags are nearly as good it is the smallest, for a multiple of the pitch is as good as the pitch.
func pitch(ink plane) float64 {
	var sum [mostPitch + 20]float64
	width := max(60, ink.w/10)
	for x := 0; x+width <= ink.w; x += width / 2 {
		profile, total := columnProfile(ink, x, x+width)
		if total < 0.3*float64(ink.h) {
			continue
		}
		addCorrelation(profile, sum[:])
	}
	best := 0.0
	for i := leastPitch; i < mostPitch; i++ {
		if isPeak(sum[:], i) {
			best = max(best, sum[i])
		}
	}
	for i := leastPitch; i < mostPitch; i++ {
		if isPeak(sum[:], i) && sum[i] >= 0.6*best {
			return float64(i)
		}
	}
	return usualPitch
}

func isPeak(c []float64, i int) bool {
	return c[i] > c[i-1] && c[i] >= c[i+1] && c[i] > 0.02*c[0]
}

// columnProfile is the ink of each row between two columns.
func columnProfile(ink plane, from, to int) ([]float32, float64) {
	profile := make([]float32, ink.h)
	total := 0.0
	for y := range profile {
		for _, v := range ink.row(y)[from:to] {
			profile[y] += v
		}
		total += float64(profile[y])
	}
	return profile, total
}

// addCorrelation adds the autocorrelation of a profile, without its trend and with its extremes cut, so that one
// thick line does not outweigh the others.
func addCorrelation(profile []float32, sum []float64) {
	n := len(profile)
	smooth, base := make([]float32, n), make([]float32, n)
	boxMean(profile, smooth, 1)
	boxMean(smooth, profile, 1)
	boxMean(profile, base, trend/2)
	var squares float64
	for i := range profile {
		profile[i] -= base[i]
		squares += float64(profile[i]) * float64(profile[i])
	}
	deviation := float32(math.Sqrt(squares / float64(n)))
	if deviation == 0 {
		return
	}
	for i, v := range profile {
		profile[i] = min(max(v, -2*deviation), 2*deviation)
	}
	var own float64
	for _, v := range profile {
		own += float64(v) * float64(v)
	}
	weight := math.Sqrt(float64(deviation)) / own
	for lag := range min(len(sum), n) {
		var c float32
		for i, v := range profile[lag:] {
			c += v * profile[i]
		}
		sum[lag] += float64(c) * weight
	}
}
