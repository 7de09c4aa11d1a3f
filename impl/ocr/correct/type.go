package correct

import (
	"slices"
	"strings"

	"uncial/internal/document"
	"uncial/internal/text"
)

// The network for print writes all quotation marks and dashes in one form each, and reads them less well than Tesseract.
const (
	doubleQuotes = "\"“”„‟«»"
	singleQuotes = "'‘’‚‛‹›`´"
	quotes       = doubleQuotes + singleQuotes
	dashes       = "-—–―¬⸗"
)

// foldSigns returns words in modern type, with one form of each quotation mark and dash.
func foldSigns(words string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case strings.ContainsRune(doubleQuotes, r):
			return '"'
		case strings.ContainsRune(singleQuotes, r):
			return '\''
		case strings.ContainsRune(dashes, r):
			return '-'
		}
		return r
	}, text.FoldType(words))
}

// inTypeOf returns what the network for print read in place of some words of a line, in the type of these words: with their
// quotation marks and dashes, if both have the same number, and with round s on a page that is set without long s.
func (k *Knowledge) inTypeOf(line, read []document.Word) []document.Word {
	before, out := joined(line), slices.Clone(read)
	for _, signs := range []string{quotes, dashes} {
		if had := signsIn(before, signs); len(had) == len(signsIn(joined(read), signs)) {
			replaceSigns(out, signs, had)
		}
	}
	if !k.LongS {
		for i := range out {
			out[i].Text = strings.ReplaceAll(out[i].Text, "ſ", "s")
		}
	}
	return out
}

// isLongSForF reports whether a reading of some words has only a long s in place of an f, on a page that is set without long s.
func (k *Knowledge) isLongSForF(line, read []document.Word) bool {
	after := joined(read)
	return !k.LongS && strings.Contains(after, "ſ") && strings.ReplaceAll(after, "ſ", "f") == joined(line)
}

// isRealChange reports whether a reading by the network for print differs from some words in more than their division, has the
// same number of quotation marks, and has no fewer dashes.
func isRealChange(line, read []document.Word) bool {
	before, after := joined(line), joined(read)
	return withoutSpaces(before) != withoutSpaces(after) &&
		len(signsIn(before, quotes)) == len(signsIn(after, quotes)) &&
		len(signsIn(before, dashes)) <= len(signsIn(after, dashes))
}

// withoutSpaces returns words in the form of foldSigns, without the spaces between them.
func withoutSpaces(words string) string { return strings.ReplaceAll(foldSigns(words), " ", "") }

// signsIn returns the characters of words that are among signs, in order.
func signsIn(words, signs string) []rune {
	var out []rune
	for _, r := range words {
		if strings.ContainsRune(signs, r) {
			out = append(out, r)
		}
	}
	return out
}

// replaceSigns replaces each character of words that is among signs with the next element of by, which must have one for each
// of them.
func replaceSigns(words []document.Word, signs string, by []rune) {
	for i := range words {
		words[i].Text = strings.Map(func(r rune) rune {
			if strings.ContainsRune(signs, r) {
				r, by = by[0], by[1:]
			}
			return r
		}, words[i].Text)
	}
}
