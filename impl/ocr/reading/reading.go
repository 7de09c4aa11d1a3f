// Package reading turns a decoded page into a document. It decides which defects of the picture are corrected, which models
// read the page, which of their readings is kept, and how confident the service is of it.
//
// A page is read by an ordered list of named steps, each with the condition under which it runs; steps.go has the list, and
// experiments.md what each step contributes. A clean page costs one recognition. Further models and sizes are tried only if the first
// reading is in doubt: conditions depend on what was read, never on what the caller says about the page. Options.Without omits
// single steps, for measurements.
//
// The steps use other packages: impl/ocr/imaging for pixels, impl/ocr/hand for lines and handwriting, impl/ocr/correct for
// corrections without the image, and impl/ocr/tesseract. All thresholds of this package are in thresholds.go. Start with File
// and steps.go.
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

// Options say how a page is to be read.
type Options struct {
	// Enhance corrects the reading with other readings of the page and with word lists.
	Enhance bool
	// Language is a BCP 47 tag that one of the source's models reads, or und: the language is then found on each page.
	Language string
	// Preview fills in document.Page.Preview.
	Preview bool
	// Picture fills in document.Page.Picture.
	Picture bool
	// Without names the steps to omit; see Steps. Unknown names have no effect.
	Without []string
	// Evidence, if not nil, is called with the evidence of the words of each page, in reading order: first those of print, then
	// those of handwriting.
	Evidence func(handwritten bool, words []Evidence)
	// Candidates, if not nil, is called with the words of each line of print that the vote reads again, and with the candidates for
	// replacing some of them. The vote then changes nothing.
	Candidates func(line []document.Word, candidates []correct.Candidate)
}

// result is the reading of one page.
type result struct {
	Page document.Page
	// Edits are the corrections, with 0 for the page; nil without Options.Enhance.
	Edits []document.Edit
	// Language is that of Options or, for und, the one that was found: und if nothing was read.
	Language string
}

// readPage reads one page. If ctx ends, it returns ctx's error once the current line is recognized.
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
	for _, steps := range [][]step{lightingSteps, uprightSteps, turningSteps, languageSteps} {
		p.finished = false
		if err := p.run(ctx, steps); err != nil {
			return result{}, err
		}
	}
	p.estimate()
	if p.curtailed {
		p.read.Confidence = min(p.read.Confidence, curtailedConfidence)
	}
	return result{
		Page: document.Page{
			Width: p.gray.Rect.Dx(), Height: p.gray.Rect.Dy(), DPI: decoded.DPI, Rotation: p.rotation,
			Confidence: p.read.Confidence, Blocks: p.read.Blocks, Graphics: p.graphics, Doubts: p.doubts,
		},
		Edits: slices.Concat(p.edits, p.read.Edits), Language: p.language,
	}, nil
}

// page is the state that the steps work on: one page in one orientation.
type page struct {
	options  Options
	src      Source
	language string // tag
	model    string // the language's own
	// languageEvidence is that for a language that was found on the page; see guess.Guess.
	languageEvidence float64

	gray     *image.Gray // as it lies, dark writing on light paper; what is read is in its pixels
	isGray   bool        // gray has more than black and white
	rotation int         // degrees by which gray was turned clockwise

	sheet    sheet
	hands    hands
	isHand   bool    // the whole page is written by hand
	handSure float64 // confidence of the handwriting model in some lines, 0..1; 0 if it was not asked

	isGreek      bool           // a sample shows Greek beside the language's own letters
	isEarly      bool           // a sample shows that the early-print model reads the page best
	attempts     []attempt      // readings of print, the one to keep first
	written      []document.Box // handwriting on a page of print, which the model for print should not have read
	read         hand.Result    // what is returned: attempts[0] on the page, with the handwriting beside it
	edits        []document.Edit
	doubts       []document.Doubt
	graphics     []document.Graphic
	finished     bool          // no further step is needed
	firstReading time.Duration // how long the model took for the first reading of print
	// curtailed means that a step ran out of time, or did not begin for lack of it.
	curtailed bool
}

func newPage(gray *image.Gray, o Options, src Source, model string) *page {
	return &page{options: o, src: src, language: o.Language, model: model, gray: gray}
}
