package correct

import (
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"uncial/impl/ocr/lexicon"
	"uncial/internal/document"
	"uncial/internal/text"
)

// Knowledge is what the vote knows beyond the readings of a line.
type Knowledge struct {
	Known Lexicon
	// Seen counts the words of the page, as Key returns them.
	Seen map[string]int
	// Likelihood returns the logarithm of the probability of a line in lower case. It may be nil.
	Likelihood func(string) float64
	// NetworkTrust estimates how well the network for print reads this page, 0 to 1; see the function NetworkTrust.
	NetworkTrust float64
	// LongS is true if the page is set with long s.
	LongS bool
	// NetworkAlone is true if all candidates come from the network for print. They may then replace any words.
	NetworkAlone bool
	// Alphabet has the characters that the network for print writes; nil if that is not known. Listed words keep letters that it
	// lacks, and all words those of other scripts.
	Alphabet lexicon.Alphabet
	// Networks names the networks for print, and Cells are the boxes that NumberCells returns.
	Networks []string
	Cells    []document.Box
	// Accents are the accented letters, in lower case, that the network for print learnt from rendered lines alone. Words keep
	// these letters where the network reads the same letters without accents, or with others.
	Accents string
}

// Key returns the form under which words are counted: without punctuation, in lower case, and without long s and ligatures.
func Key(word string) string { return strings.ToLower(letters(word)) }

// Evidence describes a candidate: one value for each name of evidenceNames.
type Evidence [14]float64

// evidenceNames names the values, in the order of Evidence. Log-odds are those of confidences, and readings those of
// Readings.Again.
var evidenceNames = [len(Evidence{})]string{
	"constant", // always 1 (intercept)
	"agree",    // log-odds of the readings that have the same words, mean over all readings
	"near",     // how much nearer the readings are to the candidate than to the words, -1 to 1
	"lead",     // log-odds of the mean confidence in the candidate's characters, in the most confident reading, minus that of the least confident word
	"language", // logarithm of how much likelier the line is with the candidate, for words in Latin letters
	"last",     // 1 at the end of the line
	"on page",  // 1 if the page has the words elsewhere
	"known",    // 1 if a word list has the words
	"several",  // 1 if several readings have the candidate
	"network",  // how much nearer the readings by the network for print are to the candidate than to the words, -1 to 1, times Knowledge.NetworkTrust
	"sure",     // log-odds of the network's least certain character in the candidate, 0 if it reads something else
	"listed",   // 1 if a word list has the candidate
	"own",      // log-odds of the least confident word that would be replaced
	"other",    // how much nearer the other reading of the page is to the candidate than to the words, -1 to 1
}

// weigh fills in the evidence of a candidate for some words of the line. unchanged returns the likelihood of the line as it is.
func (k *Knowledge) weigh(c *Candidate, line []document.Word, r *alignedReadings, unchanged func() float64) {
	words := line[c.From:c.To]
	own := math.Inf(1)
	for _, w := range words {
		own = min(own, lettersOf(w))
	}
	lead, supporters, agree := math.Inf(-1), 0, 0.0
	for _, v := range r.again {
		if v.supports(c) {
			supporters++
			lead = max(lead, meanLetters(v.wordsAt(c))-own)
		}
		if odds, same := v.agrees(c.From, c.To); same {
			agree += odds
		}
	}
	if supporters == 0 {
		lead = 0
	}
	sure := math.Inf(-1)
	for _, v := range r.network {
		if v.supports(c) {
			supporters++
			sure = max(sure, leastSure(v.wordsAt(c)))
		}
	}
	if math.IsInf(sure, 0) {
		sure = 0
	}
	onPage, network := 0.0, 0.0
	if !k.NetworkAlone { // pages repeat misreadings too, and a single reading is always as near as can be
		onPage, network = flag(k.isElsewhere(joined(words))), k.NetworkTrust*nearness(c, line, r.network)
	}
	c.Evidence = Evidence{
		1, agree / float64(max(len(r.again), 1)), nearness(c, line, r.again), lead, k.likelier(line, c, unchanged), flag(c.To == len(line)),
		onPage, flag(k.knows(words)), flag(supporters > 1),
		network, sure, flag(k.knows(c.Words)), leastSure(words), nearness(c, line, r.other),
	}
}

// knows reports whether the word lists have all of the words.
func (k *Knowledge) knows(words []document.Word) bool {
	return !slices.ContainsFunc(words, func(w document.Word) bool { return !k.Known.Known(w.Text) })
}

// wordsAt returns the words that the reading has in place of the words that a candidate would replace, or nil if the reading
// divides them differently.
func (v *aligned) wordsAt(c *Candidate) []document.Word {
	for _, s := range v.stretches {
		if s.from == c.From && s.to == c.To {
			return s.words
		}
	}
	return nil
}

// supports reports whether the reading has the words of the candidate, in whatever type.
func (v *aligned) supports(c *Candidate) bool {
	return foldSigns(joined(v.wordsAt(c))) == foldSigns(c.text())
}

// agrees reports whether the reading has the same words [from, to) as the line, and returns the log-odds of the least confident
// one.
func (v *aligned) agrees(from, to int) (odds float64, same bool) {
	odds = math.Inf(1)
	for _, s := range v.stretches {
		if s.to <= from || s.from >= to {
			continue
		}
		if !s.same {
			return 0, false
		}
		for i := max(from, s.from); i < min(to, s.to); i++ {
			odds = min(odds, logOdds(s.words[i-s.from].Confidence))
		}
	}
	return odds, true
}

// nearness returns how much nearer the readings are to the candidate than to the words of the line: the mean difference of the
// two edit distances, divided by the edit distance between the candidate and the words. It is 1 if all have the candidate, -1
// if all have the words, and 0 without readings.
func nearness(c *Candidate, line []document.Word, voters []aligned) float64 {
	before, after := []rune(joined(line[c.From:c.To])), []rune(c.text())
	from, sum := offsetOf(line, c.From), 0.0
	for _, v := range voters {
		there := []rune(strings.TrimSpace(strings.Join(v.slots[from:from+len(before)], "")))
		sum += float64(text.Distance(there, before) - text.Distance(there, after))
	}
	return sum / float64(text.Distance(before, after)) / max(float64(len(voters)), 1)
}

// likelier returns the natural logarithm of how many times more likely the line is with a candidate than without it, limited to
// maxLikelier in both directions. It returns 0 for words with letters of another script than Latin, which the character model
// lacks.
func (k *Knowledge) likelier(line []document.Word, c *Candidate, unchanged func() float64) float64 {
	if k.Likelihood == nil || !isLatin(joined(line[c.From:c.To])) || !isLatin(c.text()) {
		return 0
	}
	lead := k.likelihood(c.Replacing(line)) - unchanged()
	return min(max(lead, -maxLikelier), maxLikelier)
}

// isLatin reports whether all letters are Latin.
func isLatin(words string) bool {
	return !strings.ContainsFunc(words, func(r rune) bool { return unicode.IsLetter(r) && !unicode.Is(unicode.Latin, r) })
}

// likelihood returns the natural logarithm of the probability of a line, whose type and case do not matter. Likelihood must not
// be nil.
func (k *Knowledge) likelihood(line []document.Word) float64 {
	return k.Likelihood(strings.ToLower(text.FoldType(joined(line))))
}

// isElsewhere reports whether each word of a text also occurs on the page outside that text.
func (k *Knowledge) isElsewhere(read string) bool {
	here := map[string]int{}
	for w := range strings.FieldsSeq(read) {
		here[Key(w)]++
	}
	delete(here, "") // words without letters and digits
	for key, n := range here {
		if k.Seen[key] <= n {
			return false
		}
	}
	return len(here) > 0
}

// lettersOf returns the log-odds of the mean confidence in the characters of a word, or 0 if the recognizer gave none.
func lettersOf(w document.Word) float64 {
	if w.Signals == nil {
		return 0
	}
	return logOdds(w.Signals.Letters)
}

// leastSure returns the log-odds of the least confident word.
func leastSure(words []document.Word) float64 {
	least := 1.0
	for _, w := range words {
		least = min(least, w.Confidence)
	}
	return logOdds(least)
}

// meanLetters returns the mean of lettersOf over several words, each weighted by its length.
func meanLetters(words []document.Word) float64 {
	var sum, n float64
	for _, w := range words {
		if w.Signals == nil {
			return 0
		}
		length := float64(utf8.RuneCountInString(w.Text))
		sum, n = sum+length*w.Signals.Letters, n+length
	}
	return logOdds(sum / n)
}

// logOdds returns ln(share / (1 - share)), the scale of a logistic regression. Shares are kept at least minShare away from 0
// and 1, so that no single value is decisive.
func logOdds(share float64) float64 {
	share = min(max(share, minShare), 1-minShare)
	return math.Log(share / (1 - share))
}

func flag(is bool) float64 {
	if is {
		return 1
	}
	return 0
}

// probability returns the estimated probability that a candidate is a correction, 0 to 1.
func (e *Evidence) probability(weights *Evidence) float64 { return Probability(weights[:], e[:]) }

// Probability applies the weights of a logistic regression to the values of one sample. The result is above 0 and below 1.
func Probability(weights, values []float64) float64 {
	z := 0.0
	for i, w := range weights {
		z += float64(w * values[i]) // converted, so that all processors compute the same
	}
	return 1 / (1 + math.Exp(-z))
}
