package hand

import "math"

// likely estimates the share of characters that are right from the recognizer's confidence in handwriting of any language.
func likely(own float64) float64 { return logistic(own, curveBase, curveSlope) }

// likelyWord estimates the same for one word.
func likelyWord(own float64) float64 { return logistic(own, wordBase, wordSlope) }

func logistic(own, base, slope float64) float64 {
	own = min(max(own, leastLikely), 1-leastLikely)
	return 1 / (1 + math.Exp(-base-slope*math.Log(own/(1-own))))
}

// bounded returns the confidence to report: at most mostForeign if the handwriting is not French.
func bounded(confidence float64, french bool) float64 {
	if french {
		return confidence
	}
	return min(confidence, mostForeign)
}

// pageConfidence estimates the share of characters that are right in readings of handwriting.
func pageConfidence(all []reading, french bool) float64 {
	var sum float64
	n := 0
	for _, l := range all {
		sum += l.confidence * float64(l.characters)
		n += l.characters
	}
	if n == 0 {
		return 0
	}
	return bounded(likely(sum/float64(n)), french) * min(float64(n)/leastCharacters, 1)
}

// mixedConfidence estimates the same for a handwritten page on which some lines are print. The bound for languages other than
// French holds for the whole page.
func (m *Models) mixedConfidence(all []reading, french bool) float64 {
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
	return bounded((pageConfidence(hands, french)*float64(written)+sum)/float64(max(written+printed, 1)), french)
}
