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

// ruleLexicon names the edits that take another of the recognizer's choices because the word list has the word.
const ruleLexicon = "lexicon"

// candidate is the beginning of a word, made of the recognizer's choices.
type candidate struct {
	text    string
	loss    float64 // logarithm of the confidence that is lost, compared with the word that was read
	changed int     // symbols exchanged
}

// correct returns the likeliest word of the list that can be made of a word by exchanging one or two symbols for others of the
// recognizer's choices. It reports false if the list has the word already, or none that can be made of it. Words with digits or
// capitals, which may be names, and words of fewer than four letters are neither corrected nor the result of a correction. A
// correction that changes the spelling is rejected (text.Respells), because the spelling is that of the time.
func correct(w tesseract.Word, words *lexicon.Lexicon) (string, bool) {
	if words == nil || len(w.Symbols) > mostSymbols || !isListable(w.Text) || words.Known(w.Text) {
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
		if isListable(c.text) && words.Known(c.text) && !text.Respells(w.Text, c.text) {
			best, found = c, true
		}
	}
	return best.text, found
}

// extend appends a symbol to each candidate, once as read and once for each of its other choices, and keeps the likeliest.
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

// isListable reports whether a word list can hold a word.
func isListable(word string) bool {
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
