package accuracy

import (
	"strings"
	"unicode"
)

// LineKind is a kind of line that layout analysis may lose.
type LineKind string

// A line has the first kind that fits it.
const (
	numbers    LineKind = "numbers"       // figures only: page numbers, dates in the margin
	shortLines LineKind = "short lines"   // up to shortLine words: headings, catchwords, notes
	longLines  LineKind = "lines of text" // all others
)

// LineKinds are all kinds, the most easily lost first.
var LineKinds = []LineKind{numbers, shortLines, longLines}

// shortLine is the number of words up to which a line is short.
const shortLine = 3

// FoundLines counts the lines of a ground truth by kind, and as errors those of which not a single word was read anywhere on
// the page. A line whose words were all misread counts as missed, so use it for print, in which most words are right.
func FoundLines(truth, text string) map[LineKind]Rate {
	read, _ := bag(Folded(text))
	counts := map[LineKind]Rate{}
	for line := range strings.Lines(truth) {
		words := Tokens(Folded(line))
		if len(words) == 0 {
			continue
		}
		found := false
		for _, w := range words {
			if w = strings.TrimFunc(w, isEdge); w != "" && read[w] > 0 {
				read[w]--
				found = true
			}
		}
		c := counts[kindOf(words)]
		if c.Length++; !found {
			c.Errors++
		}
		counts[kindOf(words)] = c
	}
	return counts
}

// kindOf returns the kind of a line, given its words.
func kindOf(words []string) LineKind {
	isText := func(r rune) bool { return !unicode.IsNumber(r) && !unicode.IsPunct(r) && !unicode.IsSymbol(r) }
	switch {
	case !strings.ContainsFunc(strings.Join(words, ""), isText):
		return numbers
	case len(words) <= shortLine:
		return shortLines
	}
	return longLines
}
