// Package reading turns decoded pages into a document. It decides which defects of the image are corrected, which models read a
// page, which of their readings is kept, and how confident the result is.
//
// A page is read by an ordered list of named steps, each with a condition under which it runs; steps.go has the list, and
// experiments.md the effect of each step. Tesseract reads a clean page once, and in Latin script our network reads its lines
// too. Other models and sizes are tried only if the first reading is in doubt: the conditions depend on what was read. The
// language tag selects the models and word lists. Beyond that, it counts in one place: on a page tagged French, package hand
// accepts less evidence of handwriting. Options.Without omits individual steps, for measurements.
//
// The steps use other packages: imaging for pixels, layout for columns and reading order, hand for handwriting, correct for
// corrections of print, and tesseract to run its models. The thresholds of this package are in the files thresholds*.go. Start
// with File and steps.go.
package reading

import (
	"context"
	"fmt"
	"image"
	"slices"
	"time"

	"uncial/impl/ocr/correct"
	"uncial/impl/ocr/decode"
	"uncial/impl/ocr/hand"
	"uncial/impl/ocr/imaging"
	"uncial/internal/document"
	tags "uncial/internal/language"
)

// Options configure a reading.
type Options struct {
	// Enhance requests corrections from other readings of the page and from word lists.
	Enhance bool
	// Language is a BCP 47 tag that one of the source's models reads, or und, with which the language of each page is detected.
	Language string
	// Preview requests document.Page.Preview.
	Preview bool
	// Picture requests document.Page.Picture.
	Picture bool
	// Without has the names of the steps to omit; see Steps. Unknown names have no effect.
	Without []string
	// Evidence, if not nil, is called twice for each page, with the evidence of its words in reading order: first for print,
	// then for handwriting.
	Evidence func(handwritten bool, words []Evidence)
	// Candidates, if not nil, is called with the words of each line of print that the step "vote" reads again or, without Enhance,
	// that the step "network" reads, and with the candidates for replacing some of them. Then that step does not correct anything.
	Candidates func(line []document.Word, candidates []correct.Candidate)
	// Changed, if not nil, is called with the name of each step that changes the state of a page, in any orientation. Leaving out
	// a step that is never reported does not change the result, unless it chose the handwriting model, or the time ran out.
	Changed func(step string)
}

// result is the reading of one page.
type result struct {
	Page document.Page
	// Edits are the corrections, with page 0; nil without Options.Enhance.
	Edits []document.Edit
	// Language is that of Options, or the detected language if that is und. It is und if nothing was read.
	Language string
}

// readPage reads one page. If ctx ends, it returns ctx's error as soon as the current line is recognized.
func readPage(ctx context.Context, decoded decode.Page, o Options, src Source) (result, error) {
	model := ""
	switch names := src.For(o.Language); {
	case o.Language == tags.Undetermined:
		model = generalModel(src)
	case len(names) > 0:
		model = names[0]
	}
	if model == "" {
		return result{}, fmt.Errorf("reading: no installed model reads language %q", o.Language)
	}
	p := newPage(imaging.FromImage(decoded.Image), o, src, model)
	for _, steps := range [][]step{lightingSteps, pageSteps, turningSteps, languageSteps, facingSteps} {
		p.finished = false
		if err := p.run(ctx, steps); err != nil {
			return result{}, err
		}
	}
	p.estimate()
	separateWords(p.read.Blocks, p.edits, p.read.Edits)
	if p.curtailed {
		p.read.Confidence = min(p.read.Confidence, curtailedConfidence)
	}
	size := p.gray.Rect.Size()
	if p.slant != nil {
		size = p.slant.image
		p.onImage()
	}
	return result{
		Page: document.Page{
			Width: size.X, Height: size.Y, DPI: decoded.DPI, Rotation: p.rotation,
			Confidence: p.read.Confidence, Blocks: p.read.Blocks, Graphics: p.graphics, Doubts: p.doubts,
		},
		Edits: slices.Concat(p.edits, p.read.Edits), Language: p.language,
	}, nil
}

// page is the state of the steps: one page in one orientation.
type page struct {
	options  Options
	src      Source
	language string // BCP 47 tag
	model    string // the language's own
	// languageEvidence is the evidence for a language that was detected on the page; see guess.Guess.
	languageEvidence float64
	// ownLetters replaces letters that the language of the print lacks; nil if that is not known.
	ownLetters *ownLetters

	gray     *image.Gray // the page in this orientation, dark writing on light paper
	isGray   bool        // gray has more than black and white
	rotation int         // clockwise rotation of gray in degrees
	slant    *slant      // the place of gray on the image, nil if it is the whole image

	sheet         sheet
	handwriting   handwriting
	isHandwritten bool // the whole page is written by hand
	// handwritingConfidence is the confidence of the handwriting model, 0..1: in some lines, or in the whole page if that was
	// first read as print; 0 if it did not read any.
	handwritingConfidence float64

	isGreek      bool           // a sample shows Greek in addition to the language's own letters
	isEarly      bool           // a sample shows that the early-print model reads the page best
	attempts     []attempt      // readings of print, the one to keep first
	initials     []initial      // those that were joined to their words
	written      []document.Box // handwriting on a printed page, which the print model should not have read
	networkTrust float64        // how well the network for print reads the page; see correct.NetworkTrust
	networks     []string       // the networks for print that read the page; none before the step "network"
	alongFound   bool           // the network for print has read the page along the lines of our own line finder
	isGibberish  bool           // the text read as print is gibberish; see findGibberish
	read         hand.Result    // the result: attempts[0] in coordinates of the page, with the handwriting
	edits        []document.Edit
	illegible    []document.Doubt // parts with text that could not be read
	doubts       []document.Doubt
	graphics     []document.Graphic
	cut          int           // x of the gutter between facing pages that were separated, or 0
	finished     bool          // no further step is needed
	firstReading time.Duration // duration of the first reading of print
	isPartial    bool          // the first reading of print ran out of time and has only some of the lines
	// curtailed means that a step ran out of time, or was skipped because too little time was left.
	curtailed bool
}

// newPage returns the state of a page in one orientation before the first step. gray shows the page in that orientation.
func newPage(gray *image.Gray, o Options, src Source, model string) *page {
	return &page{options: o, src: src, language: o.Language, model: model, gray: gray}
}
