package reading

import (
	"image"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"uncial/internal/document"
	"uncial/internal/text"
)

// Evidence describes how likely a word is correct: one value for each constant below, from evConstant to evEntropy.
type Evidence [evEntropy + 1]float64

const (
	evConstant   = iota // 1
	evOwn               // log-odds of the recognizer's confidence in the word
	evKnown             // for a word of at least longWord letters that a word list has: the share of such words on the page
	evKnownShort        // the same for a shorter word
	evUnknown           // the same for a word of at least longWord letters that no word list has
	evWidth             // how far the width of its letters is from that of its line, in logarithms
	evLast              // 1 for the last word of a line, which may be cut off

	// Only for print.

	evSure       // how far evOwn exceeds sureOwn
	evEarlyPrint // 1 if the model for early print read it
	evAgreed     // 1 if another reading of the page has the word too
	evDenied     // 1 if another reading of the page has something else there
	evLetters    // log-odds of the recognizer's mean confidence in its characters
	evDigit      // 1 for a word with a digit
	evRepeated   // logarithm of how often the page has the word, up to sureRepeats
	evPunctuated // 1 for a word that ends with punctuation other than a hyphen

	// Only for handwriting.

	evRare    // 1 for a word with a sign beyond the letters of modern languages
	evSingle  // 1 for a word of one character
	evWrong   // logarithm of the share of its characters that are wrong, on average over the likely readings of the word
	evEntropy // the largest entropy of the possible characters
)

// evidence returns the evidence of each word of the page that is, or is not, handwritten, in reading order. Words must have the
// confidences of the steps before.
func (p *page) evidence(handwritten bool) []Evidence {
	var all []Evidence
	other, repeats := p.otherReading(), p.repeats()
	for line := range document.Lines(p.read.Blocks) {
		if line.Handwritten != handwritten {
			continue
		}
		usual := letterWidth(line)
		for i := range line.Words {
			w := &line.Words[i]
			n := float64(utf8.RuneCountInString(w.Text))
			e := Evidence{evConstant: 1, evOwn: ownLogOdds(w, handwritten)}
			e[evKnown], e[evKnownShort], e[evUnknown] = p.isKnown(w.Text)
			e[evWidth] = math.Abs(math.Log(max(float64(w.Box.W), 1)/n) - usual)
			e[evLast] = flag(i == len(line.Words)-1)
			if handwritten {
				e.addHandwriting(w)
			} else {
				e.addPrint(w, other, repeats)
			}
			all = append(all, e)
		}
	}
	relateToPage(all)
	return all
}

// addPrint fills in the values that are only for print.
func (e *Evidence) addPrint(w *document.Word, other otherWords, repeats map[string]int) {
	e[evSure], e[evEarlyPrint] = max(e[evOwn]-sureOwn, 0), flag(w.Model == earlyPrint)
	if other != nil {
		e[evAgreed], e[evDenied] = flag(other.has(w)), flag(!other.has(w))
	}
	e[evLetters] = e[evOwn]
	if s := w.Signals; s != nil {
		e[evLetters] = logOdds(s.Letters)
	}
	e[evDigit] = flag(strings.ContainsFunc(w.Text, unicode.IsDigit))
	e[evRepeated] = math.Log(float64(min(max(repeats[coreOf(w)], 1), sureRepeats)))
	_, _, after := text.Core(strings.TrimRightFunc(w.Text, isDash))
	e[evPunctuated] = flag(after != "")
}

// repeats returns how often the page has each printed word, by its core.
func (p *page) repeats() map[string]int {
	n := map[string]int{}
	for line := range document.Lines(p.read.Blocks) {
		for i := range line.Words {
			if core := coreOf(&line.Words[i]); !line.Handwritten && core != "" {
				n[core]++
			}
		}
	}
	return n
}

func isDash(r rune) bool { return unicode.Is(unicode.Pd, r) }

// coreOf returns the word without punctuation around it, in small letters of modern type.
func coreOf(w *document.Word) string {
	_, core, _ := text.Core(text.FoldType(w.Text))
	return strings.ToLower(core)
}

// addHandwriting fills in the values that are only for handwriting.
func (e *Evidence) addHandwriting(w *document.Word) {
	e[evRare] = flag(strings.ContainsFunc(w.Text, func(r rune) bool { return r > lastUsualLetter }))
	e[evSingle] = flag(utf8.RuneCountInString(w.Text) == 1)
	wrong := 1 - w.Confidence
	if s := w.Signals; s != nil {
		wrong, e[evEntropy] = s.Wrong, s.Entropy
	}
	e[evWrong] = math.Log(wrong + minWrong)
}

// relateToPage fills in the values that depend on all words of the page. A word list proves little on a page with few known words: such a page is
// full of names, or spelt and abbreviated as in the Middle Ages.
func relateToPage(all []Evidence) {
	var known, long float64
	for _, e := range all {
		known, long = known+e[evKnown], long+e[evKnown]+e[evUnknown]
	}
	share := (known + fewWords/2) / (long + fewWords)
	for i := range all {
		e := &all[i]
		e[evKnown], e[evKnownShort], e[evUnknown] = share*e[evKnown], share*e[evKnownShort], share*e[evUnknown]
	}
}

func flag(is bool) float64 {
	if is {
		return 1
	}
	return 0
}

// logOdds returns ln(share / (1 - share)), the scale of a logistic regression. Shares are kept at least minShare away from 0 and 1, so that no
// single value is decisive.
func logOdds(share float64) float64 {
	share = min(max(share, minShare), 1-minShare)
	return math.Log(share / (1 - share))
}

// ownLogOdds returns the log-odds of the recognizer's own confidence in a word. It inverts the curves of print and of handwriting.
func ownLogOdds(w *document.Word, handwritten bool) float64 {
	z := logOdds(w.Confidence)
	if handwritten {
		return z
	}
	z -= curveBase
	if w.Model == earlyPrint {
		z -= earlyPrintBonus
	}
	return z / curveSlope
}

// letterWidth returns the logarithm of the mean width of a letter of the line, with the blanks.
func letterWidth(line *document.Line) float64 {
	characters := len(line.Words) - 1
	for _, w := range line.Words {
		characters += utf8.RuneCountInString(w.Text)
	}
	return math.Log(max(float64(line.Box.W), 1) / float64(max(characters, 1)))
}

// isKnown returns 1 for the kind of the word and 0 for the other kinds: a long listed word, a short listed word, and a long
// unlisted word. A short unlisted word is of no kind.
func (p *page) isKnown(word string) (known, short, unknown float64) {
	_, core, _ := text.Core(word)
	letters := text.CountLetters(core)
	isKnown := slices.ContainsFunc([]string{p.model, earlyPrint}, func(model string) bool {
		list := p.src.Lexicon(model)
		return list != nil && list.Known(word)
	})
	switch {
	case letters >= longWord && isKnown:
		return 1, 0, 0
	case letters >= longWord:
		return 0, 0, 1
	case letters > 0 && isKnown:
		return 0, 1, 0
	}
	return 0, 0, 0
}

// otherWords are the words of another reading of the page, by the grid cell that holds their middle.
type otherWords map[image.Point][]document.Word

const gridCell = 64 // pixels; it affects speed only

// otherReading returns the second-best reading of the page, nil if there is none.
func (p *page) otherReading() otherWords {
	if len(p.attempts) < 2 {
		return nil
	}
	words := otherWords{}
	for w := range document.Words(p.sheet.onPage(p.attempts[1].blocks)) {
		cell := middleOf(toRectangle(w.Box)).Div(gridCell)
		words[cell] = append(words[cell], *w)
	}
	return words
}

// has reports whether the other reading has the word in this place.
func (o otherWords) has(w *document.Word) bool {
	return o.find(w, func(other document.Word) bool { return text.FoldType(other.Text) == text.FoldType(w.Text) }) != nil
}

// at returns a word of the other reading that stands for the same ink, nil if there is none.
func (o otherWords) at(w *document.Word) *document.Word {
	middle := middleOf(toRectangle(w.Box))
	return o.find(w, func(other document.Word) bool { return middle.In(toRectangle(other.Box)) })
}

// find returns a word of the other reading for which is returns true and whose middle lies in the box of the word; nil if there is none.
func (o otherWords) find(w *document.Word, is func(document.Word) bool) *document.Word {
	at := middleOf(toRectangle(w.Box))
	cell := at.Div(gridCell)
	for x := -1; x <= 1; x++ {
		for y := -1; y <= 1; y++ {
			for _, other := range o[cell.Add(image.Pt(x, y))] {
				if middleOf(toRectangle(other.Box)).In(toRectangle(w.Box).Inset(-placeMargin)) && is(other) {
					return &other
				}
			}
		}
	}
	return nil
}
