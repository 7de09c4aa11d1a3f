package neural

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"uncial/internal/document"
)

// nearWord is how many words further left or right a word may be in another text of the line, which may divide the line differently.
const nearWord = 2

// addOthers records how many of the likeliest texts of a line have each of its words, and what the others have there. The words, which have
// signals, are those of the first text.
func (n *network) addOthers(words []Word, texts []text) {
	weights, split := make([]float64, len(texts)), make([][]string, len(texts))
	sum := 0.0
	for k, t := range texts {
		weights[k] = math.Exp(t.score - texts[0].score)
		sum += weights[k]
		split[k] = strings.Fields(n.spell(t.classes))
	}
	for i := range words {
		s := words[i].Signals
		for k, text := range split {
			near := text[min(max(i-nearWord, 0), len(text)):min(i+nearWord+1, len(text))]
			if slices.Contains(near, words[i].Text) {
				s.Posterior += weights[k] / sum
			}
		}
		s.Others = others(words[i].Text, i, split, weights, sum)
	}
}

// others returns the words that other texts have in place of word number i of the first text, with the shares of these texts, the likeliest
// first. Texts that divide the line into another number of words do not count: their words stand elsewhere.
func others(word string, i int, split [][]string, weights []float64, sum float64) []document.Alternative {
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
		out[at].Confidence += weights[k] / sum
	}
	slices.SortStableFunc(out, func(a, b document.Alternative) int { return cmp.Compare(b.Confidence, a.Confidence) })
	return out[:min(len(out), document.MaxAlternatives)]
}

// spell returns the text of classes. Class 0, the blank between characters, must not be among them.
func (n *network) spell(classes []int) string {
	var s strings.Builder
	for _, c := range classes {
		s.WriteString(n.info.Alphabet[c-1])
	}
	return s.String()
}
