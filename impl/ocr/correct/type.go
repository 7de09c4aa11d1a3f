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
// quotation marks and dashes, and with round s on a page that is set without long s. It reports false if the reading differs
// only in the division of words, has another number of quotation marks or fewer dashes, or, on such a page, differs only by a
// long s in place of an f.
func (k *Knowledge) inTypeOf(line, read []document.Word) ([]document.Word, bool) {
	before, out := joined(line), slices.Clone(read)
	if withoutSpaces(before) == withoutSpaces(joined(read)) {
		return read, false
	}
	had, has := signsIn(before, quotes), signsIn(joined(read), quotes)
	if len(had) != len(has) {
		return read, false
	}
	replaceSigns(out, quotes, had)
	had, has = signsIn(before, dashes), signsIn(joined(read), dashes)
	if len(had) > len(has) {
		return read, false
	}
	if len(had) == len(has) {
		replaceSigns(out, dashes, had)
	}
	if k.LongS {
		return out, true
	}
	for i := range out {
		out[i].Text = strings.ReplaceAll(out[i].Text, "ſ", "s")
	}
	return out, strings.ReplaceAll(joined(read), "ſ", "f") != before || !strings.Contains(joined(read), "ſ")
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
