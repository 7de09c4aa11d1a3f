// Package hand reads handwriting: it tells from the image, and from how sure two models are of some lines, whether a page
// is written by hand, finds its lines (package lines), and has each read by the model for hands. On a printed page that
// was filled in by hand it reads only what the print's reading left open.
package hand

import (
	"context"
	"image"
	"slices"

	"uncial/impl/ocr/layout"
	"uncial/impl/ocr/lexicon"
	"uncial/impl/ocr/tesseract"
	"uncial/internal/document"
)

// Reader reads single lines.
type Reader interface {
	// ReadStrips reads each image as one line with a model, and returns what it read of each. With Symbols the words
	// hold the recognizer's other choices. Boxes are in pixels of the strip, confidences 0..100.
	ReadStrips(ctx context.Context, model string, strips []*image.Gray, detail tesseract.Detail) ([][]tesseract.Word, error)
}

// Models say what a page is read with.
type Models struct {
	Hand   string           // reads strips of handwriting
	Print  string           // the language's own model, which reads print
	Learnt *lexicon.Lexicon // the word list of Hand; nil where there is none. Only the enhancement asks it
	// InPrint estimates the share of right characters where the model for print has a confidence, 0..1 each. Required by Read.
	InPrint func(own float64) float64
	// Native is true where the caller says that the page is in the language that the model for hands has learnt. What is
	// read of it decides (see french.go); hands in other languages are read as well as the model can, which is badly, and
	// their confidence says so.
	Native bool
	// Enhance corrects readings by the word list.
	Enhance bool
}

// Result is what was read.
type Result struct {
	Blocks []document.Block
	// Confidence estimates the share of the characters that are right, 0..1.
	Confidence float64
	// Edits are the enhancement's, nil without it.
	Edits []document.Edit
}

// Page is a page that may be written by hand.
type Page struct {
	models Models
	gray   *image.Gray
	spots  []image.Rectangle
	wide   float64
	onSide bool
	found  *layout.Page // nil until asked for
	// known are the lines that were read already, by their boxes.
	known map[document.Box]reading
}

// Look takes a page and the boxes of its spots of ink, in pixels of the page.
func Look(gray *image.Gray, spots []image.Rectangle, m Models) *Page {
	return &Page{
		models: m, gray: gray, spots: spots, wide: wideShare(spots), onSide: onSide(spots),
		known: map[document.Box]reading{},
	}
}

// lines are those of the page, found at the first use.
func (p *Page) lines() *layout.Page {
	if p.found == nil {
		p.found = layout.Find(p.gray)
	}
	return p.found
}

// Read reads the page, all of which is written by hand, as Sure has said.
func (p *Page) Read(ctx context.Context, r Reader) (Result, error) {
	readings := make([][]reading, len(p.lines().Blocks))
	var all []reading
	for i, block := range p.lines().Blocks {
		var err error
		if readings[i], err = p.readLines(ctx, r, block); err != nil {
			return Result{}, err
		}
		all = append(all, readings[i]...)
	}
	inPrint, err := p.inPrint(ctx, r, all)
	if err != nil {
		return Result{}, err
	}
	for _, block := range readings {
		for i, l := range block {
			if printed, ok := inPrint[l.at]; ok {
				block[i] = printed
			}
		}
	}
	all = slices.Concat(readings...)
	learnt := french(all, p.models.Native)
	var result Result
	for _, block := range readings {
		p.models.settle(block, learnt)
		result.add(block)
	}
	result.Confidence = p.models.mixedConfidence(all, learnt)
	return result, nil
}

// add appends what was read as a block, or as several where hand and print take turns.
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
		block.Lines = append(block.Lines, l.line)
		block.Box = block.Box.Union(l.line.Box)
		r.Edits = append(r.Edits, l.edits...)
	}
}
