package correct

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"uncial/internal/document"
	"uncial/internal/text"
)

// Candidate is a replacement for some words of a line, taken from further readings of it.
type Candidate struct {
	From, To int // it would replace the words [From, To) of the line
	Words    []document.Word
	Evidence Evidence
}

// text returns the words of the candidate with one space between them.
func (c *Candidate) text() string { return joined(c.Words) }

// Replacing returns the words of a line with the candidate in its place. If the number of words stays the same, so do their
// boxes.
func (c *Candidate) Replacing(line []document.Word) []document.Word {
	words := slices.Clone(c.Words)
	if len(words) == c.To-c.From {
		for i := range words {
			words[i].Box = line[c.From+i].Box
		}
	}
	return slices.Concat(line[:c.From], words, line[c.To:])
}

// keptSigns are note marks, and signs that models of later print, and language models, mistake for others ("æ" for "e").
const keptSigns = "æœ&⁊¶*†‡§"

// isAcceptable reports whether words may be replaced by others at all. The replacement must not modernize the spelling, drop an
// old sign, a note mark or an abbreviation mark, change only capitals, turn letters into digits, or add or drop many
// characters: stains are read as many characters.
func isAcceptable(before, after string) bool {
	length := utf8.RuneCountInString(before)
	added := utf8.RuneCountInString(after) - length
	if added > maxAdded && float64(added) > maxAddedShare*float64(length) || -added > maxDropped && float64(-added) > maxDroppedShare*float64(length) {
		return false
	}
	if text.FoldType(before) == text.FoldType(after) || text.Abbreviations(before) > text.Abbreviations(after) || dropsKeptSign(before, after) ||
		strings.ContainsFunc(before, unicode.IsLetter) && strings.ContainsFunc(after, unicode.IsDigit) || !isLatin(before) && isLatin(after) {
		return false
	}
	a, b := letters(before), letters(after)
	return a == b || !strings.EqualFold(a, b) && !text.OnlyRespells(a, b)
}

// modernizes reports whether words would be written as later times write them: with an abbreviation or an old sign written out,
// or with other letters of the same value ("auoir", "étoit"). Accents do not count, because the network for print sees them
// better than Tesseract.
func modernizes(before, after string) bool {
	a, b := letters(before), letters(after)
	return text.Abbreviations(before) > text.Abbreviations(after) || dropsKeptSign(before, after) ||
		text.OnlyRespells(a, b) && !text.OnlyAccents(a, b)
}

// dropsKeptSign reports whether a candidate has fewer of one of the signs that a correction must keep. Case does not matter.
func dropsKeptSign(before, after string) bool {
	before, after = strings.ToLower(before), strings.ToLower(after)
	return strings.ContainsFunc(keptSigns, func(sign rune) bool {
		return strings.Count(before, string(sign)) > strings.Count(after, string(sign))
	})
}

// letters returns the letters and digits of words, with s for long s and without ligatures, spaces and punctuation.
func letters(words string) string {
	return strings.Map(func(r rune) rune {
		if text.IsPunctuation(r) {
			return -1
		}
		return r
	}, text.FoldType(words))
}

// joined returns words with one space between them.
func joined(words []document.Word) string { return (&document.Line{Words: words}).Text() }
