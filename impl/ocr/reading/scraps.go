package reading

import (
	"slices"
	"strings"
	"unicode"

	"uncial/internal/document"
)

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
