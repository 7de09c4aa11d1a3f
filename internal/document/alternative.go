package document

import (
	"cmp"
	"slices"
)

// MaxAlternatives is the maximum number of other readings of a word. openapi.yaml names it.
const MaxAlternatives = 3

// Alternative is another reading of a doubtful word.
type Alternative struct {
	Text string `json:"text"` // never empty, no white space, NFC
	// Confidence is the estimated probability that it is the right one, 0..1.
	Confidence float64 `json:"confidence"`
}

// doubtfulWord is the confidence below which a word is doubtful.
const doubtfulWord = 0.5

// IsDoubtful reports whether a word is more likely to be wrong than right, so that documents should have other readings of it.
func (w *Word) IsDoubtful() bool { return w.Confidence < doubtfulWord }

// Others returns up to MaxAlternatives of the other readings that differ from the word and from each other, the likeliest
// first. None is more confident than the word. A part of a divided word has none, because it is not a word.
func (w *Word) Others() []Alternative {
	if w.Whole != "" {
		return nil
	}
	var out []Alternative
	for _, a := range w.Alternatives {
		isKnown := func(o Alternative) bool { return o.Text == a.Text }
		if a.Text != w.Text && !slices.ContainsFunc(out, isKnown) {
			a.Confidence = min(a.Confidence, w.Confidence)
			out = append(out, a)
		}
	}
	slices.SortStableFunc(out, func(a, b Alternative) int { return cmp.Compare(b.Confidence, a.Confidence) })
	return out[:min(len(out), MaxAlternatives)]
}
