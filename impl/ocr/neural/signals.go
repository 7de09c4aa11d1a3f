package neural

import (
	"math"
	"slices"
	"strings"

	"uncial/internal/document"
)

// nearWord is how many words further left or right another text of the line may have a word: it may divide the line differently.
const nearWord = 2

// addSignals records how sure network and language model are of the words of a line, given its likeliest texts. The words are those of the
// first text. It does not set Entropy.
func (n *network) addSignals(words []Word, texts []text) {
	weights := make([]float64, len(texts))
	split := make([][]string, len(texts))
	sum := 0.0
	for k, t := range texts {
		weights[k] = math.Exp(t.score - texts[0].score)
		sum += weights[k]
		split[k] = strings.Fields(n.spell(t.classes))
	}
	language := n.languageOfWords(texts[0])
	for i := range words {
		s := &document.Signals{}
		words[i].Signals = s
		for k, others := range split {
			near := others[min(max(i-nearWord, 0), len(others)):min(i+nearWord+1, len(others))]
			if slices.Contains(near, words[i].Text) {
				s.Posterior += weights[k] / sum
			}
		}
		if i < len(language) {
			s.Language = language[i]
		}
	}
}

func (n *network) spell(classes []int) string {
	var s strings.Builder
	for _, c := range classes {
		s.WriteString(n.info.Alphabet[c-1])
	}
	return s.String()
}

// languageOfWords returns, for each word of a text, the mean logarithm that the language model gives to its characters.
func (n *network) languageOfWords(t text) []float64 {
	var out []float64
	sum, characters := 0.0, 0
	end := func() {
		if characters > 0 {
			out = append(out, sum/float64(characters))
		}
		sum, characters = 0, 0
	}
	for i, c := range t.classes {
		if n.info.Alphabet[c-1] == " " {
			end()
			continue
		}
		sum, characters = sum+t.language[i], characters+1
	}
	end()
	return out
}

// entropy returns the largest entropy of the network's classes, in nats, at any step of a word.
func (n *network) entropy(w Word, rows []float32, steps int) float64 {
	const leastLog = -12 // smaller probabilities add nothing
	first, last := w.Characters[0].X, w.Characters[len(w.Characters)-1].X
	most := 0.0
	for t := max((first+margin)/step-1, 0); t <= min((last+margin)/step+1, steps-1); t++ {
		e := 0.0
		for _, v := range rows[t*n.out.stride : t*n.out.stride+n.out.classes] {
			if v > leastLog {
				e -= math.Exp(float64(v)) * float64(v)
			}
		}
		most = max(most, e)
	}
	return most
}
