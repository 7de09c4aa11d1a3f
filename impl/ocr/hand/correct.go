package hand

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"

	"uncial/impl/ocr/lexicon"
	"uncial/impl/ocr/tesseract"
	"uncial/internal/text"
)

// RuleLexicon names the edits that take another of the recognizer's choices because the word list knows the word.
const RuleLexicon = "lexicon"

const (
	// exchanges is how many symbols of a word may be exchanged for another choice.
	exchanges = 2
	// leastLetters is how many letters a word has at least that is looked up: short ones are in the list by chance.
	leastLetters = 4
	// mostSymbols is how many symbols a word has at most that is looked up: what is longer is in no list, but lines of dots
	// and other writing without blanks.
	mostSymbols = 25
	// beamWidth is how many of the likeliest beginnings of words are followed.
	beamWidth = 256
	// leastChoice is the confidence below which a choice is none, 0..100.
	leastChoice = 1.0
	// mostLoss is the greatest loss in the logarithm of the confidence that a known word may cost, for each exchange.
	mostLoss = 3.0
)

// candidate is the beginning of a word, made of choices.
type candidate struct {
	text    string
	loss    float64
	changed int
}

// correct is the likeliest word of the list that can be made of the recognizer's own choices by exchanging one or two,
// if the word read is not in the list. It is false, and the word stays, where there is none. Words with digits or
// capitals, which may be names, and those of fewer than four letters are left alone and never come in; the spelling of
// the time stays.
func correct(w tesseract.Word, words *lexicon.Lexicon) (string, bool) {
	if words == nil || len(w.Symbols) > mostSymbols || !worthLooking(w.Text) || words.Known(w.Text) {
		return "", false
	}
	beam := []candidate{{}}
	for _, s := range w.Symbols {
		beam = extend(beam, s)
	}
	best, found := candidate{loss: math.Inf(1)}, false
	for _, c := range beam {
		if c.changed == 0 || c.loss > mostLoss*float64(c.changed) || c.loss >= best.loss {
			continue
		}
		if worthLooking(c.text) && words.Known(c.text) && !text.Respells(w.Text, c.text) {
			best, found = c, true
		}
	}
	return best.text, found
}

// extend adds a symbol, as it was read and as each of its other choices, to the candidates, and keeps the likeliest.
func extend(beam []candidate, s tesseract.Symbol) []candidate {
	out := make([]candidate, 0, len(beam))
	for _, c := range beam {
		out = append(out, candidate{c.text + s.Text, c.loss, c.changed})
		if c.changed == exchanges {
			continue
		}
		for _, choice := range s.Choices {
			if choice.Text != s.Text && choice.Confidence >= leastChoice && isLetters(choice.Text) && isLetters(s.Text) {
				loss := max(math.Log(max(s.Confidence, leastChoice)/choice.Confidence), 0)
				out = append(out, candidate{c.text + choice.Text, c.loss + loss, c.changed + 1})
			}
		}
	}
	if len(out) > beamWidth {
		slices.SortStableFunc(out, func(a, b candidate) int { return cmp.Compare(a.loss, b.loss) })
		out = out[:beamWidth]
	}
	return out
}

func isLetters(s string) bool {
	return s != "" && strings.IndexFunc(s, func(r rune) bool { return !unicode.IsLetter(r) }) < 0
}

// worthLooking says whether a word is one that a list can hold.
func worthLooking(word string) bool {
	letters := 0
	for _, r := range word {
		switch {
		case unicode.IsDigit(r), unicode.IsUpper(r):
			return false
		case unicode.IsLetter(r):
			letters++
		}
	}
	return letters >= leastLetters
}
