// Package enhance corrects a reading, word by word, and lists what it changed. It never modernises a spelling, adds no
// text, and leaves numbers and names alone. Two correctors are offline and work on the readings of several models: the
// vote and the repair of the long s. The third asks a language model, where the operator configured one, and takes from
// its answer only what passes the same guards.
package enhance

import (
	"slices"
	"strings"
	"unicode"

	"uncial/impl/ocr/lexicon"
	"uncial/internal/document"
)

// The rules that edits name.
const (
	RuleVote  = "vote"
	RuleLongS = "long-s"
	RuleModel = "language-model"
)

// Lexicon says which words are known. lexicon.Lexicon, the word list of a model, is one.
type Lexicon interface {
	// Known says whether a word is in the list as it may stand in a text: with punctuation around it, capitalised, in
	// the spelling before u and v, i and j were told apart.
	Known(word string) bool
	// Match lists words of the list that are the given one with some letters exchanged for variants.
	Match(word string, variants lexicon.Variants, limit int) []string
}

var _ Lexicon = (*lexicon.Lexicon)(nil)

// Lexicons is a lexicon of several: a word is known that one of them knows.
type Lexicons []Lexicon

// Known says whether one of the lexicons knows the word.
func (l Lexicons) Known(word string) bool {
	for _, one := range l {
		if one.Known(word) {
			return true
		}
	}
	return false
}

// Match lists what any of the lexicons lists, without repeats.
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

// core is a word without the punctuation around it, which is returned as well.
func core(word string) (before, inner, after string) {
	inner = strings.TrimLeftFunc(word, isEdge)
	before = word[:len(word)-len(inner)]
	trimmed := strings.TrimRightFunc(inner, isEdge)
	return before, trimmed, inner[len(trimmed):]
}

func isEdge(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.IsMark(r) }

// locked says whether a word must stay as it was read: punctuation, a number, or what may be a name because it, or a part
// of it as in "d'Artagnan", is capitalised and no lexicon knows it.
func locked(word string, known Lexicon) bool {
	_, inner, _ := core(word)
	return inner == "" || isNumber(inner) || capitalised(inner) && !known.Known(inner)
}

func capitalised(inner string) bool {
	begins := true
	for _, r := range inner {
		if begins && isCapital(r) {
			return true
		}
		begins = !unicode.IsLetter(r) && !unicode.IsMark(r)
	}
	return false
}

// plain is a word in the form in which two readings of it are compared: without the difference of s and long s and
// without ligatures of type.
func plain(word string) string { return plainForms.Replace(word) }

var plainForms = strings.NewReplacer("ſ", "s", "ﬁ", "fi", "ﬂ", "fl", "ﬀ", "ff", "ﬃ", "ffi", "ﬄ", "ffl", "ﬅ", "st", "ﬆ", "st", "’", "'")

// NewEdit is the record of a change of the words of one line.
func NewEdit(page int, words []document.Word, after, rule string, confidence float64) document.Edit {
	e := document.Edit{Page: page, After: after, Rule: rule, Confidence: confidence}
	before := make([]string, len(words))
	for i, w := range words {
		before[i] = w.Text
		e.Box = e.Box.Union(w.Box)
	}
	e.Before = strings.Join(before, " ")
	return e
}
