package reading

import (
	"context"
	"image"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"uncial/impl/ocr/imaging"
	"uncial/impl/ocr/models/own"
	"uncial/internal/document"
	"uncial/internal/text"
)

// Evidence is what is known about the correctness of a word: one value for each constant below, from evConstant to evPosterior.
type Evidence [evPosterior + 1]float64

const (
	evConstant   = iota // always 1 (intercept)
	evOwn               // log-odds of the recognizer's confidence in the word
	evKnown             // for a listed word of at least longWord letters: the share of listed words among such words of the page
	evKnownShort        // the same value for a shorter listed word
	evUnknown           // the same value for an unlisted word of at least longWord letters
	evWidth             // difference between the logarithms of the mean letter width of the word and of its line
	evLast              // 1 for the last word of a line, which may be cut off

	// Only for print.

	evSure       // the amount by which evOwn exceeds sureOwn
	evEarlyPrint // 1 if the model for early print read it
	evAgreed     // 1 if another reading of the page has the word too
	evDenied     // 1 if there is another reading of the page without the word
	evLetters    // log-odds of the recognizer's mean confidence in its characters
	evDigit      // 1 for a word with a digit
	evRepeated   // logarithm of the number of times that the page has the word, up to sureRepeats
	evPunctuated // 1 for a word that ends with punctuation other than a hyphen
	evConfirmed  // log-odds of the network for print if it reads the same, 0 if it does not or did not read the line
	evDisputed   // 1 if the network for print reads something else
	evCorrected  // 1 if the word was taken from the network for print
	evElected    // log-odds with which it was preferred to what Tesseract read

	// Only for handwriting.

	evRare      // 1 for a word with a sign beyond the letters of modern languages
	evSingle    // 1 for a word of one character
	evWrong     // logarithm of the expected share of its characters that are wrong; see document.Signals
	evEntropy   // the largest entropy of the possible characters, in nats
	evPosterior // log-odds of the share of the likely texts of the line that have the word
)

// evidence returns the evidence of each handwritten, or each printed, word of the page, in reading order. Words must still have
// the confidences that the steps used.
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
			e[evKnown], e[evKnownShort], e[evUnknown] = p.knownKind(w.Text)
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

// addPrint sets the values that are only for print.
func (e *Evidence) addPrint(w *document.Word, other otherWords, repeats map[string]int) {
	e[evSure], e[evEarlyPrint] = max(e[evOwn]-sureOwn, 0), flag(w.Model == earlyPrint)
	if other != nil {
		e[evAgreed], e[evDenied] = flag(other.has(w)), flag(!other.has(w))
	}
	e[evLetters] = e[evOwn]
	switch s := w.Signals; {
	case s == nil:
	case own.ReadsPrint(w.Model):
		e[evLetters], e[evCorrected], e[evElected] = logOdds(s.Letters), 1, s.Network
	default:
		e[evLetters], e[evConfirmed], e[evDisputed] = logOdds(s.Letters), max(s.Network, 0), flag(s.Network < 0)
	}
	e[evDigit] = flag(strings.ContainsFunc(w.Text, unicode.IsDigit))
	e[evRepeated] = math.Log(float64(min(max(repeats[coreOf(w)], 1), sureRepeats)))
	_, _, after := text.Core(strings.TrimRightFunc(w.Text, isDash))
	e[evPunctuated] = flag(after != "")
}

// repeats returns the number of times that each printed word occurs on the page, by its core.
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

// coreOf returns the word without the punctuation around it, in lower case and modern type.
func coreOf(w *document.Word) string {
	_, core, _ := text.Core(text.FoldType(w.Text))
	return strings.ToLower(core)
}

// addHandwriting sets the values that are only for handwriting.
func (e *Evidence) addHandwriting(w *document.Word) {
	e[evRare] = flag(strings.ContainsFunc(w.Text, func(r rune) bool { return r > lastUsualLetter }))
	e[evSingle] = flag(utf8.RuneCountInString(w.Text) == 1)
	wrong, posterior := 1-w.Confidence, w.Confidence
	if s := w.Signals; s != nil {
		wrong, posterior, e[evEntropy] = s.Wrong, s.Posterior, s.Entropy
	}
	e[evWrong], e[evPosterior] = math.Log(wrong+minWrong), logOdds(posterior)
}

// relateToPage scales the values that depend on all words of the page. On a page with few listed words, a word list proves
// little: such a page is full of names, or of medieval spellings and abbreviations.
func relateToPage(all []Evidence) {
	share, _ := listedShare(all)
	for i := range all {
		e := &all[i]
		e[evKnown], e[evKnownShort], e[evUnknown] = share*e[evKnown], share*e[evKnownShort], share*e[evUnknown]
	}
}

// listedShare returns the share of listed words among the long words of a page, drawn towards a half if there are few, and the
// number of long words.
func listedShare(all []Evidence) (share float64, long int) {
	listed := 0
	for _, e := range all {
		switch {
		case e[evKnown] > 0:
			listed++
			long++
		case e[evUnknown] > 0:
			long++
		}
	}
	return (float64(listed) + priorWords/2) / (float64(long) + priorWords), long
}

// findGibberish decides whether the text read as print is gibberish, such as mirrored writing: few of its long words are
// listed, and the recognizer is unsure of most words. It is a step before the network for print and the enhancement, which
// would replace gibberish by words. In a language without a word list, and on a page with few long words, nothing is gibberish.
func findGibberish(_ context.Context, p *page) error {
	if p.src.Lexicon(p.model) == nil {
		return nil
	}
	printed, own := p.evidence(false), 0.0
	for _, e := range printed {
		own += e[evOwn]
	}
	share, long := listedShare(printed)
	p.isGibberish = long >= minGibberishWords && own < gibberishOwn*float64(len(printed)) && share < gibberishListed
	return nil
}

func flag(is bool) float64 {
	if is {
		return 1
	}
	return 0
}

// logOdds returns ln(share / (1 - share)), the scale of a logistic regression. It limits the share to minShare..1-minShare, so
// that no single value is decisive.
func logOdds(share float64) float64 {
	share = min(max(share, minShare), 1-minShare)
	return math.Log(share / (1 - share))
}

// ownLogOdds returns the log-odds of the recognizer's own confidence in a word. For print, it inverts the curve that calibrate
// applied.
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

// letterWidth returns the logarithm of the mean width, in pixels, of the line's letters and blanks.
func letterWidth(line *document.Line) float64 {
	characters := len(line.Words) - 1
	for _, w := range line.Words {
		characters += utf8.RuneCountInString(w.Text)
	}
	return math.Log(max(float64(line.Box.W), 1) / float64(max(characters, 1)))
}

// knownKind returns 1 for the kind of the word and 0 for the other kinds: a long listed word, a short listed word, and a long
// unlisted word. For a short unlisted word, all are 0.
func (p *page) knownKind(word string) (known, short, unknown float64) {
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

// otherWords are the words of another reading of the page, by the grid cell that contains their centre.
type otherWords map[image.Point][]document.Word

const gridCell = 64 // pixels; it affects speed only

// otherReading returns the words of the second-best reading of the page, or nil if there is none.
func (p *page) otherReading() otherWords {
	if len(p.attempts) < 2 {
		return nil
	}
	words := otherWords{}
	for w := range document.Words(p.sheet.onPage(p.attempts[1].blocks)) {
		cell := imaging.Middle(w.Box.Rectangle()).Div(gridCell)
		words[cell] = append(words[cell], *w)
	}
	return words
}

// has reports whether the other reading has the same word at the same position.
func (o otherWords) has(w *document.Word) bool {
	return o.find(w, func(other document.Word) bool { return text.FoldType(other.Text) == text.FoldType(w.Text) }) != nil
}

// at returns a word of the other reading for the same ink, or nil if there is none.
func (o otherWords) at(w *document.Word) *document.Word {
	middle := imaging.Middle(w.Box.Rectangle())
	return o.find(w, func(other document.Word) bool { return middle.In(other.Box.Rectangle()) })
}

// find returns a word of the other reading for which is returns true and whose centre is in the box of w, or nil if there is
// none.
func (o otherWords) find(w *document.Word, is func(document.Word) bool) *document.Word {
	at := imaging.Middle(w.Box.Rectangle())
	cell := at.Div(gridCell)
	for x := -1; x <= 1; x++ {
		for y := -1; y <= 1; y++ {
			for _, other := range o[cell.Add(image.Pt(x, y))] {
				if imaging.Middle(other.Box.Rectangle()).In(w.Box.Rectangle().Inset(-placeMargin)) && is(other) {
					return &other
				}
			}
		}
	}
	return nil
}
