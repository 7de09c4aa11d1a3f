package hand

import "math"

// The recognizer's own confidence in handwriting is turned into the share of characters that are right by a logistic curve.
// Its two factors were fitted to the 15 handwritten ones of the shared pages, French and others, for the least mean absolute
// error, which is 0.040; leaving out one collection after the other and predicting it from the rest gives 0.041.
const (
	curveBase, curveSlope = 1.32, 1.31
	// wordBase and wordSlope are the same for single words, whose confidence says less: of words that were claimed to be right
	// to 0.03, 0.45, 0.86 and 0.98 by the curve for pages, 0.50, 0.61, 0.77 and 0.94 were, on the eight French pages.
	wordBase, wordSlope = 1.1, 0.65
	// leastConfidence keeps the curve away from never and always.
	leastConfidence = 0.02
	// mostForeign bounds what is claimed of a language that the model has not learnt. The curve holds for those too, about
	// half of their characters are right; but words seldom are, and a caller is to be warned.
	mostForeign = 0.39
	// leastCharacters is how many characters a page has at least that is believed as the curve says.
	leastCharacters = 40
)

// likely estimates the share of right characters where the recognizer's own confidence is own, in any language.
func likely(own float64) float64 { return logistic(own, curveBase, curveSlope) }

// likelyWord is the same for one word.
func likelyWord(own float64) float64 { return logistic(own, wordBase, wordSlope) }

func logistic(own, base, slope float64) float64 {
	own = min(max(own, leastConfidence), 1-leastConfidence)
	return 1 / (1 + math.Exp(-base-slope*math.Log(own/(1-own))))
}

// claimed is what is claimed of characters of a hand that are likely to be right: less where the model has not learnt the
// language.
func claimed(confidence float64, learnt bool) float64 {
	if learnt {
		return confidence
	}
	return min(confidence, mostForeign)
}

// pageConfidence estimates the share of a page's characters that are right, all of which a hand wrote.
func pageConfidence(all []reading, learnt bool) float64 {
	var sum float64
	n := 0
	for _, l := range all {
		sum += l.confidence * float64(l.characters)
		n += l.characters
	}
	if n == 0 {
		return 0
	}
	return claimed(likely(sum/float64(n)), learnt) * min(float64(n)/leastCharacters, 1)
}

// mixedConfidence is that of a page of handwriting of which some lines are print. What little is claimed of a foreign hand
// bounds the whole page.
func (m *Models) mixedConfidence(all []reading, learnt bool) float64 {
	var hands []reading
	var sum float64
	written, printed := 0, 0
	for _, l := range all {
		if l.line.Handwritten {
			hands = append(hands, l)
			written += l.characters
			continue
		}
		sum += m.InPrint(l.confidence) * float64(l.characters)
		printed += l.characters
	}
	return claimed((pageConfidence(hands, learnt)*float64(written)+sum)/float64(max(written+printed, 1)), learnt)
}
