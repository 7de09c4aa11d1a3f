package neural

// unknownLog is the log probability of a character that is not in a character model's alphabet.
const unknownLog = -6.0

// Likelihood returns the natural logarithm of the probability of a line of text, its end included.
func (l *Language) Likelihood(line string) float64 {
	sum, at := 0.0, l.begin()
	for _, r := range line {
		logp := unknownLog
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
