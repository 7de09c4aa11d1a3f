package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"uncial/impl/ocr/correct"
	"uncial/internal/accuracy"
	"uncial/internal/document"
	"uncial/internal/text"
)

// votedLine is a line that the vote read again.
type votedLine struct {
	words      []document.Word
	candidates []correct.Candidate
}

const (
	// maxGain bounds the weight of a candidate that changes many characters, and evenWeight is that of one that changes no error.
	maxGain, evenWeight = 3, 0.4
	// voteRidge pulls the weights towards 0.
	voteRidge = 1.0
)

// fitVote fits the weights of a vote, which have this name, to all candidates and prints them. A candidate is right if its page
// has fewer wrong characters with it. The figures for each collection come from weights that were fitted without it.
func fitVote(w io.Writer, name string, outcomes []outcome) error {
	var samples []sample
	var gains []int
	groups := map[string]int{}
	for _, o := range outcomes {
		group, ok := groups[o.Page.Collection]
		if !ok {
			group = len(groups)
			groups[o.Page.Collection] = group
		}
		for _, line := range o.voted {
			for i, gain := range gainsOf(o, line) {
				samples = append(samples, voteSample(group, line.candidates[i], gain))
				gains = append(gains, gain)
			}
		}
	}
	if len(samples) == 0 {
		return errors.New("--fit-vote: no line has candidates")
	}
	var values []string
	for _, b := range regress(samples, -1, voteRidge) {
		values = append(values, fmt.Sprintf("%.3f", b))
	}
	_, err := fmt.Fprintf(w, "%s = Evidence{%s}\n%d candidates\n%s", name, strings.Join(values, ", "), len(samples), leftOut(samples, gains, len(groups)))
	return err
}

// gainsOf returns how many fewer wrong characters the page has with each candidate of a line.
func gainsOf(o outcome, voted votedLine) []int {
	truth := []rune(accuracy.Folded(o.truth))
	wrong := func() int { return text.Distance(truth, []rune(accuracy.Folded(o.document.Text()))) }
	for _, page := range o.document.Pages {
		for line := range document.Lines(page.Blocks) {
			if len(line.Words) != len(voted.words) || line.Words[0].Box != voted.words[0].Box || line.Words[0].Text != voted.words[0].Text {
				continue
			}
			before, words := wrong(), line.Words
			gains := make([]int, len(voted.candidates))
			for i, c := range voted.candidates {
				line.Words = c.Replacing(words)
				gains[i] = before - wrong()
			}
			line.Words = words
			return gains
		}
	}
	return nil
}

// voteSample returns a candidate that corrects gain characters as a sample.
func voteSample(group int, c correct.Candidate, gain int) sample {
	s := sample{group: group, values: c.Evidence[:], weight: evenWeight}
	if gain != 0 {
		s.weight = float64(min(max(gain, -gain), maxGain))
	}
	if gain > 0 {
		s.share = 1
	}
	return s
}

// leftOut returns a table of the characters that candidates correct and spoil, for several minimum probabilities. Each group is
// judged by weights fitted to all others.
func leftOut(samples []sample, gains []int, groups int) string {
	var out strings.Builder
	probabilities := make([]float64, len(samples))
	for g := range groups {
		weights := regress(samples, g, voteRidge)
		for i, s := range samples {
			if s.group == g {
				probabilities[i] = correct.Probability(weights, s.values)
			}
		}
	}
	for _, minimum := range []float64{0.35, 0.45, 0.55, 0.65} {
		better, worse, n := 0, 0, 0
		for i, p := range probabilities {
			if p >= minimum {
				n++
				better, worse = better+max(gains[i], 0), worse+max(-gains[i], 0)
			}
		}
		fmt.Fprintf(&out, "collections left out, probability %.2f: %d candidates, %d characters corrected, %d spoilt\n", minimum, n, better, worse)
	}
	return out.String()
}
