package reading

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// greekForms are signs that the Greek model writes for other shapes of a letter, and for the apostrophe, with what Unicode has for them in
// texts: the signs are meant for formulas (Unicode 15, section 7.2), and searching would not find words that have them.
var greekForms = strings.NewReplacer("ϑ", "θ", "ϕ", "φ", "ϰ", "κ", "ϱ", "ρ", "ϖ", "π", "ϐ", "β", "\u1fbd", "\u2019")

// inGreekLetters returns a word with the usual forms of Greek letters. A breathing that stands before a capital becomes part of it.
func inGreekLetters(word string) string {
	mark, n := utf8.DecodeRuneInString(word)
	letter, m := utf8.DecodeRuneInString(word[n:])
	if unicode.Is(unicode.Greek, letter) && unicode.IsUpper(letter) {
		if signs := norm.NFKD.String(string(mark)); len(signs) > 1 && signs[0] == ' ' {
			word = norm.NFC.String(string(letter)+signs[1:]) + word[n+m:]
		}
	}
	return greekForms.Replace(word)
}
