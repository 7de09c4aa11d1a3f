package reading

import (
	"cmp"
	"context"
	"image"
	"math"
	"slices"
	"strings"
	"unicode"

	"uncial/impl/ocr/imaging"
	"uncial/internal/document"
)

// dropFalseText drops what is not writing, or was not read along its lines, from the readings that are not tidy yet.
func dropFalseText(ctx context.Context, p *page) error {
	return onReadings(func(blocks []document.Block) []document.Block {
		if mayUseNetwork(p) { // "missed" reads stacks with it
			blocks = p.dropStacks(blocks)
		}
		return dropScraps(blocks)
	})(ctx, p)
}

// dropScraps drops lines that are not writing but were read in woodcuts, stains and edges. It never drops all lines.
func dropScraps(blocks []document.Block) []document.Block {
	page := meanConfidence(blocks)
	if page < minReadable {
		return blocks
	}
	hasGreek := greekWords(blocks) >= minGreekWords
	var kept []document.Block
	for _, b := range blocks {
		lines := slices.DeleteFunc(slices.Clone(b.Lines), func(l document.Line) bool {
			return isScrap(l, page) || hasGreek && isAccents(l) || isDescenders(l, blocks)
		})
		dropped := len(b.Lines) - len(lines)
		if len(lines) > 0 && float64(dropped) < minDroppedShare*float64(len(b.Lines)) {
			kept = append(kept, document.BlockOf(lines))
		}
	}
	if len(kept) == 0 {
		return blocks
	}
	return kept
}

// dropStacks drops what was read in columns of letters or digits, such as the pence of an account, that the layout analysis
// took for a line that runs from top to bottom. "missed" reads them in their rows.
func (p *page) dropStacks(blocks []document.Block) []document.Block {
	marks := newBoxIndex(p.sheet.marks)
	var kept []document.Block
	for _, b := range blocks {
		lines := slices.DeleteFunc(slices.Clone(b.Lines), func(l document.Line) bool { return isStack(l.Box, marks) })
		if len(lines) > 0 {
			kept = append(kept, document.BlockOf(lines))
		}
	}
	if len(kept) == 0 {
		return blocks
	}
	return kept
}

// isStack reports whether a box is much higher than wide, and the ink in it is in rows of similar height that are as far apart
// as lines of text. The letters of a line that runs from top to bottom are closer, and the hatching of a woodcut is irregular.
func isStack(box document.Box, ink boxIndex) bool {
	if box.H < minVerticalShape*box.W {
		return false
	}
	var rows []image.Rectangle
	ink.near(box.Rectangle(), func(r image.Rectangle) {
		if !imaging.Middle(r).In(box.Rectangle()) {
			return
		}
		if i := slices.IndexFunc(rows, func(row image.Rectangle) bool { return shareRow(row, r) }); i >= 0 {
			rows[i] = rows[i].Union(r)
		} else {
			rows = append(rows, r)
		}
	})
	slices.SortFunc(rows, func(a, b image.Rectangle) int { return cmp.Compare(a.Min.Y, b.Min.Y) })
	apart, lowest, highest := 0, math.MaxInt, 0
	for i, r := range rows {
		lowest, highest = min(lowest, r.Dy()), max(highest, r.Dy())
		if i > 0 && float64(r.Min.Y-rows[i-1].Max.Y) >= minStackGap*float64(min(r.Dy(), rows[i-1].Dy())) {
			apart++
		}
	}
	return len(rows) >= minStackRows && 2*apart > len(rows)-1 && highest <= maxStackRatio*lowest
}

// isScrap reports whether a line is not writing. page is the mean confidence of the page.
func isScrap(l document.Line, page float64) bool {
	inked := 0
	for _, w := range l.Words {
		inked += lettersAndDigits(w.Text)
	}
	confidence := meanWordConfidence(l.Words)
	perWord := float64(inked) / float64(len(l.Words))
	return confidence < maxGarbleConfidence && page >= wellRead ||
		confidence < maxScrapConfidence && perWord < minWordLetters && !isYear(l) ||
		confidence < maxFaintConfidence && perWord < minFaintLetters && page >= wellRead
}

// isDescenders reports whether a line consists of the descenders of a longer line, which layout analysis sometimes takes for a
// line of their own: it has single characters, begins above the lower edge of the longer line, and ends below it.
func isDescenders(l document.Line, blocks []document.Block) bool {
	if float64(characters(oneLine(l))) > maxDescenders*float64(len(l.Words)) || meanWordConfidence(l.Words) >= maxDescenderConfidence {
		return false
	}
	for other := range document.Lines(blocks) {
		edge := other.Box.Y + other.Box.H
		if len(other.Words) > len(l.Words) && other.Box.X <= l.Box.X && other.Box.Right() >= l.Box.Right() &&
			l.Box.Y > other.Box.Y && float64(edge-l.Box.Y) >= minDescent*float64(l.Box.H) && l.Box.Y+l.Box.H > edge {
			return true
		}
	}
	return false
}

// isYear reports whether a line is a year in spaced Roman numerals, as on title pages. Some of its letters may be misread.
func isYear(l document.Line) bool {
	numerals, others := 0, 0
	for _, w := range l.Words {
		for _, r := range w.Text {
			switch {
			case strings.ContainsRune("MDCLXVI", unicode.ToUpper(r)):
				numerals++
			case unicode.IsLetter(r) || unicode.IsDigit(r):
				others++
			}
		}
	}
	return strings.HasPrefix(l.Words[0].Text, "M") && numerals >= minYearLetters && others*otherYearLetters <= numerals
}

// isAccents reports whether a line consists of the accents and breathings above a line of Greek, which layout analysis
// sometimes takes for a separate line: single signs, letters and digits, none of them certain.
func isAccents(l document.Line) bool {
	signs, inked := 0, 0
	for _, w := range l.Words {
		n := lettersAndDigits(w.Text)
		inked += n
		if n == 0 {
			signs++
		}
	}
	return len(l.Words) >= minAccents && inked <= len(l.Words) && signs*signDivisor >= len(l.Words) &&
		meanWordConfidence(l.Words) < maxAccentConfidence
}

// greekWords counts the words in Greek letters.
func greekWords(blocks []document.Block) int {
	n := 0
	for w := range document.Words(blocks) {
		if isGreek(w.Text) {
			n++
		}
	}
	return n
}

// lettersAndDigits counts letters and digits. Scraps of pictures and rules have few.
func lettersAndDigits(text string) int {
	n := 0
	for _, r := range text {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			n++
		}
	}
	return n
}
