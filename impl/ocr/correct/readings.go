package correct

import "uncial/internal/document"

// Readings are further readings of a line of print. Candidates come from Again and Network; Other is evidence for and against
// them.
type Readings struct {
	Again   [][]document.Word // by the model that read the page, in several ways
	Other   []document.Word   // from another reading of the whole page, by another model or at another size; nil without one
	Network [][]document.Word // by the network for print, once or at several widths; nil without it
}

// alignedReadings are the readings of a line that have words, aligned with it.
type alignedReadings struct{ again, other, network []aligned }

// alignReadings aligns the readings of a line with it. Readings without words are left out.
func alignReadings(line []document.Word, r Readings) alignedReadings {
	return alignedReadings{alignEach(line, r.Again...), alignEach(line, r.Other), alignEach(line, r.Network...)}
}

// alignEach aligns the line with each reading that has words, in their order.
func alignEach(line []document.Word, readings ...[]document.Word) []aligned {
	var out []aligned
	for _, words := range readings {
		if len(words) > 0 && len(line) > 0 {
			out = append(out, alignWords(line, words))
		}
	}
	return out
}

// WithLatin merges two readings of a line: that of the network for Greek, with the words of the network for Latin letters where
// these are surer and replace no word with Greek letters.
func WithLatin(greek, latin []document.Word) (words []document.Word) {
	if len(greek) == 0 || len(latin) == 0 {
		return greek
	}
	for _, s := range alignWords(greek, latin).stretches {
		own := greek[s.from:s.to]
		if len(s.words) > 0 && isLatin(joined(own)) && leastSure(s.words) > leastSure(own) {
			own = s.words
		}
		words = append(words, own...)
	}
	return words
}

// Confirm records in Signals.Network of the words of a line of print whether the network for print, which read the line too,
// read the same. Words without signals stay unchanged, and so do all words if the network read none.
func Confirm(line, network []document.Word) {
	for _, v := range alignEach(line, network) {
		for i := range line {
			odds, same := v.agrees(i, i+1)
			if odds = max(odds, minConfirmed); !same {
				odds = -1
			}
			setNetwork(&line[i], odds)
		}
	}
}

// setNetwork sets Signals.Network of a word that has signals, which it may share with a copy of the word.
func setNetwork(w *document.Word, value float64) {
	if w.Signals != nil {
		signals := *w.Signals
		signals.Network = value
		w.Signals = &signals
	}
}

// NetworkTrust estimates how well the network for print reads the print of a page, 0 to 1: among the words of some lines that
// the print recognizer is sure of, the share that the network reads the same. With few words, the estimate stays near
// usualTrust.
func NetworkTrust(lines []*document.Line, readings []Readings) float64 {
	same, all := 0.0, 0.0
	for i, line := range lines {
		for _, network := range alignEach(line.Words, readings[i].Network...) {
			for j, w := range line.Words {
				if w.Confidence < sureWord || len([]rune(Key(w.Text))) < minTrustLetters {
					continue
				}
				all++
				if _, ok := network.agrees(j, j+1); ok {
					same++
				}
			}
		}
	}
	return (same + usualTrust*usualTrustWords) / (all + usualTrustWords)
}
