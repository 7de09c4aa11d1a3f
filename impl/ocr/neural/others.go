package neural

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"uncial/internal/document"
	transcript "uncial/internal/text"
)

// nearWord is the maximum difference between the indices of a word in two texts of a line, which may divide the line
// differently.
const nearWord = 2

// addOthers records for each word the share of the likely texts that have it, and the words that other texts have in its place.
// words are those of the first text, and must have signals.
func (n *network) addOthers(words []Word, texts []text) {
	shares, split := sharesOf(texts), make([][]string, len(texts))
	for k, t := range texts {
		split[k] = strings.Fields(n.spell(t.classes))
	}
	for i := range words {
		s := words[i].Signals
		for k, text := range split {
			near := text[min(max(i-nearWord, 0), len(text)):min(i+nearWord+1, len(text))]
			if slices.Contains(near, words[i].Text) {
				s.Posterior += shares[k]
			}
		}
		s.Others = others(words[i].Text, i, split, shares)
	}
}

// others returns the words that other texts have in place of word i of the first text, with the shares of these texts, the
// likeliest first. It ignores texts with another number of words, in which the words have other indices.
func others(word string, i int, split [][]string, shares []float64) []document.Alternative {
	var out []document.Alternative
	for k, text := range split {
		if len(text) != len(split[0]) || i >= len(text) || text[i] == word {
			continue
		}
		at := slices.IndexFunc(out, func(a document.Alternative) bool { return a.Text == text[i] })
		if at < 0 {
			at = len(out)
			out = append(out, document.Alternative{Text: text[i]})
		}
		out[at].Confidence += shares[k]
	}
	slices.SortStableFunc(out, func(a, b document.Alternative) int { return cmp.Compare(b.Confidence, a.Confidence) })
	return out[:min(len(out), document.MaxAlternatives)]
}

// sharesOf returns the share of each text in the probability of all texts that a search found, 0..1. texts[0] must be the
// likeliest.
func sharesOf(texts []text) []float64 {
	shares, sum := make([]float64, len(texts)), 0.0
	for k, t := range texts {
		shares[k] = math.Exp(t.score - texts[0].score)
		sum += shares[k]
	}
	for k := range shares {
		shares[k] /= sum
	}
	return shares
}

// spell returns the text of classes, without entities. They must not include class 0, the blank of CTC.
func (n *network) spell(classes []int) string {
	var s strings.Builder
	for _, c := range classes {
		s.WriteString(n.info.Alphabet[c-1])
	}
	return transcript.WithoutEntities(s.String())
}
