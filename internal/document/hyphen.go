package document

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"uncial/internal/text"
)

// hyphens divide a word at the end of a line, in print and in handwriting: hyphen-minus, hyphen, not sign, double oblique
// hyphen, equals sign, soft hyphen.
const hyphens = "-\u2010\u00ac\u2e17=\u00ad"

// minStem is the minimum number of letters before the hyphen: a single letter is more likely to be a list item or an initial.
const minStem = 2

// MarkBroken finds words that are divided at the end of a line and sets Word.Whole of both parts. The parts are joined only if
// the page has the whole word elsewhere, or if known reports that a word list has it; known may be nil. Without such evidence,
// "well-" and "known" may be two words. The text of words stays unchanged.
func (d *Document) MarkBroken(known func(whole string) bool) {
	for i := range d.Pages {
		page := &d.Pages[i]
		var elsewhere map[string]bool // the words of the page; made when first needed
		for j := range page.Blocks {
			lines := page.Blocks[j].Lines
			for k := 1; k < len(lines); k++ {
				first, second := lines[k-1].last(), lines[k].first()
				whole := joined(first.Text, second.Text)
				if whole == "" || first.Whole != "" {
					continue
				}
				if elsewhere == nil {
					elsewhere = page.vocabulary()
				}
				if elsewhere[fold(whole)] || known != nil && known(whole) {
					first.Whole, second.Whole = whole, whole
				}
			}
		}
	}
}

// first and last return the first and the last word of a line, which is never empty.
func (l *Line) first() *Word { return &l.Words[0] }

func (l *Line) last() *Word { return &l.Words[len(l.Words)-1] }

// joined returns the word that two parts make, or "" if they cannot be parts of one: the first must end in a hyphen, the second
// begin with a small letter.
func joined(first, second string) string {
	stem, _ := CutHyphen(first)
	_, head, _ := text.Core(stem)
	_, rest, _ := text.Core(second)
	initial, _ := utf8.DecodeRuneInString(second)
	if head == "" || !strings.HasSuffix(stem, head) || utf8.RuneCountInString(head) < minStem || !unicode.IsLower(initial) ||
		strings.ContainsAny(second[len(second)-1:], "-=") || !isLetters(head) || !isLetters(rest) {
		return ""
	}
	return head + rest
}

// CutHyphen splits a word into what is before the hyphen at its end, and the hyphen. stem is "" if it ends in none.
func CutHyphen(word string) (stem, hyphen string) {
	r, size := utf8.DecodeLastRuneInString(word)
	if size == 0 || !strings.ContainsRune(hyphens, r) {
		return "", ""
	}
	return word[:len(word)-size], word[len(word)-size:]
}

// isLetters reports whether s has letters and marks only.
func isLetters(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) })
}

// vocabulary returns the words of the page, without punctuation and folded. Parts of divided words are not among them.
func (p *Page) vocabulary() map[string]bool {
	all := map[string]bool{}
	for line := range Lines(p.Blocks) {
		for i, w := range line.Words {
			if stem, _ := CutHyphen(w.Text); stem != "" && i == len(line.Words)-1 {
				continue
			}
			_, core, _ := text.Core(w.Text)
			all[fold(core)] = true
		}
	}
	return all
}

// fold makes spellings equal that differ in case, or in what only the type distinguishes.
func fold(word string) string { return strings.ToLower(text.FoldType(word)) }

// HyphenPart reports which part of a divided word the word number i of a line is: 1 at the end of the line, 2 at its beginning,
// 0 if it is not part of one.
func (l *Line) HyphenPart(i int) int {
	w := &l.Words[i]
	stem, _ := CutHyphen(w.Text)
	switch {
	case w.Whole == "":
		return 0
	case i == len(l.Words)-1 && stem != "":
		return 1
	case i == 0:
		return 2
	}
	return 0
}

// cleanWhole returns whole if it consists of letters, otherwise "".
func cleanWhole(whole string) string {
	if !isLetters(whole) || slices.Contains([]rune(whole), utf8.RuneError) {
		return ""
	}
	return whole
}
