package correct

import (
	"cmp"
	"slices"
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

// losesDigits reports whether words differ from others only in letters instead of the digits that they look like.
func losesDigits(before, after string) bool {
	return Digits(before) == Digits(after) && countDigits(before) > countDigits(after)
}

// countDigits returns the number of digits in a text.
func countDigits(text string) (n int) {
	for _, r := range text {
		if unicode.IsDigit(r) {
			n++
		}
	}
	return n
}

// mayReplace reports whether words of a line may be replaced by others: a listed word only by another listed word, and others
// as isAcceptable says. The network for print alone may replace all words, unless it modernizes them. It replaces listed words
// by others only if it is sure of these, and does not divide them, as it does in letter-spaced titles. It does not change the
// quotation marks or spaces of sure words. A number does not become letters, unless the network alone reads letters only.
func (k *Knowledge) mayReplace(had, words []document.Word) bool {
	before, after := joined(had), joined(words)
	if losesDigits(before, after) && (!k.NetworkAlone || countDigits(after) > 0) {
		return false
	}
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
