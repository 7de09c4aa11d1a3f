package reading

import (
	"context"
	"slices"
	"unicode/utf8"

	"uncial/impl/ocr/imaging"
	"uncial/internal/document"
)

// dittoMark is the text of a ditto mark, which stands for the words above it.
const dittoMark = `"`

// readDittoMarks corrects the ditto marks of lists. The recognizer reads their two short strokes as arbitrary letters or
// digits.
func readDittoMarks(_ context.Context, p *page) error {
	replaceDittoMarks(p.attempts[0].blocks, p.sheet.letterHeight)
	return nil
}

// replaceDittoMarks replaces the text of the words that are ditto marks. height is the height of letters in pixels.
func replaceDittoMarks(blocks []document.Block, height int) {
	var marks []*document.Word
	for l := range document.Lines(blocks) {
		for i := range l.Words {
			if isDittoMark(l.Words, i, height) {
				marks = append(marks, &l.Words[i])
			}
		}
	}
	for _, w := range marks {
		column := 0
		for _, other := range marks {
			if d := imaging.Middle(w.Box.Rectangle()).X - imaging.Middle(other.Box.Rectangle()).X; max(d, -d) <= height {
				column++
			}
		}
		if column >= minDittoMarks {
			w.Text = dittoMark
		}
	}
}

// isDittoMark reports whether the ink of a word may be a ditto mark: it is small, about as wide as it is tall, well above the
// feet of the other words, and far from both neighbours. height is the height of letters in pixels.
func isDittoMark(words []document.Word, i, height int) bool {
	b := words[i].Box
	if utf8.RuneCountInString(words[i].Text) > longestDittoMark || !isDittoSize(b.W, height) || !isDittoSize(b.H, height) ||
		i > 0 && b.X-words[i-1].Box.Right() < dittoGap*height ||
		i+1 < len(words) && words[i+1].Box.X-b.Right() < dittoGap*height {
		return false
	}
	var feet []int
	for _, w := range words {
		if lettersAndDigits(w.Text) > longestDittoMark || w.Box.H >= height {
			feet = append(feet, w.Box.Y+w.Box.H)
		}
	}
	if len(feet) == 0 {
		return false
	}
	return float64(slices.Min(feet)-b.Y-b.H) >= minDittoRise*float64(height)
}

// isDittoSize reports whether size may be the width or the height of a ditto mark. height is the height of letters in pixels.
func isDittoSize(size, height int) bool {
	return float64(size) >= minDittoSize*float64(height) && float64(size) <= maxDittoSize*float64(height)
}
