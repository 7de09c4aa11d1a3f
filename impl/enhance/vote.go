package enhance

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"uncial/internal/accuracy"
	"uncial/internal/document"
)

const (
	// knownBonus is what it counts for a candidate that a lexicon knows it, in voices of full confidence.
	knownBonus = 0.6
	// majority is how much more a candidate must have than the words as they were read.
	majority = 0.5
	// farthest is the greatest distance of a candidate from the words as they were read, in characters for each of
	// theirs. What is farther is another word.
	farthest = 0.4
	// sameSpan is the share of the wider of two stretches that they must have in common to be the same words.
	sameSpan = 0.6
	// leastVoice is the confidence of a candidate below which no lexicon helps it.
	leastVoice = 0.2
	// leastPart is the letters that a part has at least when a word is taken apart.
	leastPart = 2
)

// Vote corrects the blocks of a page by other readings of the same page. Words are aligned by their boxes; each reading
// gives its confidence to what it has there, a lexicon its bonus, and the most wanted replaces the word when it has a
// clear majority. Confidences are those after calibration. The blocks are changed in place; the edits are in their order.
func Vote(page int, blocks []document.Block, others [][]document.Block, known Lexicon) []document.Edit {
	var longS map[string]bool
	if showsLongS(blocks) {
		longS = longSModels(append(slices.Clone(others), blocks))
	}
	voices := make([]lineIndex, len(others))
	for i, o := range others {
		voices[i] = indexLines(o)
	}
	var edits []document.Edit
	for i := range blocks {
		for j := range blocks[i].Lines {
			if blocks[i].Lines[j].Handwritten {
				continue // the others are readings of print
			}
			edits = append(edits, voteLine(page, &blocks[i].Lines[j], voices, known, longS)...)
		}
	}
	return edits
}

func voteLine(page int, line *document.Line, voices []lineIndex, known Lexicon, longS map[string]bool) []document.Edit {
	heard := make([][]document.Word, len(voices))
	for i, v := range voices {
		heard[i] = v.beside(line.Box)
	}
	var edits []document.Edit
	for i := 0; i < len(line.Words); i++ {
		for _, n := range []int{2, 1} {
			if i+n > len(line.Words) {
				continue
			}
			words := line.Words[i : i+n]
			best, ok := elect(words, heard, known)
			if !ok {
				continue
			}
			if longS != nil {
				best = best.inLongS(longS)
			}
			edits = append(edits, NewEdit(page, words, best.text, RuleVote, best.confidence))
			line.Words = slices.Replace(line.Words, i, i+n, best.words(words)...)
			i += len(best.source) - 1
			break
		}
	}
	return edits
}

// candidate is what a stretch of a line may say.
type candidate struct {
	text       string
	votes      float64
	confidence float64 // the greatest of those who read it
	source     []document.Word
}

// elect finds what should stand in the place of one word, or of two in a row that are parts of one. It is false where
// they stay: where all are known, or one is locked.
func elect(words []document.Word, heard [][]document.Word, known Lexicon) (candidate, bool) {
	own := newCandidate(words)
	if knownShare(words, known) == 1 || slices.ContainsFunc(words, func(w document.Word) bool { return locked(w.Text, known) }) {
		return candidate{}, false
	}
	candidates := []candidate{own}
	for _, h := range heard {
		if other := overlapping(h, words); len(other) > 0 {
			candidates = addVoice(candidates, newCandidate(other))
		}
	}
	candidates[0].votes += knownBonus * knownShare(words, known)
	best := candidates[0]
	for _, c := range candidates[1:] {
		if c.votes += knownBonus; c.votes > best.votes && c.confidence >= leastVoice && acceptable(own, c, known) {
			best = c
		}
	}
	return best, best.text != own.text && best.votes >= candidates[0].votes+majority
}

func newCandidate(words []document.Word) candidate {
	texts := make([]string, len(words))
	var sum, n float64
	for i, w := range words {
		texts[i] = w.Text
		k := float64(utf8.RuneCountInString(w.Text))
		sum, n = sum+k*w.Confidence, n+k
	}
	return candidate{text: strings.Join(texts, " "), votes: sum / n, confidence: sum / n, source: words}
}

// addVoice gives the votes of c to the candidate with the same text, where there is one. What is written with a long s
// is kept rather than what is not, unless it is the words as they were read.
func addVoice(candidates []candidate, c candidate) []candidate {
	for i := range candidates {
		same := &candidates[i]
		if plain(same.text) != plain(c.text) {
			continue
		}
		same.votes += c.votes
		same.confidence = max(same.confidence, c.confidence)
		if i > 0 && strings.Contains(c.text, "ſ") && !strings.Contains(same.text, "ſ") {
			same.text, same.source = c.text, c.source
		}
		return candidates
	}
	return append(candidates, c)
}

// knownShare is the share of the words that the lexicon knows.
func knownShare(words []document.Word, known Lexicon) float64 {
	n := 0
	for _, w := range words {
		if known.Known(w.Text) {
			n++
		}
	}
	return float64(n) / float64(len(words))
}

// acceptable says whether a candidate passes the guards: its words are known, its letters are near enough to those that
// were read, it takes no sign of abbreviation and no capital away, and it changes more than punctuation and spelling.
// Where blanks move, next to nothing else may.
func acceptable(own, c candidate, known Lexicon) bool {
	if knownShare(c.source, known) < 1 || slices.ContainsFunc(c.source, func(w document.Word) bool { return locked(w.Text, known) }) {
		return false
	}
	a, b := letters(own.source), letters(c.source)
	if abbreviations(a) > abbreviations(b) || unicode.IsUpper(a[0]) != unicode.IsUpper(b[0]) || respelled(string(a), string(b)) {
		return false
	}
	distance := accuracy.Distance(a, b)
	switch {
	case len(own.source) == 1 && len(c.source) == 1:
		return distance > 0 && float64(distance) <= farthest*float64(len(a))
	case len(own.source) == 1 && len(c.source) == 2:
		return distance <= 1 && len(letters(c.source[:1])) >= leastPart && len(letters(c.source[1:])) >= leastPart
	case len(own.source) == 2 && len(c.source) == 1:
		return distance <= 1
	}
	return false // two words for two are elected one by one
}

// letters are those of the words, in their plain form, without punctuation around them.
func letters(words []document.Word) []rune {
	var all []rune
	for _, w := range words {
		_, inner, _ := core(w.Text)
		all = append(all, []rune(plain(inner))...)
	}
	return all
}

// isAbbreviation says whether a decomposed character is a sign of abbreviation: the tilde or macron of a vowel, or a mark
// above letters that have no such form.
func isAbbreviation(r rune) bool { return strings.ContainsRune("\u0303\u0304\u0305ꝑꝓꝯꝰ⁊", r) }

func abbreviations(word []rune) int {
	n := 0
	for _, r := range norm.NFD.String(string(word)) {
		if isAbbreviation(r) {
			n++
		}
	}
	return n
}

// respelled says whether two words differ only as the spellings of two times do: in u and v, in i, j and y, in accents,
// or in oi and ai, as in étoit and était.
func respelled(a, b string) bool { return a != b && spelling(a) == spelling(b) }

var spellings = strings.NewReplacer("v", "u", "ai", "oi", "aj", "oi", "ay", "oi", "oj", "oi", "oy", "oi", "j", "i", "y", "i")

func spelling(word string) string {
	unaccented := strings.Map(func(r rune) rune {
		if unicode.IsMark(r) && !isAbbreviation(r) {
			return -1
		}
		return r
	}, norm.NFD.String(strings.ToLower(word)))
	return spellings.Replace(unaccented)
}

// words are the candidate's words in the place of the ones they replace.
func (c candidate) words(old []document.Word) []document.Word {
	if len(c.source) == len(old) {
		words := slices.Clone(old)
		for i := range words {
			words[i].Text, words[i].Confidence, words[i].Model = c.source[i].Text, c.confidence, c.source[i].Model
		}
		return words
	}
	words := slices.Clone(c.source)
	for i := range words {
		words[i].Confidence = c.confidence
	}
	return words
}

// longSModels are the models that wrote a long s anywhere.
func longSModels(readings [][]document.Block) map[string]bool {
	models := map[string]bool{}
	for _, blocks := range readings {
		for _, b := range blocks {
			for _, l := range b.Lines {
				for _, w := range l.Words {
					if strings.Contains(w.Text, "ſ") {
						models[w.Model] = true
					}
				}
			}
		}
	}
	return models
}

// inLongS spells a candidate as a page with long s does, where it comes from a model that does not write it: long but at
// the end of a word.
func (c candidate) inLongS(writers map[string]bool) candidate {
	c.source = slices.Clone(c.source)
	texts := make([]string, len(c.source))
	for i := range c.source {
		w := &c.source[i]
		if !writers[w.Model] {
			before, inner, after := core(w.Text)
			if begin, final := strings.CutSuffix(inner, "s"); final {
				inner, after = begin, "s"+after
			}
			w.Text = before + strings.ReplaceAll(inner, "s", "ſ") + after
		}
		texts[i] = w.Text
	}
	c.text = strings.Join(texts, " ")
	return c
}

// overlapping are the words that cover the same stretch of a line as the given ones; nil where none do as a whole.
func overlapping(line, words []document.Word) []document.Word {
	left, right := words[0].Box.X, words[len(words)-1].Box.X+words[len(words)-1].Box.W
	var found []document.Word
	for _, w := range line {
		if middle := w.Box.X + w.Box.W/2; middle >= left && middle < right {
			found = append(found, w)
		}
	}
	if len(found) == 0 {
		return nil
	}
	l, r := found[0].Box.X, found[len(found)-1].Box.X+found[len(found)-1].Box.W
	common, widest := min(right, r)-max(left, l), max(right-left, r-l)
	if float64(common) < sameSpan*float64(widest) {
		return nil
	}
	return found
}

// lineIndex finds the words beside a line.
type lineIndex []document.Line

func indexLines(blocks []document.Block) lineIndex {
	var lines lineIndex
	for _, b := range blocks {
		lines = append(lines, b.Lines...)
	}
	return lines
}

// beside are the words of other lines that stand in the row of a box, from left to right.
func (l lineIndex) beside(box document.Box) []document.Word {
	var words []document.Word
	for _, line := range l {
		if !inRow(line.Box, box) {
			continue
		}
		for _, w := range line.Words {
			if inRow(w.Box, box) {
				words = append(words, w)
			}
		}
	}
	slices.SortStableFunc(words, func(a, b document.Word) int { return a.Box.X - b.Box.X })
	return words
}

// inRow says whether two boxes overlap by half of the lower one's height.
func inRow(a, b document.Box) bool {
	return 2*(min(a.Y+a.H, b.Y+b.H)-max(a.Y, b.Y)) >= min(a.H, b.H)
}
