package hand

import "math"

// ExpectedAccuracy estimates the share of characters that are right, 0..1, from the own confidence, 0..1, of a network that
// reads lines. The curve is the same for all languages.
func ExpectedAccuracy(own float64) float64 {
	own = min(max(own, minLikely), 1-minLikely)
	return 1 / (1 + math.Exp(-curveBase-curveSlope*math.Log(own/(1-own))))
}

// pageConfidence estimates the share of characters that are right, 0..1, in readings of handwriting.
func pageConfidence(all []reading) float64 {
	var sum float64
	n := 0
	for _, l := range all {
		sum += l.confidence * float64(l.characters)
		n += l.characters
	}
	if n == 0 {
		return 0
	}
	return sampleAccuracy(sum/float64(n), n)
}

// sampleAccuracy is ExpectedAccuracy for a number of characters, reduced if they are few.
func sampleAccuracy(own float64, characters int) float64 {
	return ExpectedAccuracy(own) * min(float64(characters)/minCharacters, 1)
}

// mixedConfidence is like pageConfidence for a handwritten page on which some lines are print.
func (m *Models) mixedConfidence(all []reading) float64 {
	var handwriting []reading
	var sum float64
	written, printed := 0, 0
	for _, l := range all {
		if l.line.Handwritten {
			handwriting = append(handwriting, l)
			written += l.characters
			continue
		}
		sum += m.PrintAccuracy(l.confidence) * float64(l.characters)
		printed += l.characters
	}
	return (pageConfidence(handwriting)*float64(written) + sum) / float64(max(written+printed, 1))
}
