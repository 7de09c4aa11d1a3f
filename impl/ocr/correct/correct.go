// Package correct corrects misread words of print: by a vote of further readings of a line (Knowledge.Vote), and by repairing a
// long s that was read as f (LongS). Both change lines in place and return their edits. Neither modernizes a spelling;
// internal/text has that rule. The vote changes a word, number or name only to what a recognizer read in its place.
//
// Package reading decides which lines are read again, and how. The corrections of handwriting are in impl/ocr/hand, and those
// of a language model in impl/proofread. Start with Knowledge.Vote; evidence.go has the evidence that it weighs.
package correct

import (
	"slices"

	"uncial/impl/ocr/lexicon"
)

// The names of this package's rules in document.Edit.
const (
	ruleVote  = "vote"
	ruleLongS = "long-s"
)

// Lexicon looks words up. lexicon.Lexicon, the word list of one model, is a Lexicon.
type Lexicon interface {
	// Known reports whether a word is in the list. It accepts the word as it appears in a text: with punctuation around it,
	// capitalized, or in a spelling that does not distinguish u and v, i and j.
	Known(word string) bool
	// Match returns up to limit words of the list that equal the given one if some letters are exchanged for variants.
	Match(word string, variants lexicon.Variants, limit int) []string
}

var _ Lexicon = (*lexicon.Lexicon)(nil)

// Lexicons looks words up in several word lists.
type Lexicons []Lexicon

// Known reports whether any of the lists has the word.
func (l Lexicons) Known(word string) bool {
	return slices.ContainsFunc(l, func(one Lexicon) bool { return one.Known(word) })
}

// Match returns the matches of all lists, list by list: at most limit words, without duplicates.
func (l Lexicons) Match(word string, variants lexicon.Variants, limit int) []string {
	var found []string
	for _, one := range l {
		for _, m := range one.Match(word, variants, limit) {
			if !slices.Contains(found, m) && len(found) < limit {
				found = append(found, m)
			}
		}
	}
	return found
}
