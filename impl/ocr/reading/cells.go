package reading

import (
	"cmp"
	"image"
	"slices"
	"strings"
	"unicode"

	"uncial/impl/ocr/correct"
	"uncial/impl/ocr/imaging"
	"uncial/internal/document"
)

// divideCells divides the numbers of a line that were read across the blanks between the narrow columns of a table, such as 076
// for 0 7 6. It changes only words that follow a wide blank in the line.
func divideCells(line *document.Line, ink boxIndex) {
	var words []document.Word
	inCells := false
	for i, w := range line.Words {
		inCells = inCells || correct.HaveWideBlank(line.Words[max(i-1, 0):i+1])
		if inCells && isDigits(w.Text) {
			words = append(words, dividedNumber(w, ink)...)
		} else {
			words = append(words, w)
		}
	}
	line.Words = words
}

// isDigits reports whether a word consists of digits and of letters that look like digits.
func isDigits(word string) bool {
	isNoDigit := func(r rune) bool { return !unicode.IsDigit(r) }
	return strings.ContainsFunc(word, unicode.IsDigit) && !strings.ContainsFunc(correct.Digits(word), isNoDigit)
}

// dividedNumber returns the parts of a number between wide blanks, in digits, or the number itself if it has no such blank or
// its ink has another number of parts than it has digits.
func dividedNumber(w document.Word, ink boxIndex) []document.Word {
	var digits []image.Rectangle
	ink.near(w.Box.Rectangle(), func(r image.Rectangle) {
		if imaging.Middle(r).In(w.Box.Rectangle()) && 2*r.Dy() >= w.Box.H {
			digits = append(digits, r)
		}
	})
	text := []rune(correct.Digits(w.Text))
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
	if len(words) == 1 {
		return []document.Word{w}
	}
	return words
}
