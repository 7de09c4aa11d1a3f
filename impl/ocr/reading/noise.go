package reading

import (
	"slices"
	"unicode/utf8"

	"uncial/internal/document"
)

const (
	// scrap is the confidence below which a line of scraps, less than scrapLetters letters and digits a word, is
	// taken for a woodcut, a stain or an edge that was read as text.
	scrap        = 0.6
	scrapLetters = 2.0
	// faint is the confidence below which a line of slightly longer scraps is dropped as well, on a page that is
	// otherwise read well.
	faint        = 0.35
	faintLetters = 3.0
	readWell     = 0.65
	// readable is the confidence of a page below which nothing is dropped: there, writing looks like noise.
	readable = 0.5
	// noisyBlock is the share of a block's lines that must be noise for the whole block to be dropped.
	noisyBlock = 0.7
)

// dropNoise takes away lines that are no writing. It never takes everything away.
func dropNoise(blocks []document.Block) []document.Block {
	page := meanConfidence(blocks)
	if page < readable {
		return blocks
	}
	var kept []document.Block
	for _, b := range blocks {
		lines := slices.DeleteFunc(slices.Clone(b.Lines), func(l document.Line) bool { return isNoise(l, page) })
		noise := len(b.Lines) - len(lines)
		if len(lines) > 0 && float64(noise) < noisyBlock*float64(len(b.Lines)) {
			kept = append(kept, blockOf(lines))
		}
	}
	if len(kept) == 0 {
		return blocks
	}
	return kept
}

func isNoise(l document.Line, page float64) bool {
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
	return confidence < scrap && perWord < scrapLetters ||
		confidence < faint && perWord < faintLetters && page >= readWell
}
