package hand

import "math"

// expectedAccuracy estimates the share of characters that are right from the recognizer's confidence in handwriting of any language.
func expectedAccuracy(own float64) float64 {
	own = min(max(own, minLikely), 1-minLikely)
	return 1 / (1 + math.Exp(-curveBase-curveSlope*math.Log(own/(1-own))))
}

// pageConfidence estimates the share of characters that are right in readings of handwriting.
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
	return expectedAccuracy(sum/float64(n)) * min(float64(n)/minCharacters, 1)
}

// mixedConfidence estimates the same for a handwritten page on which some lines are print.
func (m *Models) mixedConfidence(all []reading) float64 {
	var hands []reading
	var sum float64
	written, printed := 0, 0
	for _, l := range all {
		if l.line.Handwritten {
			hands = append(hands, l)
			written += l.characters
			continue
		}
		sum += m.PrintAccuracy(l.confidence) * float64(l.characters)
		printed += l.characters
	}
	return (pageConfidence(hands)*float64(written) + sum) / float64(max(written+printed, 1))
}
