package reading

import (
	"context"
	"image"
	"slices"
	"time"
	"unicode"
	"unicode/utf8"

	"uncial/impl/ocr"
	"uncial/impl/ocr/lexicon"
	"uncial/impl/ocr/models/own"
	"uncial/impl/ocr/tesseract"
	"uncial/internal/document"
)

// earlyPrint is the name of the model for print before about 1800.
const earlyPrint = own.EarlyPrint

// attempt is one reading of a page of print.
type attempt struct {
	model      string
	blocks     []document.Block // in coordinates of the sheet
	raw        []document.Block // blocks before any were dropped or joined
	factor     float64          // by which the sheet was scaled
	confidence float64          // mean of the recognizer's own, weighted by the length of words
	right      float64          // estimated share of correct characters; valid once tidy is true
	whole      bool             // the parts that layout analysis left out have been read too
	// unreadLetters is the number of letters in those parts that were not read even then.
	unreadLetters int
	tidy          bool // the tidy steps have run
}

// recognize reads an image, which is the sheet or a part of it, with one model.
func recognize(ctx context.Context, src Source, img *image.Gray, dpi int, model string) (attempt, error) {
	blocks, err := src.Read(ctx, img, dpi, model, tesseract.Auto)
	if err != nil {
		return attempt{}, err
	}
	return attempt{model: model, blocks: blocks, raw: blocks, confidence: meanConfidence(blocks)}, nil
}

// readPrint reads the sheet with the language's own model, together with the Greek model if the sample shows Greek, or with the
// early-print model alone if the sample is early print. If its share of the time runs out, it finishes the page with the lines
// that were read so far.
func readPrint(ctx context.Context, p *page) error {
	within, cancel := withShare(ctx, firstReadingShare)
	defer cancel()
	model := p.model
	switch {
	case p.isGreek:
		model = p.withGreek()
	case p.isEarly:
		model = earlyPrint
	}
	began := time.Now()
	a, err := p.sheet.read(within, p.src, model, 1)
	p.firstReading = time.Since(began)
	p.attempts = []attempt{a}
	if err == nil || ctx.Err() != nil || within.Err() == nil || characters(a.blocks) == 0 {
		return err
	}
	p.curtailed, p.isPartial = true, true
	err = p.run(ctx, partialSteps)
	p.finished = true
	return err
}

// needsOtherModel reports whether the first reading is in doubt, was not made by the early-print model, and has only letters
// that this model can output.
func needsOtherModel(p *page) bool {
	first := p.attempts[0]
	return first.model != earlyPrint && first.confidence < sureReading && p.src.Has(earlyPrint) && p.canBeEarly(first)
}

// canBeEarly reports whether the early-print model can output the letters of a reading.
func (p *page) canBeEarly(a attempt) bool {
	return isLatin(a.blocks) && foreignShare(a.blocks, p.src.Alphabet(earlyPrint)) <= maxForeignLetters
}

// tryOtherModel adds a reading by the early-print model, and puts the better one first.
func tryOtherModel(ctx context.Context, p *page) error {
	if err := p.addReading(ctx, earlyPrint); err != nil {
		return err
	}
	if early, own := p.attempts[0], p.attempts[1]; own.whole != early.whole || !prefersEarly(own, early) {
		p.attempts[0], p.attempts[1] = own, early
	}
	return nil
}

// addReading reads the sheet with a model, with the parts that layout analysis leaves out, and puts that reading first.
func (p *page) addReading(ctx context.Context, model string) error {
	a, err := p.sheet.read(ctx, p.src, model, 1)
	if err != nil {
		return err
	}
	p.attempts = append([]attempt{a}, p.attempts...)
	return p.run(ctx, []step{unreadStep})
}

// prefersEarly reports whether the reading by the early-print model is better than that by the language's own.
func prefersEarly(own, early attempt) bool {
	return own.confidence < sureReading && early.confidence+earlyPrintLead >= own.confidence
}

// estimateConfidence estimates the confidence of new readings. It is the last of the tidy steps.
func estimateConfidence(_ context.Context, p *page) error {
	for i := range p.attempts {
		if a := &p.attempts[i]; !a.tidy {
			a.estimate(len(p.sheet.letters))
			a.tidy = true
		}
	}
	return nil
}

// estimate sets the estimated share of correct characters. If more letters are in unread lines than in the text, most of the
// page is missing. letters is the number of letter-shaped components of ink.
func (a *attempt) estimate(letters int) {
	a.right = pageConfidence(a.blocks, letters)
	if n := characters(a.blocks); a.unreadLetters > n {
		a.right *= 2 * float64(n) / float64(n+a.unreadLetters)
	}
}

// isLegible reports whether the estimated share of correct characters is at least inDoubt. isDoubtful is its negation.
func isLegible(p *page) bool { return p.attempts[0].right >= inDoubt }

func isDoubtful(p *page) bool { return !isLegible(p) }

// tryOtherSize reads the sheet with the same model at another size, smaller if the letters are large and larger if they are
// small. That reading has different errors from the first one, and costs less than another model. A sheet that would exceed the
// recognizer's limits at that size is not read again.
func tryOtherSize(ctx context.Context, p *page) error {
	factor := largerFactor
	if lineHeight(p.attempts[0].blocks) >= minLargeLine {
		factor = smallerFactor
	}
	if !isReadable(p.sheet.img.Rect.Size(), factor) {
		return nil
	}
	again, err := p.sheet.read(ctx, p.src, p.attempts[0].model, factor)
	if err != nil {
		return err
	}
	last := len(p.attempts)
	p.attempts = append(p.attempts, again)
	if err := p.run(ctx, slices.Concat([]step{unreadStep}, tidySteps)); err != nil {
		return err
	}
	again = p.attempts[last]
	at := 1
	if again.right >= p.attempts[0].right+resizedLead {
		at = 0
	}
	p.attempts = slices.Insert(p.attempts[:last], at, again)
	return nil
}

// isReadable reports whether the recognizer reads an image of that size once it is scaled by a factor.
func isReadable(size image.Point, factor float64) bool {
	w, h := int(float64(size.X)*factor), int(float64(size.Y)*factor)
	return min(w, h) >= 1 && max(w, h) <= tesseract.MaxSide && w*h <= ocr.MaxPixels
}

// lineHeight returns the median height of lines in pixels, or 0 if there are none.
func lineHeight(blocks []document.Block) int {
	var heights []int
	for l := range document.Lines(blocks) {
		heights = append(heights, l.Box.H)
	}
	if len(heights) == 0 {
		return 0
	}
	slices.Sort(heights)
	return heights[len(heights)/2]
}

// isLatin reports whether at least half of the letters of a reading are Latin, or there are none.
func isLatin(blocks []document.Block) bool {
	latin, others := countLetters(blocks, func(r rune) bool { return unicode.Is(unicode.Latin, r) })
	return latin >= others
}

// foreignShare returns the share of the letters that are not in an alphabet, or 0 if the alphabet is nil.
func foreignShare(blocks []document.Block, known lexicon.Alphabet) float64 {
	own, foreign := countLetters(blocks, func(r rune) bool { return known == nil || known[r] })
	return float64(foreign) / float64(max(own+foreign, 1))
}

// countLetters counts the letters for which in is true, and the other letters.
func countLetters(blocks []document.Block, in func(rune) bool) (inside, outside int) {
	for w := range document.Words(blocks) {
		for _, r := range w.Text {
			switch {
			case !unicode.IsLetter(r):
			case in(r):
				inside++
			default:
				outside++
			}
		}
	}
	return inside, outside
}

// characters counts the characters of all words, without blanks.
func characters(blocks []document.Block) int {
	n := 0
	for w := range document.Words(blocks) {
		n += utf8.RuneCountInString(w.Text)
	}
	return n
}
