package correct

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"uncial/internal/document"
	"uncial/internal/text"
)

// candidate is one reading of a stretch of a line.
type candidate struct {
	text       string
	votes      float64 // the sum of the confidences of those who read it, and bonuses
	confidence float64 // the highest of those confidences, 0..1
	source     []document.Word
}

// newCandidate makes a candidate of words that follow each other. Each word weighs by its length.
func newCandidate(words []document.Word) candidate {
	texts := make([]string, len(words))
	var sum, n float64
	for i, w := range words {
		texts[i] = w.Text
		k := float64(utf8.RuneCountInString(w.Text))
		sum, n = sum+k*w.Confidence, n+k
	}
	return candidate{text: strings.Join(texts, " "), votes: sum / n, confidence: sum / n, source: words}
}

// addVote adds the votes of c to the candidate with the same text, or appends c. Of two candidates that differ in long s only, the
// one with long s stays, unless the other one is the first, which has the words that were read.
func addVote(candidates []candidate, c candidate) []candidate {
	for i := range candidates {
		same := &candidates[i]
		if text.FoldType(same.text) != text.FoldType(c.text) {
			continue
		}
		same.votes += c.votes
		same.confidence = max(same.confidence, c.confidence)
		if i > 0 && strings.Contains(c.text, "ſ") && !strings.Contains(same.text, "ſ") {
			same.text, same.source = c.text, c.source
		}
		return candidates
	}
	return append(candidates, c)
}

// knownShare returns the share of the words that the list has.
func knownShare(words []document.Word, known Lexicon) float64 {
	n := 0
	for _, w := range words {
		if known.Known(w.Text) {
			n++
		}
	}
	return float64(n) / float64(len(words))
}

// isAcceptable reports whether c may replace the words that were read: its words are known, most letters stay, it drops no
// sign of abbreviation and no capital, and it changes more than punctuation and spelling. Where words are joined or split, at
// most one letter may change.
func isAcceptable(read, c candidate, known Lexicon) bool {
	if knownShare(c.source, known) < 1 || anyLocked(c.source, known) {
		return false
	}
	a, b := letters(read.source), letters(c.source)
	if text.Abbreviations(string(a)) > text.Abbreviations(string(b)) || unicode.IsUpper(a[0]) != unicode.IsUpper(b[0]) ||
		text.OnlyRespells(string(a), string(b)) {
		return false
	}
	distance := text.Distance(a, b)
	switch {
	case len(read.source) == 1 && len(c.source) == 1:
		return distance > 0 && float64(distance) <= maxChangedLetters*float64(len(a))
	case len(read.source) == 1 && len(c.source) == 2:
		return distance <= maxMovedLetters && len(letters(c.source[:1])) >= minPartLetters && len(letters(c.source[1:])) >= minPartLetters
	case len(read.source) == 2 && len(c.source) == 1:
		return distance <= maxMovedLetters
	}
	return false // pairs of words are elected word by word
}

func anyLocked(words []document.Word, known Lexicon) bool {
	return slices.ContainsFunc(words, func(w document.Word) bool { return isLocked(w.Text, known) })
}

// letters returns the letters of the words, without long s and ligatures, and without the punctuation around words.
func letters(words []document.Word) []rune {
	var all []rune
	for _, w := range words {
		_, core, _ := text.Core(w.Text)
		all = append(all, []rune(text.FoldType(core))...)
	}
	return all
}

// replacing returns the candidate's words with the boxes of the old ones. If their number differs, they keep their own boxes.
func (c candidate) replacing(old []document.Word) []document.Word {
	words := slices.Clone(c.source)
	if len(words) == len(old) {
		words = slices.Clone(old)
	}
	for i := range words {
		words[i].Text, words[i].Confidence, words[i].Model = c.source[i].Text, c.confidence, c.source[i].Model
	}
	return words
}

// inLongS spells a candidate as a page with long s does if its model never writes one: long except at the end of a word.
func (c candidate) inLongS(writers map[string]bool) candidate {
	c.source = slices.Clone(c.source)
	texts := make([]string, len(c.source))
	for i := range c.source {
		w := &c.source[i]
		if !writers[w.Model] {
			before, core, after := text.Core(w.Text)
			if begin, final := strings.CutSuffix(core, "s"); final {
				core, after = begin, "s"+after
			}
			w.Text = before + strings.ReplaceAll(core, "s", "ſ") + after
		}
		texts[i] = w.Text
	}
	c.text = strings.Join(texts, " ")
	return c
}
