// Package accuracy measures how well a text was read, against a ground truth: character and word error rate, the bag of words,
// and how far the stated confidence is from the share of correct characters. Only tests and the command uncial-accuracy import
// it.
//
// CER is the Levenshtein distance over runes divided by the runes of the ground truth, WER the same over space-separated
// tokens. Both are taken on a strict form of the texts, which ignores white space and invisible characters, and on a folded one
// (see Folded). BoW-F1 is the F1 of the two multisets of folded tokens and ignores the reading order. The figures of a
// collection are micro-averaged over characters and tokens; its BoW-F1, confidence and calibration error are means over pages.
//
// The distance itself is in internal/text, and the pages are read elsewhere. Start with Compare, with CompareLines for how well
// lines are found, or with OpenFolder for a page set.
package accuracy

import (
	"math"
	"strings"
	"unicode"

	"uncial/internal/text"
)

// Rate counts errors against the length of the ground truth, in characters or words.
type Rate struct {
	Errors int `json:"errors"`
	Length int `json:"length"`
}

// Value returns Errors/Length, which may exceed 1. For an empty ground truth it is 0 without errors and 1 with any.
func (r Rate) Value() float64 {
	if r.Length == 0 {
		return float64(min(r.Errors, 1))
	}
	return float64(r.Errors) / float64(r.Length)
}

// Plus returns the rate over both texts together: long pages count more than short ones.
func (r Rate) Plus(o Rate) Rate { return Rate{r.Errors + o.Errors, r.Length + o.Length} }

// Score says how well one page was read.
type Score struct {
	CER       Rate    `json:"cer"` // strict
	WER       Rate    `json:"wer"`
	FoldedCER Rate    `json:"foldedCer"`
	FoldedWER Rate    `json:"foldedWer"`
	BoWF1     float64 `json:"bowF1"`
}

// Compare scores a text against the ground truth of its page. The strict and the folded measure normalize both, so that callers
// need not.
func Compare(truth, text string) Score {
	st, sx := strict(truth), strict(text)
	ft, fx := Folded(truth), Folded(text)
	return Score{
		CER: characters(st, sx), WER: words(st, sx),
		FoldedCER: characters(ft, fx), FoldedWER: words(ft, fx),
		BoWF1: bagOfWords(ft, fx),
	}
}

// calibrationError returns how far the confidence, 0..1, is from the share of correct characters. A reading with more errors
// than characters has no correct ones.
func (s Score) calibrationError(confidence float64) float64 {
	return math.Abs(confidence - max(0, 1-s.FoldedCER.Value()))
}

// characters counts edits of characters (code points) against those of the ground truth.
func characters(truth, read string) Rate {
	t := []rune(truth)
	return Rate{text.Distance(t, []rune(read)), len(t)}
}

// words counts edits of whole words. A word with one wrong letter is as wrong as a missing one.
func words(truth, read string) Rate {
	t := Tokens(truth)
	return Rate{text.Distance(t, Tokens(read)), len(t)}
}

// bagOfWords returns the F1 of the two multisets of tokens, 1 if both are empty.
func bagOfWords(truth, text string) float64 {
	want, nWant := bag(truth)
	got, nGot := bag(text)
	if nWant+nGot == 0 {
		return 1
	}
	common := 0
	for w, n := range got {
		common += min(n, want[w])
	}
	return 2 * float64(common) / float64(nWant+nGot)
}

// bag counts the tokens without the punctuation around them.
func bag(s string) (map[string]int, int) {
	counts, n := make(map[string]int), 0
	for _, w := range Tokens(s) {
		if w = strings.TrimFunc(w, isEdge); w != "" {
			counts[w]++
			n++
		}
	}
	return counts, n
}

// isEdge reports whether a rune is trimmed from the ends of a token. Unlike text.IsPunctuation it leaves marks and control
// characters.
func isEdge(r rune) bool { return unicode.IsPunct(r) || unicode.IsSymbol(r) }
