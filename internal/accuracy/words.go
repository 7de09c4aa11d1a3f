package accuracy

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// Word is a recognized word. Words are given in reading order.
type Word struct {
	Text       string  `json:"text"`
	EndsLine   bool    `json:"endsLine,omitempty"`
	Confidence float64 `json:"confidence"` // probability that it is right, 0..1
	Share      float64 `json:"share"`      // estimated share of its characters that are correct, 0..1
	// Place is the number, from 1, of the largest place that the reading lists as weak and the word lies in; 0 if there is none.
	Place int `json:"place,omitempty"`
}

// WordScore tells how well a word was read, in the folded measure. A word that was divided at a line end is one.
type WordScore struct {
	// First is the index of the word, or of its first part, among those that were compared.
	First      int     `json:"-"`
	Text       string  `json:"text"`       // folded
	Confidence float64 `json:"confidence"` // the lowest of its parts
	Share      float64 `json:"share"`      // the mean of its parts, by their characters
	// Listed reports whether a part of it lies in a place that the reading lists as weak, and Place is that of its last part.
	Listed     bool `json:"listed,omitempty"`
	Place      int  `json:"-"`
	Characters int  `json:"characters"`
	// Errors counts its wrong and superfluous characters, those that are missing in it, and a wrong end.
	Errors int `json:"errors,omitempty"`
	// Missing counts the characters of words that are missing right after it, in a passage with errors; or right before it, if the
	// alignment of the texts puts them behind the space.
	Missing int `json:"missing,omitempty"`
	// Gap counts the characters of a long gap between this word and the next one of the same weak place. A person who checks the
	// place sees that they are missing.
	Gap int `json:"gap,omitempty"`
	// Moved reports whether the word is right, but is elsewhere in the ground truth.
	Moved bool `json:"moved,omitempty"`
	// IsUnread marks writing that was not read but listed: Characters is how much, as the reading estimates it.
	IsUnread bool `json:"isUnread,omitempty"`
}

// longGap is the minimum number of consecutive missing characters that counts as a missed line, and not as an error in the
// words around it.
const longGap = 20

// CompareWords aligns the words with the ground truth. missed counts the characters that are missing between correct words, or
// in long gaps, unless the words on both sides lie in the same weak place: they belong to no word.
func CompareWords(truth string, words []Word) (scores []WordScore, missed int) {
	scores = foldWords(words)
	texts := make([]string, len(scores))
	for i, s := range scores {
		texts[i] = s.Text
	}
	want := Tokens(Folded(truth))
	parts := Align(want, texts)
	elsewhere := markMoved(parts, scores)
	at, i := 0, 0
	for _, part := range parts {
		here := scores[at : at+len(part.Text)]
		if !part.Equal {
			var lacking []string
			for k, w := range part.Truth {
				if !elsewhere[i+k] {
					lacking = append(lacking, w)
				}
			}
			for _, g := range chargePart(lacking, here) {
				missed += chargeGap(scores, at+g.before, g.characters)
			}
		}
		at, i = at+len(part.Text), i+len(part.Truth)
	}
	return scores, missed
}

// movedRun is the minimum number of consecutive characters that must be elsewhere in the ground truth: fewer can match by
// chance.
const movedRun = 8

// markMoved finds the words that stand elsewhere in the ground truth, sets their WordScore.Moved, and returns the indexes of
// the words of the ground truth that they match. parts are the alignment in order.
func markMoved(parts []Part, scores []WordScore) map[int]bool {
	var truth, text []int // of the words that are not paired yet
	i, j := 0, 0
	for _, p := range parts {
		for k := range p.Truth {
			if !p.Equal {
				truth = append(truth, i+k)
			}
		}
		for k := range p.Text {
			if !p.Equal {
				text = append(text, j+k)
			}
		}
		i, j = i+len(p.Truth), j+len(p.Text)
	}
	want := make([]string, 0, i)
	for _, p := range parts {
		want = append(want, p.Truth...)
	}
	elsewhere := map[int]bool{}
	for found := true; found; {
		found = false
		var a, b []string
		for _, i := range truth {
			a = append(a, want[i])
		}
		for _, j := range text {
			b = append(b, scores[j].Text)
		}
		var restTruth, restText []int
		i, j := 0, 0
		for _, p := range Align(a, b) {
			if p.Equal && utf8.RuneCountInString(strings.Join(p.Text, "")) >= movedRun {
				found = true
				for k := range p.Text {
					elsewhere[truth[i+k]], scores[text[j+k]].Moved = true, true
				}
			} else {
				restTruth, restText = append(restTruth, truth[i:i+len(p.Truth)]...), append(restText, text[j:j+len(p.Text)]...)
			}
			i, j = i+len(p.Truth), j+len(p.Text)
		}
		truth, text = restTruth, restText
	}
	return elsewhere
}

// gap is where characters are missing: before a word, given by its index, or after the last one.
type gap struct{ before, characters int }

// chargeGap adds a gap between two words of the same weak place to the first of them, and otherwise returns its characters.
func chargeGap(scores []WordScore, before, characters int) (missed int) {
	if before == 0 || before == len(scores) || scores[before].Place == 0 || scores[before-1].Place != scores[before].Place {
		return characters
	}
	scores[before-1].Gap += characters
	return 0
}

// chargePart adds the errors of a passage that differs from the ground truth to its words, except those that were moved. It
// returns the gaps that belong to no word.
func chargePart(truth []string, words []WordScore) []gap {
	var own []WordScore
	var at []int
	for i, w := range words {
		if !w.Moved {
			own, at = append(own, w), append(at, i)
		}
	}
	if len(own) == 0 {
		return []gap{{0, utf8.RuneCountInString(strings.Join(truth, ""))}}
	}
	gaps := chargeErrors(truth, own)
	for k, i := range at {
		words[i] = own[k]
	}
	at = append(at, at[len(at)-1]+1)
	for k := range gaps {
		gaps[k].before = at[gaps[k].before]
	}
	return gaps
}

// foldWords returns the folded words, without errors. Words without folded characters are left out.
func foldWords(words []Word) []WordScore {
	var text strings.Builder
	var scores []WordScore
	first := 0
	for i, w := range words {
		text.WriteString(w.Text)
		if w.EndsLine {
			text.WriteByte('\n')
		} else {
			text.WriteByte(' ')
		}
		joined := i+1 < len(words) && w.EndsLine && len(Tokens(joinHyphenated(visible(w.Text+"\n"+words[i+1].Text)))) == 1
		if joined {
			continue
		}
		if folded := strings.ReplaceAll(Folded(text.String()), " ", ""); folded != "" {
			s := sumUp(folded, words[first:i+1])
			s.First = first
			scores = append(scores, s)
		}
		text.Reset()
		first = i + 1
	}
	return scores
}

// sumUp returns the score of a word that consists of parts.
func sumUp(folded string, parts []Word) WordScore {
	s := WordScore{Text: folded, Confidence: 1, Characters: utf8.RuneCountInString(folded)}
	n := 0
	for _, p := range parts {
		k := utf8.RuneCountInString(p.Text)
		s.Confidence = min(s.Confidence, p.Confidence)
		s.Share += float64(k) * p.Share
		s.Listed, s.Place = s.Listed || p.Place > 0, p.Place
		n += k
	}
	s.Share /= float64(max(n, 1))
	return s
}

// chargeErrors adds the edits between truth and the words, which differ, to the words. It returns the long gaps.
func chargeErrors(truth []string, words []WordScore) (gaps []gap) {
	var read []rune
	var owner []int // of each character: the index of its word; a space belongs to the word before it
	for i, w := range words {
		if i > 0 {
			read, owner = append(read, ' '), append(owner, i-1)
		}
		for _, r := range w.Text {
			read, owner = append(read, r), append(owner, i)
		}
	}
	want := []rune(strings.Join(truth, " "))
	var missing []rune // before the next character
	endGap := func(i, before int) {
		letters := utf8.RuneCountInString(strings.ReplaceAll(string(missing), " ", ""))
		switch isWord := letters > 0 && letters < len(missing); {
		case isWord && letters >= longGap:
			gaps = append(gaps, gap{before, letters})
		case isWord:
			words[owner[i]].Missing += letters
		default:
			words[owner[i]].Errors += len(missing)
		}
		missing = nil
	}
	i, j := 0, 0
	for _, move := range editMoves(want, read) {
		if move == moveTruth {
			missing = append(missing, want[i])
			i++
			continue
		}
		if move != moveBoth {
			words[owner[j]].Errors++
		}
		if len(missing) > 0 {
			endGap(j, owner[j])
		}
		if move != moveText {
			i++
		}
		j++
	}
	if len(missing) > 0 {
		endGap(len(read)-1, len(words))
	}
	return gaps
}

// substitute is a further move of an alignment: a character was read as another.
const substitute = moveText + 1

// editMoves returns the moves of the cheapest way from a text to another, in time and memory proportional to
// len(truth)*len(text).
func editMoves(truth, text []rune) []byte {
	width := len(text) + 1
	moves := make([]byte, (len(truth)+1)*width)
	above, here := make([]int, width), make([]int, width)
	for j := range width {
		above[j], moves[j] = j, moveText
	}
	for i, t := range truth {
		row := moves[(i+1)*width:]
		here[0], row[0] = i+1, moveTruth
		for j, x := range text {
			cost, move := above[j], byte(moveBoth)
			if t != x {
				cost, move = cost+1, substitute
			}
			if c := above[j+1] + 1; c < cost {
				cost, move = c, moveTruth
			}
			if c := here[j] + 1; c < cost {
				cost, move = c, moveText
			}
			here[j+1], row[j+1] = cost, move
		}
		above, here = here, above
	}
	var path []byte
	for i, j := len(truth), len(text); i > 0 || j > 0; {
		move := moves[i*width+j]
		path = append(path, move)
		if move != moveText {
			i--
		}
		if move != moveTruth {
			j--
		}
	}
	slices.Reverse(path)
	return path
}
