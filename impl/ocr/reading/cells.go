package reading

import (
	"cmp"
	"image"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"uncial/impl/ocr/correct"
	"uncial/impl/ocr/imaging"
	"uncial/internal/document"
)

// divideCells divides the numbers of a line that were read across the blanks between the narrow columns of a table, such as 076
// for 0 7 6. It changes only words that follow a wide blank in the line.
func divideCells(line *document.Line, ink boxIndex) {
	var words []document.Word
	for i, w := range line.Words {
		if isDigits(w.Text) && correct.HaveWideBlank(line.Words[:i+1]) {
			words = append(words, dividedNumber(w, ink)...)
		} else {
			words = append(words, w)
		}
	}
	line.Words = words
}

// isDigits reports whether a word consists of two or more digits, or letters that look like digits.
func isDigits(word string) bool {
	return utf8.RuneCountInString(word) > 1 && !strings.ContainsFunc(word, func(r rune) bool { return !unicode.IsDigit([]rune(correct.DigitFor(string(r)))[0]) })
}

// dividedNumber returns the parts of a number between wide blanks, or the number itself if its ink has another number of parts
// than it has digits.
func dividedNumber(w document.Word, ink boxIndex) []document.Word {
	var digits []image.Rectangle
	ink.near(w.Box.Rectangle(), func(r image.Rectangle) {
		if imaging.Middle(r).In(w.Box.Rectangle()) && 2*r.Dy() >= w.Box.H {
			digits = append(digits, r)
		}
	})
	text := []rune(w.Text)
	if len(digits) != len(text) {
		return []document.Word{w}
	}
	slices.SortFunc(digits, func(a, b image.Rectangle) int { return cmp.Compare(a.Min.X, b.Min.X) })
	var words []document.Word
	for from, i := 0, 1; i <= len(digits); i++ {
		if i < len(digits) && float64(digits[i].Min.X-digits[i-1].Max.X) < minDigitGap*float64(digits[i].Dy()) {
			continue
		}
		part := w
		part.Text, part.Box = string(text[from:i]), document.BoxOf(imaging.Union(digits[from:i]))
		words, from = append(words, part), i
	}
	return words
}
