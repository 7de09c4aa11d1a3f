package proofread

import (
	"errors"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"uncial/internal/document"
	"uncial/internal/text"
)

// believable returns those corrections of an answer that pass all guards; page is the number of the page, from 0. It returns an
// error if the answer as a whole cannot be a correction of the page.
func believable(page int, shown []*document.Word, answer []proposal) ([]correction, error) {
	if float64(len(answer)) > max(maxChangedShare*float64(len(shown)), fewChanges) {
		return nil, errors.New("the answer changes too many words to be a correction of this page")
	}
	seen := map[int]bool{}
	var accepted []correction
	for _, p := range answer {
		if p.Word < 1 || p.Word > len(shown) || seen[p.Word] {
			continue
		}
		seen[p.Word] = true
		after := norm.NFC.String(p.After)
		if word := shown[p.Word-1]; p.Before == word.Text && isMisreading(word.Text, after) {
			accepted = append(accepted, correction{page, word, after})
		}
	}
	return accepted, nil
}

// isMisreading reports whether read can be a misreading of meant. Each must be a single word and neither a number nor a name,
// both must have the same punctuation around them, and they may differ only in letters of similar shape.
func isMisreading(read, meant string) bool {
	if meant != strings.Join(strings.Fields(meant), "") || strings.ContainsFunc(meant, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return false
	}
	beforeA, a, afterA := text.Core(read)
	beforeB, b, afterB := text.Core(meant)
	return text.MayCorrect(read) && text.MayCorrect(meant) && beforeA == beforeB && afterA == afterB && similarShape(a, b)
}

// shapes are groups of characters that recognizers confuse in print and typescript. Letters that replace each other in later
// spelling, such as c and t ("antient"), share no group.
var shapes = []string{"ceoæœ", "aesoæ", "nurmi", "vwx", "ilt!|", "fst", "jsf", "hbkl", "gqpy", "dcl", "tlr", "rc"}

// mergedShapes maps pairs of letters to the one letter that they look like.
var mergedShapes = map[string]string{
	"rn": "m", "nn": "m", "in": "m", "ni": "m", "iu": "m", "ui": "m", "ii": "n", "ri": "n", "cl": "d", "li": "h", "lt": "k",
}

// similarShape reports whether two words look so much alike that a recognizer can confuse them: at most a third of the letters
// differ, or one letter in shorter words, and each of them only by a similar shape. Words that differ in spelling, marks,
// hyphens or apostrophes are not alike in this sense.
func similarShape(read, meant string) bool {
	a, b := text.Letters(text.FoldType(read)), text.Letters(text.FoldType(meant))
	if len(a) == 0 || len(b) == 0 || marks(read) != marks(meant) {
		return false
	}
	allowed := max(len(a)/maxShapeErrors, 1)
	distance := shapeDistance(a, b, allowed)
	return distance > 0 && distance <= allowed
}

// shapeDistance returns the minimum number of confusions of shape that turn a into b, or limit+1 if there are more or if a and
// b differ in other ways.
func shapeDistance(a, b []string, limit int) int {
	width := len(b) + 1
	cost := make([]int, (len(a)+1)*width)
	for i := range cost {
		cost[i] = limit + 1
	}
	cost[0] = 0
	for at := range cost {
		if cost[at] > limit {
			continue
		}
		for _, m := range shapeMatches(a[at/width:], b[at%width:]) {
			to := at + m.read*width + m.meant
			cost[to] = min(cost[to], cost[at]+m.cost)
		}
	}
	return cost[len(cost)-1]
}

// shapeMatch matches the next read letters of the word as read with the next meant letters of the intended word, at a cost of 0
// or 1.
type shapeMatch struct{ read, meant, cost int }

// shapeMatches returns the possible matches at the beginnings of a and b.
func shapeMatches(a, b []string) []shapeMatch {
	var matches []shapeMatch
	allow := func(ok bool, m shapeMatch) {
		if ok {
			matches = append(matches, m)
		}
	}
	allow(len(a) > 0 && len(b) > 0 && a[0] == b[0], shapeMatch{1, 1, 0})
	allow(len(a) > 0 && len(b) > 0 && lookAlike(a, b), shapeMatch{1, 1, 1})
	allow(len(a) > 0 && isSpeck(a[0]), shapeMatch{1, 0, 1})
	allow(len(a) > 1 && len(b) > 0 && mergedShapes[a[0]+a[1]] == b[0], shapeMatch{2, 1, 1})
	allow(len(a) > 0 && len(b) > 1 && mergedShapes[b[0]+b[1]] == a[0], shapeMatch{1, 2, 1})
	return matches
}

// lookAlike reports whether the first letters of two words have a similar shape and are not two spellings of one letter. Two
// vowels never look alike, because the same word is often spelled with different vowels at different times ("shew" and "show",
// "æra" and "era").
func lookAlike(a, b []string) bool {
	x, y := firstRune(a[0]), firstRune(b[0])
	if text.SameSpelling(a, b) || isVowel(x) && isVowel(y) {
		return false
	}
	for _, s := range shapes {
		if strings.ContainsRune(s, x) && strings.ContainsRune(s, y) {
			return true
		}
	}
	return false
}

// firstRune returns the base character of a letter that may have combining marks. The letter must not be empty.
func firstRune(letter string) rune { return []rune(letter)[0] }

func isVowel(r rune) bool { return strings.ContainsRune("aeiouyæœ", r) }

// isSpeck reports whether a character within a word may be a speck of dirt. Hyphens, apostrophes and full stops belong to the
// spelling.
func isSpeck(letter string) bool {
	r := firstRune(letter)
	return text.IsPunctuation(r) && !unicode.Is(unicode.Dash, r) && !strings.ContainsRune("'.=¬&/", r)
}

// marks returns the number of accents and other combining marks of a word, including those that are part of a composed letter.
func marks(word string) int {
	n := 0
	for _, r := range norm.NFD.String(word) {
		if unicode.IsMark(r) {
			n++
		}
	}
	return n
}
