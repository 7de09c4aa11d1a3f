package neural

// foreign is the logarithm of the probability of a character that no text of a character model has.
const foreign = -6.0

// Likelihood returns the logarithm of the probability of a line of text.
func (l *Language) Likelihood(line string) float64 {
	sum, at := 0.0, l.begin()
	for _, r := range line {
		logp := foreign
		if symbol, ok := l.symbols[string(r)]; ok {
			logp, at = l.after(at, symbol)
		} else {
			at = context{}
		}
		sum += logp
	}
	edge, _ := l.after(at, 0)
	return sum + edge
}
