package correct

import (
	"slices"

	"uncial/internal/document"
)

// Readings are further readings of a line of print. Candidates come from Again and Network; Other is evidence for and against
// them.
type Readings struct {
	Again   [][]document.Word // by the model that read the page, in several ways
	Other   []document.Word   // from another reading of the whole page, by another model or at another size; nil without one
	Network []Passage         // by the network for print, each once or at several widths; nil without it
}

// Passage is a further reading of a part of a line: of the words whose centres are in a box.
type Passage struct {
	Box   document.Box
	Words []document.Word
}

// span returns the words of a line, [from, to), that the passage covers. from equals to if there are none.
func (p Passage) span(line []document.Word) (from, to int) {
	inside := func(w document.Word) bool {
		centre := w.Box.X + w.Box.W/2
		return p.Box.X <= centre && centre <= p.Box.X+p.Box.W
	}
	from = slices.IndexFunc(line, inside)
	if from < 0 {
		return 0, 0
	}
	for to = len(line); !inside(line[to-1]); {
		to--
	}
	return from, to
}

// alignedReadings are the readings of a line that have words, aligned with it.
type alignedReadings struct{ again, other, network []aligned }

// alignReadings aligns the readings of a line with it. Readings without words are left out.
func alignReadings(line []document.Word, r Readings) alignedReadings {
	return alignedReadings{alignEach(line, r.Again...), alignEach(line, r.Other), alignPassages(line, r.Network)}
}

// alignEach aligns the line with each reading that has words, in their order.
func alignEach(line []document.Word, readings ...[]document.Word) []aligned {
	var out []aligned
	for _, words := range readings {
		if len(words) > 0 && len(line) > 0 {
			out = append(out, alignWords(line, 0, len(line), words))
		}
	}
	return out
}

// alignPassages is alignEach for readings of parts of the line.
func alignPassages(line []document.Word, passages []Passage) []aligned {
	var out []aligned
	for _, p := range passages {
		if from, to := p.span(line); from < to && len(p.Words) > 0 {
			out = append(out, alignWords(line, from, to, p.Words))
		}
	}
	return out
}

// Confirm records in Signals.Network of the words of a line of print whether the network for print, which read some passages of
// the line, read the same. Words without signals, and words outside the passages, stay unchanged.
func Confirm(line []document.Word, passages []Passage) {
	for _, v := range alignPassages(line, passages) {
		for i := v.from; i < v.to; i++ {
			w := &line[i]
			if w.Signals == nil {
				continue
			}
			signals := *w.Signals
			signals.Network = -1
			if odds, same := v.agrees(i, i+1); same {
				signals.Network = max(odds, minConfirmed)
			}
			w.Signals = &signals
		}
	}
}

// NetworkTrust estimates how well the network for print reads the print of a page, 0 to 1: among the words of some lines that
// the print recognizer is sure of, the share that the network reads the same. With few words, the estimate stays near
// usualTrust.
func NetworkTrust(lines []*document.Line, readings []Readings) float64 {
	same, all := 0.0, 0.0
	for i, line := range lines {
		for _, network := range alignPassages(line.Words, readings[i].Network) {
			for j := network.from; j < network.to; j++ {
				w := line.Words[j]
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
