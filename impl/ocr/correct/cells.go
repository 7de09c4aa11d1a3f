package correct

import (
	"slices"
	"strings"
	"unicode"

	"uncial/internal/document"
)

// lookAlikes has the digits that single letters look like.
var lookAlikes = map[string]string{"O": "0", "o": "0", "I": "1", "l": "1"}

// DigitFor returns the digit that a letter looks like, or the text itself.
func DigitFor(letter string) string {
	if digit, ok := lookAlikes[letter]; ok {
		return digit
	}
	return letter
}

// Digits returns a text with digits in place of all letters that look like them.
func Digits(text string) string {
	return strings.Map(func(r rune) rune { return []rune(DigitFor(string(r)))[0] }, text)
}

// DigitsInCells replaces letters that look like digits by these, in the cells of a table: between wide blanks, beside a number,
// and, for a stroke, in a column of numbers.
func (k *Knowledge) DigitsInCells(line *document.Line) {
	words := line.Words
	for i := range words {
		w := &words[i]
		digit := DigitFor(w.Text)
		isBesideNumber := i > 0 && isNumber(words[i-1].Text) || i+1 < len(words) && isNumber(words[i+1].Text)
		if digit != w.Text && isCell(words, i) && isBesideNumber && (digit != "1" || k.inColumn(w.Box)) {
			w.Text = digit
		}
	}
}

// NumberCells returns the boxes of the numbers between wide blanks, as in a table. It leaves out 1, because rules are often
// read as 1.
func NumberCells(blocks []document.Block) []document.Box {
	var cells []document.Box
	for line := range document.Lines(blocks) {
		for i, w := range line.Words {
			if isNumber(w.Text) && w.Text != "1" && isCell(line.Words, i) {
				cells = append(cells, w.Box)
			}
		}
	}
	return cells
}

// dropsCell reports whether a reading lacks a word from separate cells, although a network for print read it by itself, or it
// is in a column of numbers. In the line, the network may miss a short word between two wide blanks.
func (k *Knowledge) dropsCell(had, words []document.Word) bool {
	return len(words) < len(had) && HaveWideBlank(had) && slices.ContainsFunc(had, func(w document.Word) bool {
		return slices.Contains(k.Networks, w.Model) || isNumber(w.Text) && k.inColumn(w.Box)
	})
}

// inColumn reports whether there are numbers above or below a box that are cells of a table.
func (k *Knowledge) inColumn(box document.Box) bool {
	n := 0
	for _, b := range k.Cells {
		if b != box && 2*(min(b.Right(), box.Right())-max(b.X, box.X)) >= min(b.W, box.W) {
			n++
		}
	}
	return n >= minColumn
}

// isCell reports whether there is no other word near word i of a line.
func isCell(words []document.Word, i int) bool {
	return (i == 0 || HaveWideBlank(words[i-1:i+1])) && (i+1 == len(words) || HaveWideBlank(words[i:i+2])) && len(words) > 1
}

// HaveWideBlank reports whether one of the blanks between words is as wide as between the cells of a table.
func HaveWideBlank(words []document.Word) bool {
	for i, w := range words[min(1, len(words)):] {
		if before := words[i].Box; float64(w.Box.X-before.Right()) > cellGap*float64(min(w.Box.H, before.H)) {
			return true
		}
	}
	return false
}

// isNumber reports whether a word has digits only.
func isNumber(word string) bool {
	return word != "" && !strings.ContainsFunc(word, func(r rune) bool { return !unicode.IsDigit(r) })
}
