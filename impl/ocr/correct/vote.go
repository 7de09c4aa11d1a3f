package correct

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"uncial/internal/document"
)

// Vote corrects a line of print by further readings of it, and returns the edits from left to right. Confidences must be
// calibrated. Each difference between the line and one of Readings.Again or Readings.Network is a candidate, whose Evidence
// determines how likely it is to be a correction. A candidate with a probability of at least minVote replaces the words of the
// line, unless a more likely one changes the same words.
func (k *Knowledge) Vote(line *document.Line, readings Readings) []document.Edit {
	weights := &voteWeights
	if k.NetworkAlone {
		weights = &networkWeights
	}
	candidates := k.Candidates(line.Words, readings)
	candidates = slices.DeleteFunc(candidates, func(c Candidate) bool { return c.Evidence.probability(weights) < minVote })
	slices.SortStableFunc(candidates, func(a, b Candidate) int {
		return cmp.Compare(b.Evidence.probability(weights), a.Evidence.probability(weights))
	})
	var elected []Candidate
	for _, c := range candidates {
		if !slices.ContainsFunc(elected, func(e Candidate) bool { return c.From < e.To && e.From < c.To }) {
			elected = append(elected, c)
		}
	}
	slices.SortFunc(elected, func(a, b Candidate) int { return cmp.Compare(a.From, b.From) })
	var edits []document.Edit
	for _, c := range elected {
		edits = append(edits, document.NewEdit(line.Words[c.From:c.To], c.text(), ruleVote, c.Evidence.probability(weights)))
	}
	for _, c := range slices.Backward(elected) {
		line.Words = c.Replacing(line.Words)
		if k.NetworkAlone {
			odds := logOdds(c.Evidence.probability(weights))
			for i := range c.Words {
				setNetwork(&line.Words[c.From+i], odds)
			}
		}
	}
	if len(elected) > 0 {
		line.Box = document.WordsBox(line.Words)
	}
	return edits
}

// Candidates returns what the readings of a line have in place of its words, each once and with its evidence.
func (k *Knowledge) Candidates(line []document.Word, readings Readings) []Candidate {
	r := alignReadings(line, readings)
	unchanged := sync.OnceValue(func() float64 { return k.likelihood(line) })
	var all []Candidate
	add := func(s stretch) {
		c := Candidate{From: s.from, To: s.to, Words: s.words}
		isKnown := slices.ContainsFunc(all, func(o Candidate) bool {
			return o.From == c.From && o.To == c.To && o.text() == c.text()
		})
		if !isKnown && k.mayReplace(line[s.from:s.to], c.Words) {
			k.weigh(&c, line, &r, unchanged)
			all = append(all, c)
		}
	}
	for _, v := range r.again {
		for _, s := range v.stretches {
			if !s.same {
				add(s)
			}
		}
	}
	for _, v := range r.network {
		for i := range v.stretches {
			s := &v.stretches[i]
			had := line[s.from:s.to]
			if s.same || k.isLongSForF(had, s.words) || !k.NetworkAlone && !isRealChange(had, s.words) || k.dropsCell(had, s.words) {
				continue
			}
			s.words = k.keepUnlearnt(line, s.from, s.to, k.inTypeOf(had, s.words))
			add(*s)
		}
	}
	return all
}

// looksLikeDigit has the digits that single letters look like.
var looksLikeDigit = map[string]string{"O": "0", "o": "0", "I": "1", "l": "1"}

// DigitsInCells replaces a letter that looks like a digit, beside a number in the next cell of a table, by the digit.
func DigitsInCells(line *document.Line) {
	for i := range line.Words {
		w := &line.Words[i]
		isBeside := func(from, to int) bool {
			return from >= 0 && to < len(line.Words) && areApart(line.Words[from:to+1]) && (isNumber(line.Words[from].Text) || isNumber(line.Words[to].Text))
		}
		if digit, ok := looksLikeDigit[w.Text]; ok && (isBeside(i-1, i) || isBeside(i, i+1)) {
			w.Text = digit
		}
	}
}

// isNumber reports whether a word has digits only.
func isNumber(word string) bool {
	return !strings.ContainsFunc(word, func(r rune) bool { return !unicode.IsDigit(r) })
}

// areApart reports whether one of the blanks between words is as wide as between the cells of a table.
func areApart(words []document.Word) bool {
	for i, w := range words[min(1, len(words)):] {
		if before := words[i].Box; float64(w.Box.X-before.Right()) > cellGap*float64(min(w.Box.H, before.H)) {
			return true
		}
	}
	return false
}

// dropsCell reports whether a reading lacks one of some words that are apart, although a network for print read it by itself, or
// it is in a column of numbers. In the line, the network may miss a short word between two wide blanks.
func (k *Knowledge) dropsCell(had, words []document.Word) bool {
	return len(words) < len(had) && areApart(had) && slices.ContainsFunc(had, func(w document.Word) bool {
		return slices.Contains(k.Networks, w.Model) || isNumber(w.Text) && k.inColumn(w.Box)
	})
}

// inColumn reports whether there are numbers above or below a box that are apart from other words.
func (k *Knowledge) inColumn(box document.Box) bool {
	n := 0
	for _, b := range k.Cells {
		if b != box && 2*(min(b.Right(), box.Right())-max(b.X, box.X)) >= min(b.W, box.W) {
			n++
		}
	}
	return n >= minColumn
}

// NumberCells returns the boxes of the numbers that are apart from the other words of their lines, as in a table. They do not
// include ones, as which rules are read.
func NumberCells(blocks []document.Block) []document.Box {
	var cells []document.Box
	for line := range document.Lines(blocks) {
		for i, w := range line.Words {
			if isNumber(w.Text) && w.Text != "1" && (i == 0 || areApart(line.Words[i-1:i+1])) {
				cells = append(cells, w.Box)
			}
		}
	}
	return cells
}

// mayReplace reports whether words of a line may be replaced by others: a listed word only by another listed word, and others
// as isAcceptable says. The network for print alone may replace all words, unless it modernizes them. It replaces listed words
// by others only if it is sure of these, and does not divide them, as it does in letter-spaced titles. It does not change the
// quotation marks or spaces of sure words.
func (k *Knowledge) mayReplace(had, words []document.Word) bool {
	before, after := joined(had), joined(words)
	if k.NetworkAlone {
		if k.knows(had) && !k.knows(words) && (leastSure(words) < sureUnlisted || withoutSpaces(before) == withoutSpaces(after)) {
			return false
		}
		if leastSure(had) >= sureSpacing && withoutSpacing(before) == withoutSpacing(after) {
			return false
		}
		return before != after && !modernizes(before, after)
	}
	return isAcceptable(before, after) && (k.knows(words) || !k.knows(had))
}

// Differs reports whether a reading of a line has a candidate for some of its words, or has no words.
func (k *Knowledge) Differs(line, read []document.Word) bool {
	quick := Knowledge{Known: k.Known} // without the likelihoods, which take longest
	return len(read) == 0 || len(quick.Candidates(line, Readings{Again: [][]document.Word{read}})) > 0
}
