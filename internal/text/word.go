// Package text compares words and texts as sequences of characters: how far apart they are (Distance), and which differences
// are a matter of spelling rather than of reading (OnlyRespells). Code that corrects a text asks here what it must not change:
// a correction may fix a misread letter, but it never modernizes a word. MayCorrect excludes numbers and names, for callers
// without a word list.
//
// WithoutEntities repairs transcriptions, and Number writes numbers for people. Word lists are in impl/ocr/lexicon, and error
// rates in internal/accuracy. Start with spelling.go.
package text

import (
	"regexp"
	"strings"
	"unicode"
)

// Core splits a word into the punctuation before it, its letters, digits and marks with anything between them, and the
// punctuation after it. The three parts joined are the word; core is empty if the word is punctuation alone.
func Core(word string) (before, core, after string) {
	rest := strings.TrimLeftFunc(word, IsPunctuation)
	before = word[:len(word)-len(rest)]
	core = strings.TrimRightFunc(rest, IsPunctuation)
	return before, core, rest[len(core):]
}

// IsPunctuation reports whether a character is neither letter nor number nor mark.
func IsPunctuation(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.IsMark(r)
}

// CountLetters returns the number of letters of a word. Digits, marks and punctuation do not count.
func CountLetters(word string) int {
	n := 0
	for _, r := range word {
		if unicode.IsLetter(r) {
			n++
		}
	}
	return n
}

// FoldType replaces what only the printer's type distinguishes: long s, ligatures such as ﬁ, and the curved apostrophe.
func FoldType(word string) string { return foldedType.Replace(word) }

var foldedType = strings.NewReplacer("ſ", "s", "ﬁ", "fi", "ﬂ", "fl", "ﬀ", "ff", "ﬃ", "ffi", "ﬄ", "ffl", "ﬅ", "st", "ﬆ", "st", "’", "'")

// MayCorrect reports whether a word may be corrected without a word list: it has letters, and is neither a number nor, because
// of a capital letter, a name.
func MayCorrect(word string) bool {
	_, core, _ := Core(word)
	return core != "" && !IsNumber(core) && !strings.ContainsFunc(core, isCapital)
}

// MayBeName reports whether a core, as Core returns it, begins with a capital, or a part of it does, as in "d'Artagnan".
func MayBeName(core string) bool {
	begins := true
	for _, r := range core {
		if begins && isCapital(r) {
			return true
		}
		begins = !unicode.IsLetter(r) && !unicode.IsMark(r)
	}
	return false
}

// isCapital reports whether a character is a capital letter, or a digraph that begins with one.
func isCapital(r rune) bool { return unicode.IsUpper(r) || unicode.IsTitle(r) }

// roman matches Roman numerals in lower case as early print sets them: the last i may be a j, and the v before it a u.
var roman = regexp.MustCompile(`^m*(cm|cd|d?c{0,4})(xc|xl|l?x{0,4})(ix|iv|v?i{0,4}|[uv]?i{0,3}j)$`)

// IsNumber reports whether a core, as Core returns it, contains a digit or is a Roman numeral. Short words such as "i", "mi"
// and "dix" count as numerals too.
func IsNumber(core string) bool {
	return strings.ContainsFunc(core, unicode.IsNumber) || roman.MatchString(strings.ToLower(core))
}
