// Package hand detects handwriting and reads it. It decides whether a page is handwritten, from the shape of its ink and from
// the confidence of two models in some lines. With the handwriting model, it reads the lines that package layout finds. On a
// printed page, it reads what was filled in by hand: ink that the print model could not read.
//
// It neither finds lines (package layout) nor runs models: its callers implement Reader. It reads print only on handwritten
// pages, or a sample of it (Page.SamplePrint). language.go decides whether handwriting is French.
//
// Start with Page.Detect, Page.Read and Page.ReadFilledIn; thresholds.go has every number that was tuned.
package hand

import (
	"context"
	"image"
	"slices"
	"strings"

	"uncial/impl/ocr/layout"
	"uncial/impl/ocr/lexicon"
	"uncial/impl/ocr/tesseract"
	"uncial/internal/document"
)

// Reader finds lines and reads them.
type Reader interface {
	// HandwritingModelsFor returns the names of the models that read handwriting in a language, at least one.
	HandwritingModelsFor(tag string) []string
	// ReadStrips reads each image as one line with a model, and returns the words of each. Boxes are in pixels of the strip,
	// confidences 0..100.
	ReadStrips(ctx context.Context, model string, strips []*image.Gray) ([][]tesseract.Word, error)
	// ReadStripsAgain reads each image with a handwriting model, with the character model of the language if the model has one,
	// and adds the further readings that s requests.
	ReadStripsAgain(ctx context.Context, model string, strips []*image.Gray, s Search) ([]Readings, error)
	// FindLines finds the lines of handwriting on a page whose bounds begin at (0, 0).
	FindLines(ctx context.Context, g *image.Gray) (*layout.Page, error)
}

// Search configures the readings of lines of handwriting.
type Search struct {
	// Known reports whether a word is listed; nil if the language has no word list. It is called from several goroutines.
	Known func(word string) bool
	// Language is the tag of the language whose character models are used.
	Language string
	// Thorough requests that each doubtful line also be read at several widths.
	Thorough bool
}

// Readings are the readings of a strip. First was read with the character model of the language if there is one, and otherwise
// as by ReadStrips; Listed was read with word lists, and Thorough also at several widths. Readings that were not requested, and
// a thorough reading of a line that is not doubtful or is too long, are nil.
type Readings struct{ First, Listed, Thorough []tesseract.Word }

// Models are the models and word lists that a page is read with.
type Models struct {
	Handwriting string // reads strips of handwriting
	// Competing are the handwriting models that compete for the page: the one that is most confident in some lines becomes
	// Handwriting. With fewer than two, Handwriting stays.
	Competing []string
	Print     string // reads print in the page's language
	// Language is the tag of the page's language.
	Language string
	// Known reports whether a word is listed for the page's language; nil if the language has no word list.
	Known func(word string) bool
	// PrintLexicon is the word list of Print, nil if there is none.
	PrintLexicon *lexicon.Lexicon
	// PrintAccuracy estimates the share of characters that are right from the print model's confidence; both are 0..1. Read
	// requires it.
	PrintAccuracy func(own float64) float64
	// TaggedFrench is true if the page is tagged as French. The words that are read may prove otherwise (language.go).
	TaggedFrench bool
	// Enhance requests a thorough reading of each doubtful line of handwriting, and corrections from it.
	Enhance bool
}

// Result is what was read, as blocks in reading order.
type Result struct {
	Blocks []document.Block
	// Confidence estimates the share of the characters that are right, 0..1.
	Confidence float64
	// Edits are the corrections, nil without Models.Enhance.
	Edits []document.Edit
}

// Page is a page that may be handwritten. It caches the lines that were found and read, and must not be used by several
// goroutines at once.
type Page struct {
	models      Models
	gray        *image.Gray
	spots       []image.Rectangle
	joinedShare float64
	onSide      bool
	found       *layout.Page             // nil before the first call of Lines
	known       map[document.Box]reading // lines that have been read, by their boxes
}

// NewPage returns a page. spots are the boxes of its spots of ink in pixels of the page. It does not read anything yet.
func NewPage(gray *image.Gray, spots []image.Rectangle, m Models) *Page {
	return &Page{
		models: m, gray: gray, spots: spots, joinedShare: joinedShare(spots), onSide: isOnSide(spots),
		known: map[document.Box]reading{},
	}
}

// Use replaces the models once the language of the page is known. Lines that were read are kept, unless they were read in
// another language or by another handwriting model, several models will compete, or the language has a word list.
func (p *Page) Use(m Models) {
	if len(m.Competing) > 1 || m.Known != nil || m.Language != p.models.Language || m.Handwriting != p.models.Handwriting {
		clear(p.known)
	}
	p.models = m
}

// Text returns what the handwriting model reads in up to n of the longer lines, spread evenly over the page, one line of text
// for each.
func (p *Page) Text(ctx context.Context, r Reader, n int) (string, error) {
	found, err := p.Lines(ctx, r)
	if err != nil {
		return "", err
	}
	all, err := p.readLines(ctx, r, sample(found.Lines(), n))
	if err != nil {
		return "", err
	}
	var lines []string
	for _, l := range all {
		lines = append(lines, l.line.Text())
	}
	return strings.Join(lines, "\n"), nil
}

// Sample estimates the share of characters that are right if the page is read as handwriting, 0..1, from some of its longer
// lines.
func (p *Page) Sample(ctx context.Context, r Reader) (float64, error) {
	found, err := p.Lines(ctx, r)
	if err != nil {
		return 0, err
	}
	some, err := p.readLines(ctx, r, sample(found.Lines(), samples))
	return pageConfidence(some), err
}

// SamplePrint is like Sample, for a network that reads lines of print, by its name.
func (p *Page) SamplePrint(ctx context.Context, r Reader, network string) (float64, error) {
	found, err := p.Lines(ctx, r)
	if err != nil {
		return 0, err
	}
	_, images := cut(sample(found.Lines(), samples))
	read, err := r.ReadStrips(ctx, network, images)
	if err != nil {
		return 0, err
	}
	return sampleAccuracy(meanConfidence(slices.Concat(read...))), nil
}

// Lines returns the lines of the page, found at the first call. The lines of print on the page are among them.
func (p *Page) Lines(ctx context.Context, r Reader) (*layout.Page, error) {
	if p.found == nil {
		found, err := r.FindLines(ctx, p.gray)
		if err != nil {
			return nil, err
		}
		if found, err = p.strengthen(ctx, r, found); err != nil {
			return nil, err
		}
		p.found = found
	}
	return p.found, nil
}

// Read reads a page that Detect reported as handwritten. The print model reads its lines of print.
func (p *Page) Read(ctx context.Context, r Reader) (Result, error) {
	found, err := p.Lines(ctx, r)
	if err != nil {
		return Result{}, err
	}
	blocks := make([][]reading, len(found.Blocks))
	for i, lines := range found.Blocks {
		if blocks[i], err = p.readLines(ctx, r, lines); err != nil {
			return Result{}, err
		}
	}
	printed, err := p.readPrintedLines(ctx, r, slices.Concat(blocks...))
	if err != nil {
		return Result{}, err
	}
	for _, block := range blocks {
		for i, l := range block {
			if inPrint, ok := printed[l.at]; ok {
				block[i] = inPrint
			}
		}
	}
	for i, block := range blocks {
		blocks[i] = slices.DeleteFunc(block, reading.isNoise)
	}
	all := slices.Concat(blocks...)
	var result Result
	for _, block := range blocks {
		p.models.applyFurtherReadings(block)
		result.add(block)
	}
	result.Confidence = p.models.mixedConfidence(all)
	return result, nil
}

// add appends readings as one block, or as several if handwriting and print alternate.
func (r *Result) add(readings []reading) {
	fresh := true
	for _, l := range readings {
		if len(l.line.Words) == 0 {
			continue
		}
		if last := len(r.Blocks) - 1; fresh || r.Blocks[last].Lines[0].Handwritten != l.line.Handwritten {
			r.Blocks = append(r.Blocks, document.Block{})
		}
		fresh = false
		block := &r.Blocks[len(r.Blocks)-1]
		*block = document.BlockOf(append(block.Lines, l.line))
		r.Edits = append(r.Edits, l.edits...)
	}
}
