package hand

import (
	"slices"
	"strings"
	"unicode"

	"uncial/internal/document"
	"uncial/internal/text"
)

// ruleAgain is the rule of edits that come from the second reading of a line.
const ruleAgain = "second-reading"

// change is a stretch of a line in which two readings differ. One of them may have no words there.
type change struct {
	before, after []document.Word
	at            int // index of the first word of the first reading
}

// changes returns where the words of two readings differ, in their order: the stretches outside their longest common subsequence.
// Where both readings have equally many words in a stretch, each word is a change of its own.
func changes(before, after []document.Word) []change {
	common := commonLengths(before, after)
	var all []change
	i, j := 0, 0
	for i < len(before) || j < len(after) {
		fromI, fromJ := i, j
		for i < len(before) || j < len(after) {
			if i < len(before) && j < len(after) && before[i].Text == after[j].Text {
				break
			}
			if j == len(after) || i < len(before) && common[i+1][j] >= common[i][j+1] {
				i++
			} else {
				j++
			}
		}
		if n := i - fromI; n > 0 && n == j-fromJ {
			for k := range n {
				all = append(all, change{before[fromI+k : fromI+k+1], after[fromJ+k : fromJ+k+1], fromI + k})
			}
		} else if n > 0 || j > fromJ {
			all = append(all, change{before[fromI:i], after[fromJ:j], fromI})
		}
		if i < len(before) && j < len(after) {
			i, j = i+1, j+1
		}
	}
	return all
}

// commonLengths returns the lengths of the longest common subsequences of before[i:] and after[j:].
func commonLengths(before, after []document.Word) [][]int {
	common := make([][]int, len(before)+1)
	for i := range common {
		common[i] = make([]int, len(after)+1)
	}
	for i, b := range slices.Backward(before) {
		for j, a := range slices.Backward(after) {
			if common[i][j] = max(common[i+1][j], common[i][j+1]); b.Text == a.Text {
				common[i][j] = common[i+1][j+1] + 1
			}
		}
	}
	return common
}

// isCorrection reports whether a change may correct misread letters or spaces: it does more than modernise the spelling, keeps signs of
// abbreviation, and leaves numbers as they were read, because word lists do not have them.
func (c change) isCorrection() bool {
	before, after := joined(c.before), joined(c.after)
	if text.Abbreviations(before) > text.Abbreviations(after) || digits(before) != digits(after) {
		return false
	}
	if before == after {
		return true // other spaces
	}
	before, after = withoutHabits(before), withoutHabits(after)
	return before != after && !text.OnlyRespells(before, after)
}

// withoutHabits returns words without habits of spelling that changed over time: without apostrophes and hyphens, with single letters
// for doubled ones ("vilage"), and with e for a before m and n ("tamps"). text.OnlyRespells handles habits that keep the length of a word.
func withoutHabits(words string) string {
	var out []rune
	for _, r := range nasals.Replace(words) {
		if len(out) == 0 || out[len(out)-1] != r {
			out = append(out, r)
		}
	}
	return string(out)
}

var nasals = strings.NewReplacer("'", "", "’", "", "-", "", "am", "em", "an", "en")

func digits(words string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsDigit(r) {
			return r
		}
		return -1
	}, words)
}

func joined(words []document.Word) string {
	var b strings.Builder
	for _, w := range words {
		b.WriteString(w.Text)
	}
	return b.String()
}

// finish, with Models.Enhance, applies the corrections of the second reading to each line of handwriting. It copies the words first,
// because the page keeps the first reading.
func (m *Models) finish(all []reading) {
	if !m.Enhance {
		return
	}
	for i := range all {
		if r := &all[i]; r.line.Handwritten {
			r.line.Words = slices.Clone(r.line.Words)
			r.correct()
			for j := range r.line.Words {
				r.line.Words[j].Known = m.Known(r.line.Words[j].Text)
			}
		}
	}
}

// correct replaces words by those of the second reading.
func (r *reading) correct() {
	words, moved := slices.Clone(r.line.Words), 0
	for _, c := range changes(r.line.Words, r.again) {
		if !c.isCorrection() {
			continue
		}
		after := make([]string, len(c.after))
		for i, w := range c.after {
			after[i] = w.Text
		}
		edit := document.NewEdit(c.before, strings.Join(after, " "), ruleAgain, meanOf(c.after, c.before))
		if len(c.before) == 0 {
			edit.Box = document.WordsBox(c.after)
		}
		r.edits = append(r.edits, edit)
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
		r.line.Words, r.line.Box = words, document.WordsBox(words)
		return
	}
	r.edits = nil // the second reading found no text
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
