package hand

// The recognizer's own confidence in a page of handwriting is turned into the share of characters that are right by a
// straight line.
const (
	base, slope = 0.27, 0.95
	// foreign is taken away for a language that the model has not learnt, and mostForeign bounds what is left: such a
	// reading is not to be relied on.
	foreign, mostForeign = 0.15, 0.39
	// leastCharacters is how many characters a page has at least that is believed as the curve says.
	leastCharacters = 40
)

// confidence estimates the share of right characters where the recognizer's own confidence is own.
func (m *Models) confidence(own float64) float64 {
	c := base + slope*own
	if !m.Native {
		c = min(c-foreign, mostForeign)
	}
	return min(max(c, 0), 1)
}

// pageConfidence estimates the share of a page's characters that are right.
func (m *Models) pageConfidence(all []reading) float64 {
	var sum float64
	n := 0
	for _, l := range all {
		sum += l.confidence * float64(l.characters)
		n += l.characters
	}
	if n == 0 {
		return 0
	}
	return m.confidence(sum/float64(n)) * min(float64(n)/leastCharacters, 1)
}
