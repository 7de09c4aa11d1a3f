package reading

import (
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"image"
	"runtime"
	"slices"
	"time"

	"uncial/impl/ocr/imaging"
	"uncial/impl/ocr/timing"
	"uncial/internal/document"
)

// step is one stage of reading a page.
type step struct {
	name string
	// when reports whether the page needs the step. Nil means always.
	when func(*page) bool
	run  func(context.Context, *page) error
	// required steps cannot be left out.
	required bool
	// rereads means that the step reads the whole page with a model again.
	rereads bool
}

// channelStep and stampsStep choose the colour channel of a file, and erase stamps from it, before its page becomes grey; see
// gray.
const channelStep, stampsStep = "channel", "stamps"

// leadersStep restores the leaders that findInk erases. Without it, they are not erased either.
const leadersStep = "leaders"

// lightingSteps work on the pixels as they were decoded.
var lightingSteps = []step{
	{name: "descreen", run: onGray(imaging.Descreen)},
	{name: "brighten", run: onGray(imaging.Brighten)},
	{name: "negative", run: onGray(imaging.InvertNegative)},
}

// inkSteps prepare the sheet that the models read, and find its ink. A page in black and white has no surroundings, shadows or
// grain.
var inkSteps = []step{
	{name: "measure", run: measure, required: true},
	{name: "seam", when: isGray, run: onSheet(imaging.EvenSides)},
	{name: "surroundings", when: isGray, run: onSheet(imaging.WhitenSurroundings)},
	{name: "denoise", when: isGray, run: onSheet(imaging.Denoise)},
	{name: "shading", when: isGray, run: onSheet(imaging.Flatten)},
	{name: "grain", when: isGray, run: onSheet(imaging.DropGrain)},
	{name: "ink", run: findInk, required: true},
	{name: "specks", when: mayHoldSpecks, run: eraseSpecks},
	{name: "fragments", when: isGray, run: joinFragments},
}

// levelSteps make the lines of the sheet level and straight, and divide it into columns.
var levelSteps = []step{
	{name: "enlarge", when: hasSmallLetters, run: enlarge},
	{name: "level", when: mayBeRotated, run: level},
	{name: "dewarp", when: hasLetterHeight, run: dewarp},
	{name: "staves", when: hasLetterHeight, run: eraseStaves},
	{name: "strikes", when: mayHoldStrikes, run: eraseStrikes},
	{name: "resolution", when: hasLetterHeight, run: estimateResolution},
	columnsStep,
}

// columnsStep runs again in readFading.
var columnsStep = step{name: "columns", when: hasLetterHeight, run: findColumns}

// recognizeSteps read the page as handwriting, or as print with the models that suit it.
var recognizeSteps = []step{
	{name: "language", when: isUndetermined, run: findLanguage, required: true},
	{name: "handwriting", when: mayHoldHandwriting, run: readHandwriting},
	{name: "sample", when: mayBeSampled, run: sampleModels},
	{name: "print", run: readPrint, required: true},
	unreadStep,
	greekStep,
	{name: "early-print", when: needsOtherModel, run: tryOtherModel, rereads: true},
}

// unreadStep runs for each reading of print, before readings are compared.
var unreadStep = step{name: "unread", when: hasLetterHeight, run: readUnread}

// greekStep runs again in readFading.
var greekStep = step{name: "greek", when: mayHoldGreek, run: addGreek}

// tidySteps work on each new reading of print.
var tidySteps = []step{
	{name: "scraps", run: dropFalseText},
	{name: "torn-lines", run: joinTornLines},
	{name: "order", run: putInOrder},
	{name: "confidence", run: estimateConfidence, required: true},
}

// completeSteps add to the best reading what it lacks. They run again if "rechoose" finds that another reading is better.
var completeSteps = []step{
	{name: "missed", when: isLegible, run: recoverMissed},
	{name: "large-type", when: mayHoldLargeType, run: readLargeType},
	{name: "faint", when: isLegible, run: readFaint},
	{name: "initials", when: hasLetterHeight, run: joinInitials},
	{name: "ditto-marks", when: hasLetterHeight, run: readDittoMarks},
	{name: "margin-headings", when: isPrint, run: placeHeadings},
	{name: "letters", run: writeOwnLetters},
	{name: "place", run: placeOnPage, required: true},
	{name: "fill-in", when: mayHoldHandwriting, run: addHandwriting},
}

// correctSteps come last, so that enhancement does not influence the earlier steps.
var correctSteps = []step{
	{name: "found-lines", when: mayHaveLostLines, run: readFoundLines},
	{name: "gibberish", run: findGibberish},
	{name: "network", when: mayUseNetwork, run: voteByNetwork},
	{name: "numbers", when: isPrint, run: divideNumbers},
	{name: "vote", when: mayBeCorrected, run: vote},
	{name: "long-s", when: mayBeCorrected, run: repairLongS},
	{name: leadersStep, when: hasLeaders, run: restoreLeaders},
	{name: "known-words", when: isEnhanced, run: markKnown, required: true},
}

// partialSteps replace all steps after a first reading that ran out of time. They do not run models.
var partialSteps = []step{
	{name: "scraps", run: onReadings(dropScraps)},
	{name: "confidence", run: estimateConfidence, required: true},
	{name: "letters", run: writeOwnLetters},
	{name: "place", run: placeOnPage, required: true},
	{name: "gibberish", run: findGibberish},
	{name: leadersStep, when: hasLeaders, run: restoreLeaders},
	{name: "known-words", when: isEnhanced, run: markKnown, required: true},
}

// pageSteps read an image of a page in its own orientation.
var pageSteps = slices.Concat(inkSteps, []step{{name: "slant", when: hasLetterHeight, run: levelSlanted}}, levelledSteps)

// uprightSteps read a page, or a part of it, that is not slanted.
var uprightSteps = slices.Concat(inkSteps, levelledSteps)

// levelledSteps follow once the ink of a page that is not slanted has been found.
var levelledSteps = slices.Concat(levelSteps, recognizeSteps, tidySteps,
	[]step{
		{name: "unsure-print", when: isUnsurePrint, run: readUnsurePrint},
		{name: "fading", when: isPrint, run: readFading, rereads: true},
		{name: "resize", when: isDoubtful, run: tryOtherSize, rereads: true},
	},
	completeSteps,
	[]step{
		{name: "rechoose", when: foundHandwriting, run: rechooseModel},
		{name: "doubtful-side", when: mayHoldHandwrittenSide, run: readDoubtfulSide},
		{name: "doubtful-print", when: isDoubtfulPrint, run: readDoubtfulPrint},
		{name: "facing", when: foundHandwriting, run: separateFacing},
		{name: "graphics", when: isPrint, run: findGraphics},
	},
	correctSteps)

// turningSteps read a page again in another orientation if it seems to lie on its side or upside down.
var turningSteps = []step{{name: "turn", when: isWhole, run: turnUpright}}

// languageSteps read a page again in another language if its language was in doubt and the whole text shows that language.
var languageSteps = []step{{name: "second-language", when: isLanguageDoubtful, run: readInOtherLanguage, rereads: true}}

// facingSteps read two facing pages of which one is print and the other handwriting once more, each on its own.
var facingSteps = []step{{name: "halves", when: isFacing, run: readHalves, rereads: true}}

// Steps returns the names of the steps that can be left out, in order. "vote" and "long-s" run only with Options.Enhance.
func Steps() []string {
	names := []string{channelStep, stampsStep}
	for _, s := range slices.Concat(lightingSteps, pageSteps, turningSteps, languageSteps, facingSteps) {
		if !s.required {
			names = append(names, s.name)
		}
	}
	return names
}

// run runs the steps that the page needs, in their order, until one finishes the page or fails.
func (p *page) run(ctx context.Context, steps []step) error {
	for _, s := range steps {
		if p.finished {
			return nil
		}
		if !s.required && slices.Contains(p.options.Without, s.name) || s.when != nil && !s.when(p) {
			continue
		}
		if err := p.runStep(ctx, s); err != nil {
			return err
		}
	}
	return nil
}

// runStep runs a step within its share of the time. If an optional step runs out of time, the page keeps the reading of the
// earlier steps and the lines that this step has already replaced.
func (p *page) runStep(ctx context.Context, s step) error {
	defer timing.Begin(ctx, s.name)()
	if p.options.Changed != nil {
		before, state := *p, p.state() // before keeps its images, so that no new image gets the address of an old one
		defer func() {
			if p.state() != state {
				p.options.Changed(s.name)
			}
			runtime.KeepAlive(&before)
		}()
	}
	if s.required {
		return s.run(ctx, p)
	}
	within, cancel := withShare(ctx, stepShare)
	defer cancel()
	if s.rereads && !hasTimeFor(within, p.firstReading) {
		p.curtailed = true
		return nil
	}
	before := *p
	before.attempts = slices.Clone(p.attempts)
	err := s.run(within, p)
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		*p = before
		p.curtailed = true
		return nil
	}
	return err
}

// state describes the page: the descriptions before and after a step differ if the step changed anything that later steps
// depend on. Images that a page refers to appear with their addresses, and those that steps change with their pixels too. The
// lines of handwriting that a step has read, and which of several models it chose for them, do not appear.
func (p *page) state() string {
	sum := crc32.ChecksumIEEE(p.gray.Pix)
	if p.sheet.img != nil {
		sum = crc32.Update(sum, crc32.IEEETable, p.sheet.img.Pix)
	}
	return fmt.Sprintf("%x %+v", sum, *p)
}

// withShare returns a context that ends after a share of the remaining time.
func withShare(ctx context.Context, share float64) (context.Context, context.CancelFunc) {
	end, bounded := ctx.Deadline()
	if !bounded {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, time.Duration(float64(time.Until(end))*share))
}

// hasTimeFor reports whether work of that duration would end before the deadline of the context. Tesseract's layout analysis
// cannot be interrupted, so a reading must not begin without the time for it.
func hasTimeFor(ctx context.Context, length time.Duration) bool {
	end, bounded := ctx.Deadline()
	return !bounded || time.Until(end) >= length
}

// onGray turns a function of the whole image into a step.
func onGray(f func(*image.Gray) *image.Gray) func(context.Context, *page) error {
	return func(_ context.Context, p *page) error {
		p.gray = f(p.gray)
		return nil
	}
}

// onSheet turns a function of the image that the models read into a step.
func onSheet(f func(*image.Gray) *image.Gray) func(context.Context, *page) error {
	return func(_ context.Context, p *page) error {
		p.sheet.img = f(p.sheet.img)
		return nil
	}
}

// onReadings turns a function of the blocks of a reading into a step. It applies to readings that are not tidy yet.
func onReadings(f func([]document.Block) []document.Block) func(context.Context, *page) error {
	return func(_ context.Context, p *page) error {
		for i := range p.attempts {
			if a := &p.attempts[i]; !a.tidy {
				a.blocks = f(a.blocks)
			}
		}
		return nil
	}
}

// isGray reports whether the page has greys; a page in black and white needs no preparation of its greys.
func isGray(p *page) bool { return p.isGray }

// mayHoldSpecks reports whether the page is in black and white, so that specks are as dark as letters.
func mayHoldSpecks(p *page) bool { return !p.isGray && hasLetterHeight(p) }

// isWhole reports whether no step ran out of time.
func isWhole(p *page) bool    { return !p.curtailed }
func isEnhanced(p *page) bool { return p.options.Enhance }

// mayBeCorrected reports whether the enhancement may correct print on the page.
func mayBeCorrected(p *page) bool { return isEnhanced(p) && !p.isGibberish }
