package enhance

import (
	"regexp"
	"strings"
	"unicode"
)

// MayChange says whether a word is neither a number nor a name, as far as can be told without a lexicon: it has letters,
// no digit, no capital, and is no Roman numeral.
func MayChange(word string) bool {
	_, inner, _ := core(word)
	return inner != "" && !isNumber(inner) && !strings.ContainsFunc(inner, isCapital)
}

// roman are numerals in small letters, as they stand in early print: the last i may be a j, and the v before it a u.
var roman = regexp.MustCompile(`^m*(cm|cd|d?c{0,4})(xc|xl|l?x{0,4})(ix|iv|v?i{0,4}|[uv]?i{0,3}j)$`)

// isNumber says whether a word has a digit, or is a Roman numeral.
func isNumber(inner string) bool {
	return strings.ContainsFunc(inner, unicode.IsNumber) || roman.MatchString(strings.ToLower(inner))
}

func isCapital(r rune) bool { return unicode.IsUpper(r) || unicode.IsTitle(r) }

// Believable says whether a word can be a better reading of another: both one word, neither number nor name, with the
// same punctuation around, and confusable by their shape.
func Believable(read, meant string) bool {
	if meant != strings.Join(strings.Fields(meant), "") || strings.ContainsFunc(meant, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return false
	}
	beforeA, a, afterA := core(read)
	beforeB, b, afterB := core(meant)
	return MayChange(read) && MayChange(meant) && beforeA == beforeB && afterA == afterB && confusable(a, b)
}
