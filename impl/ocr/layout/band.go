package layout

import (
	"math"
	"slices"

	"uncial/impl/ocr/imaging"
)

// band is how far a strip reaches above and below a line's path, in pixels of the working size.
type band struct{ up, down float64 }

// measureBand measures the height and the position of the small letters around the lines of a page, and returns the band
// that puts them where the models expect them.
func measureBand(ink imaging.Plane, all []path, pitch float64) band {
	r := int(pitch)
	var heights, offsets, weights []float64
	for _, p := range all {
		if float64(len(p.xs)) < leastCore*pitch {
			continue
		}
		centre, height := core(p.profile(ink, r))
		heights, offsets, weights = append(heights, height), append(offsets, centre-float64(r)), append(weights, float64(len(p.xs)))
	}
	if len(heights) == 0 {
		return band{usualUp * pitch, usualDown * pitch}
	}
	low, high := quantile(heights, coreLow), quantile(heights, coreHigh)
	var sum, weight float64
	for i, h := range heights {
		sum += min(max(h, low), high) * weights[i]
		weight += weights[i]
	}
	offset := quantile(offsets, 0.5)
	total := min(max(Height/coreHeight*sum/weight, leastBand*pitch), mostBand*pitch)
	return band{coreMiddle*total - offset, (1-coreMiddle)*total + offset}
}

// profile returns the mean ink at each height from r above the path to r below it.
func (p path) profile(ink imaging.Plane, r int) []float64 {
	profile := make([]float64, 2*r+1)
	for i, x := range p.xs {
		y := int(math.Round(float64(p.ys[i])))
		for d := range profile {
			profile[d] += float64(ink.At(x, y+d-r))
		}
	}
	for d := range profile {
		profile[d] /= float64(len(p.xs))
	}
	return profile
}

// core returns the middle and the height of the zone of small letters in a profile: the part around its peak that stays
// above half of the peak's height.
func core(profile []float64) (centre, height float64) {
	n := len(profile)
	smooth := make([]float64, n)
	top := 0
	for i := range profile {
		smooth[i] = (profile[max(i-1, 0)] + profile[i] + profile[min(i+1, n-1)]) / 3
		if smooth[i] > smooth[top] {
			top = i
		}
	}
	floor := quantile(smooth, coreFloor)
	half := floor + coreLevel*(smooth[top]-floor)
	a, b := top, top
	for a > 0 && smooth[a-1] > half {
		a--
	}
	for b+1 < n && smooth[b+1] > half {
		b++
	}
	return float64(a+b) / 2, float64(b - a + 1)
}

// quantile returns the value that the share q of the values does not exceed, interpolated.
func quantile(values []float64, q float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	at := q * float64(len(sorted)-1)
	i := int(at)
	if i+1 >= len(sorted) {
		return sorted[len(sorted)-1]
	}
	return sorted[i] + (at-float64(i))*(sorted[i+1]-sorted[i])
}
