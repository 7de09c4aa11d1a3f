package correct

import (
	"slices"
	"strings"

	"uncial/internal/document"
)

// Vote corrects the print on a page with the help of other readings of the same page. Words are aligned by their boxes. Each
// reading votes for its own words with its confidence, and a word list adds a bonus; a candidate with a clear lead replaces the
// words of blocks. Confidences must be calibrated. The edits are in the order of the blocks.
func Vote(blocks []document.Block, others [][]document.Block, known Lexicon) []document.Edit {
	var longSWriters map[string]bool // nil on a page without long s
	if showsLongS(blocks) {
		longSWriters = modelsWithLongS(append(slices.Clone(others), blocks))
	}
	var edits []document.Edit
	for line := range document.Lines(blocks) {
		if line.Handwritten {
			continue // the other readings are of print
		}
		candidates := make([][]document.Word, len(others))
		for i, o := range others {
			candidates[i] = wordsInRow(o, line.Box)
		}
		edits = append(edits, voteLine(line, candidates, known, longSWriters)...)
	}
	return edits
}

// voteLine corrects one line. candidates holds the words of each other reading in the line's row.
func voteLine(line *document.Line, candidates [][]document.Word, known Lexicon, longSWriters map[string]bool) []document.Edit {
	var edits []document.Edit
	for i := 0; i < len(line.Words); i++ {
		for _, n := range []int{2, 1} {
			if i+n > len(line.Words) {
				continue
			}
			words := line.Words[i : i+n]
			best, ok := elect(words, candidates, known)
			if !ok {
				continue
			}
			if longSWriters != nil {
				best = best.inLongS(longSWriters)
			}
			edits = append(edits, document.NewEdit(words, best.text, ruleVote, best.confidence))
			line.Words = slices.Replace(line.Words, i, i+n, best.replacing(words)...)
			i += len(best.source) - 1
			break
		}
	}
	return edits
}

// elect returns the replacement of one word, or of two neighbours that are parts of one. It reports false if they stay, because all of
// them are known, one is locked, or no candidate leads.
func elect(words []document.Word, others [][]document.Word, known Lexicon) (candidate, bool) {
	read := newCandidate(words)
	if knownShare(words, known) == 1 || anyLocked(words, known) {
		return candidate{}, false
	}
	candidates := []candidate{read}
	for _, other := range others {
		if overlapping := overlappingWords(other, words); len(overlapping) > 0 {
			candidates = addVote(candidates, newCandidate(overlapping))
		}
	}
	candidates[0].votes += knownBonus * knownShare(words, known)
	best := candidates[0]
	for _, c := range candidates[1:] {
		if c.votes += knownBonus; c.votes > best.votes && c.confidence >= minVoteConfidence && isAcceptable(read, c, known) {
			best = c
		}
	}
	return best, best.text != read.text && best.votes >= candidates[0].votes+minLead
}

func modelsWithLongS(readings [][]document.Block) map[string]bool {
	models := map[string]bool{}
	for _, blocks := range readings {
		for w := range document.Words(blocks) {
			if strings.Contains(w.Text, "ſ") {
				models[w.Model] = true
			}
		}
	}
	return models
}

// overlappingWords returns the words of a row that cover the same stretch as the given ones, or nil if none do.
func overlappingWords(row, words []document.Word) []document.Word {
	left, right := span(words)
	var found []document.Word
	for _, w := range row {
		if middle := w.Box.X + w.Box.W/2; middle >= left && middle < right {
			found = append(found, w)
		}
	}
	if len(found) == 0 {
		return nil
	}
	l, r := span(found)
	common, widest := min(right, r)-max(left, l), max(right-left, r-l)
	if float64(common) < minSharedWidth*float64(widest) {
		return nil
	}
	return found
}

// span returns where words that follow each other begin and end, in pixels from the left.
func span(words []document.Word) (left, right int) {
	last := words[len(words)-1].Box
	return words[0].Box.X, last.X + last.W
}

// wordsInRow returns the words in the same row as a box, from left to right.
func wordsInRow(blocks []document.Block, box document.Box) []document.Word {
	var words []document.Word
	for line := range document.Lines(blocks) {
		if !isInRow(line.Box, box) {
			continue
		}
		for _, w := range line.Words {
			if isInRow(w.Box, box) {
				words = append(words, w)
			}
		}
	}
	slices.SortStableFunc(words, func(a, b document.Word) int { return a.Box.X - b.Box.X })
	return words
}

// isInRow reports whether two boxes overlap by half the height of the lower one.
func isInRow(a, b document.Box) bool {
	return 2*(min(a.Y+a.H, b.Y+b.H)-max(a.Y, b.Y)) >= min(a.H, b.H)
}
