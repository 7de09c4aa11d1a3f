package hand

import (
	"unicode/utf8"

	"uncial/internal/document"
)

// IsFrench gives isFrench the handwriting among lines.
func IsFrench(lines []document.Line, tagged bool) bool {
	all := make([]reading, len(lines))
	for i, l := range lines {
		all[i].line = l
	}
	return isFrench(all, tagged)
}

// CertainWords returns the boxes of the words that handwriting must not replace.
func CertainWords(m Models, inPrint []document.Block) []document.Box {
	return (&handwritingSearch{Page: &Page{models: m}}).certainWords(inPrint)
}

// IsNoise reports whether a line of these words is noise. own is the recognizer's confidence, 0..1.
func IsNoise(words []document.Word, own float64) bool {
	r := reading{line: document.Line{Words: words, Handwritten: true}, confidence: own}
	for _, w := range words {
		r.characters += utf8.RuneCountInString(w.Text)
	}
	return r.isNoise()
}
