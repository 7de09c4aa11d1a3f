package reading

import (
	"cmp"
	"context"
	"image"
	"slices"
	"strings"
	"unicode"

	"uncial/impl/ocr/correct"
	"uncial/impl/ocr/imaging"
	"uncial/internal/document"
)

// spacing is how far apart the digits of the numbers of a page usually are, in heights of a digit: from middle to middle, which
// is nearly the same for all digits of most founts, and the blank between them, which is nearly the same in the others. It is
// zero if the page has too few numbers to tell.
type spacing struct{ pitch, blank float64 }

// spacingOf returns the spacing of the digits in lines of print. Since some numbers may have been read across blanks, and some
// digits are narrow, it is that of the closer digits.
func spacingOf(lines []*document.Line, ink boxIndex) spacing {
	var pitches, blanks []float64
	for _, l := range lines {
		for _, w := range l.Words {
			digits := digitsIn(w, ink)
			height := imaging.Union(digits).Dy()
			for i := 1; i < len(digits); i++ {
				between := spacingBetween(digits[i-1], digits[i], height)
				pitches, blanks = append(pitches, between.pitch), append(blanks, between.blank)
			}
		}
	}
	if len(pitches) < minSpacings {
		return spacing{}
	}
	slices.Sort(pitches)
	slices.Sort(blanks)
	return spacing{pitches[int(usualPitch*float64(len(pitches)))], blanks[int(usualBlank*float64(len(blanks)))]}
}

// spacingBetween returns how far apart two digits are. height is that of digits in pixels.
func spacingBetween(before, after image.Rectangle, height int) spacing {
	h := float64(height)
	return spacing{float64(imaging.Middle(after).X-imaging.Middle(before).X) / h, float64(after.Min.X-before.Max.X) / h}
}

// isExceeded reports whether two digits are so far apart that there is a blank between two numbers. height is that of digits.
func (s spacing) isExceeded(before, after image.Rectangle, height int) bool {
	between, least := spacingBetween(before, after, height), minDigitGap
	if float64(min(before.Dx(), after.Dx())) < maxNarrowDigit*float64(height) {
		least = minNarrowGap
	}
	return between.blank >= least || s.pitch > 0 && between.blank-s.blank >= minNumberGap && between.pitch-s.pitch >= minNumberPitch
}

// divideNumbers divides the numbers of the print that were read across the blanks between the narrow columns of a table, such
// as 076 for 0 7 6, or between pounds, shillings and pence.
func divideNumbers(_ context.Context, p *page) error {
	divideCells(horizontalPrint(p.read.Blocks), newBoxIndex(p.sheet.components))
	return nil
}

// divideCells divides numbers that follow a wide blank in their line; see divideNumbers.
func divideCells(lines []*document.Line, ink boxIndex) {
	usual := spacingOf(lines, ink)
	for _, line := range lines {
		var words []document.Word
		inCells := false
		for i, w := range line.Words {
			inCells = inCells || correct.HaveWideBlank(line.Words[max(i-1, 0):i+1])
			if inCells {
				words = append(words, dividedNumber(w, ink, usual)...)
			} else {
				words = append(words, w)
			}
		}
		line.Words = words
	}
}

// isDigits reports whether a word consists of digits and of letters that look like digits.
func isDigits(word string) bool {
	isNoDigit := func(r rune) bool { return !unicode.IsDigit(r) }
	return strings.ContainsFunc(word, unicode.IsDigit) && !strings.ContainsFunc(correct.Digits(word), isNoDigit)
}

// digitsIn returns the digits of a number from left to right, or nil if the word is no number or its ink has another number of
// parts than it has digits.
func digitsIn(w document.Word, ink boxIndex) []image.Rectangle {
	if !isDigits(w.Text) {
		return nil
	}
	var digits []image.Rectangle
	ink.near(w.Box.Rectangle(), func(r image.Rectangle) {
		if imaging.Middle(r).In(w.Box.Rectangle()) && float64(r.Dy()) >= minDigitHeight*float64(w.Box.H) {
			digits = append(digits, r)
		}
	})
	if len(digits) != len([]rune(w.Text)) {
		return nil
	}
	slices.SortFunc(digits, func(a, b image.Rectangle) int { return cmp.Compare(a.Min.X, b.Min.X) })
	return digits
}

// dividedNumber returns the parts of a number between blanks, in digits, or the word itself if it is no number or has no blank.
func dividedNumber(w document.Word, ink boxIndex, usual spacing) []document.Word {
	digits := digitsIn(w, ink)
	text, height := []rune(correct.Digits(w.Text)), imaging.Union(digits).Dy()
	var words []document.Word
	for from, i := 0, 1; i <= len(digits); i++ {
		if i < len(digits) && !usual.isExceeded(digits[i-1], digits[i], height) {
			continue
		}
		part := w
		part.Text, part.Box = string(text[from:i]), document.BoxOf(imaging.Union(digits[from:i]))
		words, from = append(words, part), i
	}
	if len(words) <= 1 {
		return []document.Word{w}
	}
	return words
}
