package reading

import (
	"slices"
	"unicode"
	"unicode/utf8"

	"uncial/internal/document"
)

// dropScraps drops lines that are not writing: what was read out of woodcuts, stains and edges. It never drops everything.
func dropScraps(blocks []document.Block) []document.Block {
	page := meanConfidence(blocks)
	if page < minReadable {
		return blocks
	}
	var kept []document.Block
	for _, b := range blocks {
		lines := slices.DeleteFunc(slices.Clone(b.Lines), func(l document.Line) bool { return isScrap(l, page) })
		dropped := len(b.Lines) - len(lines)
		if len(lines) > 0 && float64(dropped) < maxScrapShare*float64(len(b.Lines)) {
			kept = append(kept, document.BlockOf(lines))
		}
	}
	if len(kept) == 0 {
		return blocks
	}
	return kept
}

// isScrap reports whether a line of a page of some confidence is not writing.
func isScrap(l document.Line, page float64) bool {
	var characters, inked int
	var sum float64
	for _, w := range l.Words {
		n := utf8.RuneCountInString(w.Text)
		characters += n
		sum += w.Confidence * float64(n)
		inked += lettersAndDigits(w.Text)
	}
	confidence := sum / float64(characters)
	perWord := float64(inked) / float64(len(l.Words))
	return confidence < maxGarbleConfidence && page >= wellRead ||
		confidence < maxScrapConfidence && perWord < minWordLetters ||
		confidence < maxFaintConfidence && perWord < minFaintLetters && page >= wellRead
}

func lettersAndDigits(text string) int {
	n := 0
	for _, r := range text {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			n++
		}
	}
	return n
}
