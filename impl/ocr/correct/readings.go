package correct

import (
	"regexp"

	"uncial/internal/document"
)

// Readings are further readings of a line of print. Candidates come from Again alone; the others are evidence for and against them.
type Readings struct {
	Again [][]document.Word // by the model that read the page, in several ways
	Other []document.Word   // from another reading of the whole page, by another model or at another size; nil without one
	Hand  []document.Word   // by the network for handwriting; nil without it
}

// alignedReadings are the readings of a line that have words, aligned with it.
type alignedReadings struct{ again, other, hand []aligned }

func alignReadings(line []document.Word, r Readings) alignedReadings {
	return alignedReadings{alignEach(line, r.Again...), alignEach(line, r.Other), alignEach(line, r.Hand)}
}

// alignEach aligns the line with each reading that has words, in their order.
func alignEach(line []document.Word, readings ...[]document.Word) []aligned {
	var out []aligned
	for _, r := range readings {
		if len(r) > 0 && len(line) > 0 {
			out = append(out, alignWords(line, r))
		}
	}
	return out
}

// HandTrust estimates how well the network for handwriting reads the print of a page, 0 to 1: the share on which both agree,
// among words of some lines that the print recognizer is sure of. With few words the estimate stays near usualTrust.
func HandTrust(lines []*document.Line, readings []Readings) float64 {
	same, all := 0.0, 0.0
	for i, line := range lines {
		for _, hand := range alignEach(line.Words, readings[i].Hand) {
			for j, w := range line.Words {
				if w.Confidence < sureWord || len([]rune(Key(w.Text))) < minTrustLetters {
					continue
				}
				all++
				if _, ok := hand.agrees(j, j+1); ok {
					same++
				}
			}
		}
	}
	return (same + usualTrust*usualTrustWords) / (all + usualTrustWords)
}

var roundS = regexp.MustCompile(`s(\p{Ll})`)

// WithLongS spells a word as print with long s does: round s only at the end and before punctuation and capitals.
func WithLongS(word string) string {
	return roundS.ReplaceAllString(roundS.ReplaceAllString(word, "ſ$1"), "ſ$1")
}
