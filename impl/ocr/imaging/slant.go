package imaging

import (
	"image"
	"math"
)

// Slant returns the angle, in degrees, by which the lines slope on a page that was photographed at an angle: minSlant to
// maxSlant in either direction, to within a few tenths. It is 0 if the letters lie about as well in lines that are nearly
// horizontal or vertical, or in no lines at all. letters are their boxes. The lines of a page with a curl may slope by up to
// 10 degrees.
func Slant(letters []image.Rectangle) float64 {
	height := LetterHeight(letters)
	if height == 0 {
		return 0
	}
	var page image.Rectangle
	var middles []image.Point
	for i := 0; i < len(letters); i += len(letters)/maxSlantLetters + 1 {
		page = page.Union(letters[i])
		middles = append(middles, Middle(letters[i]))
	}
	for i := range middles {
		middles[i] = middles[i].Sub(Middle(page))
	}
	reach := 0.0 // from the middle of the page
	for _, m := range middles {
		reach = max(reach, math.Hypot(float64(m.X), float64(m.Y)))
	}
	strips := int(reach/float64(height)) + 2 // on each side of the middle
	// At the next angle, the ends of a line lie half a line higher and lower.
	step := max(math.Atan2(float64(height), float64(max(page.Dx(), page.Dy())))*180/math.Pi, minSlantStep)
	var level, best, levelSlope, slant float64
	for size := 0.0; size <= maxSlant; size += step {
		for _, angle := range [2]float64{size, -size} {
			switch n := lineation(middles, angle, height, strips); {
			case size <= maxLevelSlope && n > level:
				level, levelSlope = n, angle
			case size >= minSlant && n > best:
				best, slant = n, angle
			}
		}
	}
	if best < minSlantGain*level || !isEverywhere(middles, slant, levelSlope, height, strips) {
		return 0
	}
	return slant
}

// isEverywhere reports whether at most one part of the page has letters that clearly lie in lines at another angle. The dots of
// a printed photograph lie in slanted lines too, but not what is printed beside it.
func isEverywhere(middles []image.Point, angle, other float64, height, strips int) bool {
	var page image.Rectangle
	for _, m := range middles {
		page = page.Union(image.Rectangle{Min: m, Max: m.Add(image.Pt(1, 1))})
	}
	parts := map[image.Point][]image.Point{}
	for _, m := range middles {
		at := m.Sub(page.Min).Mul(slantParts)
		part := image.Pt(at.X/page.Dx(), at.Y/page.Dy())
		parts[part] = append(parts[part], m)
	}
	others := 0
	for _, letters := range parts {
		if len(letters) >= minPartLetters && lineation(letters, other, height, strips) >= minSlantGain*lineation(letters, angle, height, strips) {
			others++
		}
	}
	return others <= 1
}

// lineation measures how well the middles of letters lie in lines at an angle, or perpendicular to it: about 1 for scattered
// letters, and up to the number of letters of a line. It divides the page into strips as high as the letters; strips is their
// number on each side of the middle, which is (0, 0).
func lineation(middles []image.Point, angle float64, height, strips int) float64 {
	sin, cos := math.Sincos(angle * math.Pi / 180)
	sin, cos = sin/float64(height), cos/float64(height)
	across, down := make([]int, 2*strips), make([]int, 2*strips) // the letters in each strip
	for _, m := range middles {
		x, y := float64(m.X), float64(m.Y)
		across[strips+int(math.Floor(y*cos-x*sin))]++
		down[strips+int(math.Floor(x*cos+y*sin))]++
	}
	return float64(max(squaredSteps(across), squaredSteps(down))) / float64(2*len(middles))
}

// squaredSteps returns the sum of the squared differences between successive counts.
func squaredSteps(counts []int) (sum int) {
	for i := 1; i < len(counts); i++ {
		d := counts[i] - counts[i-1]
		sum += d * d
	}
	return sum
}
