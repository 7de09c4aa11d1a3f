package reading

import (
	"context"
	"image"
	"slices"

	"golang.org/x/text/language"

	"uncial/impl/ocr/correct"
	"uncial/impl/ocr/hand"
	"uncial/impl/ocr/imaging"
	"uncial/impl/ocr/models/own"
	"uncial/internal/document"
	tags "uncial/internal/language"
)

// handwriting is the search for handwriting on a page, with the source of its models. Its page is nil if no handwriting model
// is installed, or the language is not written in Latin letters.
type handwriting struct {
	page   *hand.Page
	reader hand.Reader
}

// newHandwriting prepares the search for handwriting on an image: the page, or the page in another orientation. letters are
// the letter-shaped components of the image.
func newHandwriting(p *page, gray *image.Gray, letters []image.Rectangle) handwriting {
	reader, ok := p.src.(hand.Reader)
	if !ok || !p.src.Has(own.Hands) || !isLatinScript(p.language) {
		return handwriting{}
	}
	return handwriting{reader: reader, page: hand.NewPage(gray, letters, handwritingModels(p, reader))}
}

// handwritingModels returns the models that read handwriting in the language of the page.
func handwritingModels(p *page, reader hand.Reader) hand.Models {
	models := hand.Models{
		Handwriting: own.Hands, Print: p.model, Language: p.language, TaggedFrench: isFrench(p.language),
		PrintLexicon:  p.src.Lexicon(p.model),
		PrintAccuracy: func(own float64) float64 { return logistic(curve(own, p.model)) },
		Competing:     reader.HandwritingModelsFor(p.language),
		Enhance:       isEnhanced(p),
	}
	if lists := p.handwritingLists(); len(lists) > 0 {
		models.Known = lists.Known
	}
	return models
}

// handwritingLists returns the word lists that handwriting in the language of the page is compared with. French has the most:
// the list of the model for early print is mostly French. Latin has none, because its hands abbreviate most words.
func (p *page) handwritingLists() correct.Lexicons {
	names := p.src.For(p.language)
	switch {
	case isLanguage(p.language, "la"):
		return nil
	case isFrench(p.language):
		names = slices.Concat(names, p.src.For("fr"), p.src.For("frm"), []string{own.EarlyPrint})
	}
	var lists correct.Lexicons
	for _, name := range slices.Compact(slices.Sorted(slices.Values(names))) {
		if l := p.src.Lexicon(name); l != nil {
			lists = append(lists, l)
		}
	}
	return lists
}

// confidence returns the confidence of the handwriting model in a sample of lines, 0..1, and reports whether the whole page is
// handwritten. Without a handwriting model, it returns 0 and false.
func (h handwriting) confidence(ctx context.Context) (float64, bool, error) {
	if h.page == nil {
		return 0, false, nil
	}
	return h.page.Detect(ctx, h.reader)
}

// isLatinScript reports whether a language is written in Latin letters, as far as is known.
func isLatinScript(tag string) bool {
	return tag == tags.Undetermined || tags.Script(tag) == latin
}

// isFrench reports whether a tag is French of any region and time.
func isFrench(tag string) bool { return isLanguage(tag, "fr", "frm", "fro") }

// isLanguage reports whether a tag names one of some languages, in any region and script; "und" matches tags of a script alone.
func isLanguage(tag string, languages ...string) bool {
	parsed, err := language.Parse(tag)
	if err != nil {
		return false
	}
	base, _, _ := parsed.Raw() // Base guesses English for und-Latn
	return slices.Contains(languages, base.String())
}

// mayHoldHandwriting reports whether a handwriting model is installed that reads the language of the page.
func mayHoldHandwriting(p *page) bool { return p.handwriting.page != nil }

// readHandwriting reads a page that is handwritten throughout, and finishes it, unless so few characters are likely to be right
// that the page may be print.
func readHandwriting(ctx context.Context, p *page) (err error) {
	if p.handwritingConfidence, p.isHandwritten, err = p.handwriting.confidence(ctx); err != nil || !p.isHandwritten {
		return err
	}
	if p.isHandwritten, err = isOnlyHandwriting(ctx, p); err != nil || !p.isHandwritten {
		return err
	}
	if p.read, err = p.handwriting.page.Read(ctx, p.handwriting.reader); err != nil {
		return err
	}
	if p.read.Confidence < doubtfulHandwriting {
		isPrint, err := isSpoiltPrint(ctx, p)
		if err != nil {
			return err
		}
		p.isHandwritten = !isPrint
	}
	p.finished = p.isHandwritten
	return nil
}

// isOnlyHandwriting reports whether no part of a page of handwriting is print. A part that looks like print is read as such.
func isOnlyHandwriting(ctx context.Context, p *page) (bool, error) {
	part, err := p.handwriting.page.PrintedPart(ctx, p.handwriting.reader)
	if err != nil || part.Empty() {
		return true, err
	}
	a, err := recognize(ctx, p.src, imaging.Crop(p.gray, part), 0, p.model)
	return a.confidence < minPrintConfidence, err
}

// placeOnPage turns the best reading of print into the result.
func placeOnPage(_ context.Context, p *page) error {
	if len(p.written) > 0 {
		p.attempts[0] = p.withoutHandwriting(p.attempts[0])
	}
	p.read = hand.Result{Blocks: p.sheet.onPage(p.attempts[0].blocks), Confidence: p.attempts[0].right}
	calibrate(p.read.Blocks)
	return nil
}

// addHandwriting reads handwriting on a printed page, and inserts it into the reading of the print.
func addHandwriting(ctx context.Context, p *page) error {
	filled, ok, err := p.handwriting.page.ReadFilledIn(ctx, p.handwriting.reader, p.read)
	if err == nil && ok {
		p.read = filled
	}
	return err
}

// foundHandwriting reports whether handwriting was read beside print.
func foundHandwriting(p *page) bool { return len(handwrittenBoxes(p.read.Blocks)) > 0 }

// rechooseModel chooses again between the language's own model and the early-print model, by their readings of the print alone,
// because their readings of handwriting do not show which of them is better. If the choice changes, the page is completed
// again.
func rechooseModel(ctx context.Context, p *page) error {
	first := p.attempts[0]
	other := slices.IndexFunc(p.attempts, func(a attempt) bool { return a.model != first.model })
	if other < 0 {
		return nil
	}
	p.written = handwrittenBoxes(p.read.Blocks)
	isEarly := first.model == earlyPrint
	own, early := p.withoutHandwriting(first), p.withoutHandwriting(p.attempts[other])
	if isEarly {
		own, early = early, own
	}
	if early.model != earlyPrint || prefersEarly(own, early) == isEarly {
		return nil
	}
	p.attempts[0], p.attempts[other] = p.attempts[other], p.attempts[0]
	return p.run(ctx, completeSteps)
}

// withoutHandwriting returns a reading without the words that lie in handwriting, and with the confidence of the others.
func (p *page) withoutHandwriting(a attempt) attempt {
	isWritten := func(at image.Rectangle) bool {
		return slices.ContainsFunc(p.written, func(b document.Box) bool { return imaging.Middle(at).In(b.Rectangle()) })
	}
	blocks := deleteWords(a.blocks, func(w document.Word) bool { return isWritten(p.sheet.boxOnPage(w.Box).Rectangle()) })
	letters := 0
	for _, l := range p.sheet.letters {
		if !isWritten(l) {
			letters++
		}
	}
	a.blocks, a.confidence = blocks, meanConfidence(blocks)
	a.unreadLetters = max(a.unreadLetters-(len(p.sheet.letters)-letters), 0)
	a.estimate(letters)
	return a
}

// handwrittenBoxes returns the boxes of the lines that were read as handwriting.
func handwrittenBoxes(blocks []document.Block) []document.Box {
	var boxes []document.Box
	for line := range document.Lines(blocks) {
		if line.Handwritten {
			boxes = append(boxes, line.Box)
		}
	}
	return boxes
}

// isUnsurePrint reports whether text that was read as print may be handwriting, whatever the shape of its ink: some characters
// are likely to be wrong, and no print model is sure of any line.
func isUnsurePrint(p *page) bool {
	return mayHoldHandwriting(p) && p.attempts[0].right < unsurePrint && !slices.ContainsFunc(p.attempts, hasSureLine)
}

// hasSureLine reports whether the model of a reading is sure of a line, by its own confidence.
func hasSureLine(a attempt) bool {
	for l := range document.Lines(a.blocks) {
		if meanWordConfidence(l.Words) >= surePrintLine {
			return true
		}
	}
	return false
}

// readUnsurePrint reads a page as handwriting, and finishes it if that reading is likely to have more correct characters.
func readUnsurePrint(ctx context.Context, p *page) error {
	err := readAsHandwriting(ctx, p, p.attempts[0].right)
	p.finished = p.isHandwritten
	return err
}

// isDoubtfulPrint reports whether text that was read as print may be handwriting although some lines look like print: less than
// doubtfulPrint of it is likely to be right, with the handwriting that was found on the page or without it. Print that the
// preparation has spoilt may look like handwriting.
func isDoubtfulPrint(p *page) bool {
	return mayHoldHandwriting(p) &&
		(p.read.Confidence < doubtfulPrint || foundHandwriting(p) && p.attempts[0].right < doubtfulPrint)
}

// readDoubtfulPrint reads a page as handwriting. Unlike readUnsurePrint, it does not finish the page: the later steps still
// run.
func readDoubtfulPrint(ctx context.Context, p *page) error {
	return readAsHandwriting(ctx, p, p.read.Confidence)
}

// readAsHandwriting reads the whole page as handwriting, and keeps that reading if its estimated share of correct characters is
// high enough beside inPrint, that of the print.
func readAsHandwriting(ctx context.Context, p *page, inPrint float64) error {
	read, ok, err := p.readIfHandwriting(ctx, p.handwriting, inPrint)
	if err == nil && ok {
		p.read, p.isHandwritten, p.handwritingConfidence = read, true, read.Confidence
	}
	return err
}

// readIfHandwriting reads some lines as handwriting, and all of them if their estimated share of correct characters is well
// above inPrint, that of the print, or above betterThanIllegible beside sure lines of print, as on a form, if hardly half of
// the print is right; and if the network for print is not far surer of the lines. It reports whether the estimate of all lines
// is as high too; otherwise the result is not to be used. Print that is upside down has no sure lines.
func (p *page) readIfHandwriting(ctx context.Context, h handwriting, inPrint float64) (hand.Result, bool, error) {
	least := max(likelyHandwriting, inPrint+handwritingLead)
	if inPrint < illegiblePrint && slices.ContainsFunc(p.attempts, hasSureLine) {
		least = betterThanIllegible
	}
	sure, err := h.page.Sample(ctx, h.reader)
	if err != nil || sure < least {
		return hand.Result{}, false, err
	}
	if p.src.Has(own.Print) {
		inNetwork, err := h.page.SamplePrint(ctx, h.reader, own.Print)
		if err != nil || logOdds(inNetwork)-logOdds(sure) >= networkLead {
			return hand.Result{}, false, err
		}
	}
	read, err := h.page.Read(ctx, h.reader)
	return read, read.Confidence >= least, err
}
