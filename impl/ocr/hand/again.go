package hand

import (
	"slices"
	"strings"
	"unicode"

	"uncial/internal/document"
	"uncial/internal/text"
)

// ruleAgain is the rule of edits that come from the thorough reading of a line.
const ruleAgain = "second-reading"

// minInitials and maxInitials bound the number of capital letters that count as initials. Initials are kept unchanged, because
// word lists have similar short words ("SA" for "J.A."). A single capital may be a word, such as the English "I".
const minInitials, maxInitials = 2, 3

// change is a stretch of a line in which two readings differ. One of them may have no words there.
type change struct {
	before, after []document.Word
	at            int // index of the first word of the first reading
}

// changes returns the stretches in which the words of two readings differ, in order. If both readings have the same number of
// words in a stretch, each word is a separate change.
func changes(before, after []document.Word) []change {
	var all []change
	for _, s := range text.Stretches(texts(before), texts(after)) {
		if n := s.To - s.From; n > 0 && n == s.ToOther-s.FromOther {
			for k := range n {
				i, j := s.From+k, s.FromOther+k
				all = append(all, change{before[i : i+1], after[j : j+1], i})
			}
			continue
		}
		all = append(all, change{before[s.From:s.To], after[s.FromOther:s.ToOther], s.From})
	}
	return all
}

// texts returns the text of each word.
func texts(words []document.Word) []string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = w.Text
	}
	return out
}

// isCorrection reports whether a change may correct misread letters or spaces. It refuses changes that only modernize the
// spelling, that remove abbreviation marks, or that change numbers, which word lists do not have. With word lists (known is not
// nil), it also refuses changes to unlisted words, so that a name is not replaced by another name, and changes to the spaces
// between listed words ("to day"), to initials, and to punctuation, which lists do not cover.
func (c change) isCorrection(known func(word string) bool) bool {
	before, after := joined(c.before), joined(c.after)
	if text.Abbreviations(before) > text.Abbreviations(after) || keepRunes(unicode.IsDigit, before) != keepRunes(unicode.IsDigit, after) {
		return false
	}
	if known != nil && (!allKnown(c.after, known) || before == after && allKnown(c.before, known)) {
		return false
	}
	if before == after {
		return true // only the spaces differ
	}
	if known != nil && (isInitials(before) || keepRunes(unicode.IsLetter, before) == keepRunes(unicode.IsLetter, after)) {
		return false
	}
	before, after = foldSpelling(before), foldSpelling(after)
	return before != after && !text.OnlyRespells(before, after)
}

// allKnown reports whether all words are listed. Single letters and signs, which are never listed, count as known.
func allKnown(words []document.Word, known func(word string) bool) bool {
	return !slices.ContainsFunc(words, func(w document.Word) bool { return text.CountLetters(w.Text) > 1 && !known(w.Text) })
}

// isInitials reports whether the letters of words are a few capitals, such as the initials of a name.
func isInitials(words string) bool {
	letters, n := keepRunes(unicode.IsLetter, words), text.CountLetters(words)
	return minInitials <= n && n <= maxInitials && letters == strings.ToUpper(letters)
}

// foldSpelling returns words in a form that is the same for historical and modern spelling: without apostrophes and hyphens,
// with single letters for doubled ones ("vilage"), with e for a before m and n ("tamps"), and with ai for ay, ey and ei
// ("affeyres", "eyder"). text.OnlyRespells covers spellings of equal length.
func foldSpelling(words string) string {
	var out []rune
	for _, r := range vowels.Replace(words) {
		if len(out) == 0 || out[len(out)-1] != r {
			out = append(out, r)
		}
	}
	return string(out)
}

// vowels makes the replacements of foldSpelling except for doubled letters.
var vowels = strings.NewReplacer("'", "", "’", "", "-", "", "am", "em", "an", "en", "ay", "ai", "ey", "ai", "ei", "ai")

// keepRunes returns the characters of words for which isKind is true.
func keepRunes(isKind func(rune) bool, words string) string {
	return strings.Map(func(r rune) rune {
		if isKind(r) {
			return r
		}
		return -1
	}, words)
}

// joined returns the words without spaces. If two recognizers divide the words differently, only the characters can be
// compared.
func joined(words []document.Word) string {
	var b strings.Builder
	for _, w := range words {
		b.WriteString(w.Text)
	}
	return b.String()
}

// applyFurtherReadings applies the corrections from the further readings of each line of handwriting: first from the reading
// with word lists, then, if the line is not too short to give context, from the thorough reading. Only the thorough reading's
// corrections are listed as edits. applyFurtherReadings copies the words first, because the page keeps the first reading.
func (m *Models) applyFurtherReadings(all []reading) {
	for i := range all {
		r := &all[i]
		if !r.line.Handwritten {
			continue
		}
		r.line.Words = slices.Clone(r.line.Words)
		r.correct(r.listed, m.Known)
		r.edits = nil
		if r.characters >= shortLine {
			r.correct(r.thorough, m.Known)
		}
		if m.Known != nil {
			for j := range r.line.Words {
				r.line.Words[j].Known = m.Known(r.line.Words[j].Text)
			}
		}
	}
}

// correct replaces words with those of another reading where isCorrection allows it, and appends the edits. If the other
// reading has no text, it does nothing.
func (r *reading) correct(other []document.Word, known func(word string) bool) {
	if len(other) == 0 {
		return
	}
	words, moved := slices.Clone(r.line.Words), 0
	var edits []document.Edit
	for _, c := range changes(r.line.Words, other) {
		if !c.isCorrection(known) {
			continue
		}
		edit := document.NewEdit(c.before, strings.Join(texts(c.after), " "), ruleAgain, meanOf(c.after, c.before))
		if len(c.before) == 0 {
			edit.Box = document.WordsBox(c.after)
		}
		edits = append(edits, edit)
		fresh := slices.Clone(c.after)
		if len(fresh) == len(c.before) {
			for i := range fresh {
				fresh[i].Box = c.before[i].Box
			}
		}
		words = slices.Replace(words, c.at+moved, c.at+moved+len(c.before), fresh...)
		moved += len(c.after) - len(c.before)
	}
	if len(words) > 0 {
		r.line.Words, r.line.Box, r.edits = words, document.WordsBox(words), append(r.edits, edits...)
	}
}

// meanOf returns the mean confidence of words, or of others if there are none.
func meanOf(words, others []document.Word) float64 {
	if len(words) == 0 {
		words = others
	}
	sum := 0.0
	for _, w := range words {
		sum += w.Confidence
	}
	return sum / float64(len(words))
}
