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
	// Confidence is the estimated share of correct characters, 0..1.
	Confidence float64 `json:"confidence"`
}

// IsWeak reports whether a word is so doubtful that documents should have other readings of it.
func (w *Word) IsWeak() bool { return w.Confidence < weakWord }

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
