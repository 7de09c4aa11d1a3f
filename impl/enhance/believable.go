package enhance

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// MayChange says whether a word is neither a number nor a name, as far as can be told without a lexicon: it has letters,
// no digit, and begins with a small one.
func MayChange(word string) bool {
	_, inner, _ := core(word)
	first, _ := utf8.DecodeRuneInString(inner)
	return inner != "" && !strings.ContainsFunc(inner, unicode.IsDigit) && !unicode.IsUpper(first)
}

// Believable says whether a word can be a better reading of another: one word, still neither number nor name, with the
// same punctuation around it, and confusable with it by its shape.
func Believable(read, meant string) bool {
	if meant != strings.Join(strings.Fields(meant), "") || strings.ContainsFunc(meant, func(r rune) bool { return !unicode.IsPrint(r) }) || !MayChange(meant) {
		return false
	}
	beforeA, a, afterA := core(read)
	beforeB, b, afterB := core(meant)
	return beforeA == beforeB && afterA == afterB && confusable(a, b)
}
