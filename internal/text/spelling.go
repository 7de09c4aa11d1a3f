package text

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// OnlyRespells reports whether two different words differ only in their spelling: by accents, by letters that were once written
// for others, or by "ai" for "oi" as in "étoit". Words of different lengths are not compared, and the answer is false.
func OnlyRespells(word, correction string) bool {
	a, b := Letters(word), Letters(correction)
	if len(a) != len(b) {
		return false
	}
	differs := false
	for i := range a {
		switch {
		case a[i] == b[i]:
		case SameSpelling(a[i:], b[i:]):
			differs = true
		default:
			return false
		}
	}
	return differs
}

// OnlyAccents reports whether two words differ at most in accents and capitals.
func OnlyAccents(word, other string) bool {
	return slices.EqualFunc(Letters(word), Letters(other), func(a, b string) bool {
		x, _ := utf8.DecodeRuneInString(a)
		y, _ := utf8.DecodeRuneInString(b)
		return unicode.ToLower(x) == unicode.ToLower(y)
	})
}

// Letters splits a word into its letters, each decomposed (NFD) and followed by its marks: "é" is one letter of two code
// points. Other characters are elements of their own.
func Letters(word string) []string {
	var letters []string
	for _, r := range norm.NFD.String(word) {
		if unicode.IsMark(r) && len(letters) > 0 {
			letters[len(letters)-1] += string(r)
			continue
		}
		letters = append(letters, string(r))
	}
	return letters
}

// SameSpelling is the only rule that decides which changes would modernize a text. It reports whether the first letters of two
// words, as Letters splits them, may stand for each other in spellings of different times:
//   - letters with and without accents, capital and small;
//   - u and v, i and j and y, s and long s and z ("auoir", "roy", "deuz");
//   - o and a before i ("étoit", "était");
//   - m and n before b, m and p ("conpte").
//
// Abbreviation marks are not accents: "hõneur" is not a spelling of "honeur".
func SameSpelling(a, b []string) bool {
	x, y := spelling(a[0]), spelling(b[0])
	switch {
	case x == y:
		return true
	case len(a) == 1 || len(b) == 1:
		return false
	}
	pair, next := []string{x, y}, spelling(a[1])
	slices.Sort(pair)
	switch strings.Join(pair, "") {
	case "ao":
		return next == "i" && spelling(b[1]) == "i"
	case "mn":
		return strings.Contains("bmp", next)
	}
	return false
}

// spelling returns the letter that represents all spellings of a letter.
func spelling(letter string) string {
	return spellings.Replace(strings.Map(func(r rune) rune {
		if unicode.IsMark(r) && !isAbbreviation(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, letter))
}

// spellings folds letters that early printers exchanged. Two words that are equal afterwards differ at most in spelling.
var spellings = strings.NewReplacer("v", "u", "j", "i", "y", "i", "ſ", "s", "z", "s")

// Abbreviations counts the abbreviation marks in a word. A correction may not drop one: that would expand the word.
func Abbreviations(word string) int {
	n := 0
	for _, r := range norm.NFD.String(word) {
		if isAbbreviation(r) {
			n++
		}
	}
	return n
}

// isAbbreviation reports whether a decomposed character is an abbreviation mark: the tilde or macron of a vowel, or a letter
// form that only abbreviates.
func isAbbreviation(r rune) bool { return strings.ContainsRune("\u0303\u0304\u0305ꝑꝓꝯꝰ⁊", r) }
