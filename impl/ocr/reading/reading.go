// Package reading turns a decoded page into a document: how the image is prepared, which models read it, which of
// their readings is kept, and what the confidence in it is.
//
// A page is read once with the model of its language. What follows depends on what that reading shows, never on what
// the file is called: words in Greek letters bring in the Greek model, doubt brings in the model for early print, and
// the surer reading is kept (see choose.go). So a clean page costs one reading. Lines that the layout analysis tore
// apart are joined, what is no writing is dropped, and ink that no word holds is read by itself (see missed.go).
package reading

import (
	"context"
	"fmt"
	"image"

	"uncial/impl/ocr/decode"
	"uncial/impl/ocr/hand"
	"uncial/impl/ocr/imaging"
	"uncial/internal/document"
)

// Options say how a page is to be read.
type Options struct {
	// Enhance runs the enhancement after the reading.
	Enhance bool
	// Language is a tag for which the source has a model.
	Language string
}

// Result is one page as it was read.
type Result struct {
	Page document.Page
	// Edits are what the enhancement changed, in reading order, with 0 for the page; nil without Options.Enhance.
	Edits []document.Edit
}

// Read reads one page. When ctx ends it returns ctx's error at the next line of text.
func Read(ctx context.Context, page decode.Page, o Options, src Source) (Result, error) {
	names := src.For(o.Language)
	if len(names) == 0 {
		return Result{}, fmt.Errorf("reading: no installed model reads %s", o.Language)
	}
	gray := imaging.Positive(imaging.Bright(imaging.FromImage(page.Image)))
	result, seen, err := readUpright(ctx, page, gray, o, src, names[0])
	if err != nil {
		return result, err
	}
	quarters, err := seen.turns(ctx, src, o, names[0], result.Page.Confidence)
	if err != nil || quarters == 0 {
		return result, err
	}
	turned, _, err := readUpright(ctx, page, imaging.Turn(gray, quarters), o, src, names[0])
	turned.Page.Rotation = 90 * quarters
	return turned, err
}

// readUpright reads a page as it lies.
func readUpright(ctx context.Context, page decode.Page, gray *image.Gray, o Options, src Source, model string) (Result, look, error) {
	l := look{gray: gray, sheet: prepare(gray)}
	if l.sheet.blank {
		return newResult(page, gray, hand.Result{}), l, nil
	}
	hands := lookForHands(src, o, model, gray, l.sheet.letters)
	var err error
	if l.sure, l.isHand, err = hands.sure(ctx); err == nil && l.isHand {
		l.isHand, err = hands.alone(ctx, src, gray, model)
	}
	if err != nil {
		return Result{}, l, err
	}
	if l.isHand {
		read, err := hands.page.Read(ctx, hands.reader)
		return newResult(page, gray, read), l, err
	}
	src = l.sheet.source(src)
	attempts, err := readings(ctx, src, l.sheet, model, o.Enhance)
	if err != nil {
		return Result{}, l, err
	}
	read, err := hands.complete(ctx, src, l.sheet, &attempts[0], nil)
	if written := handBoxes(read.Blocks); err == nil && prefer(attempts, l.sheet, written) {
		read, err = hands.complete(ctx, src, l.sheet, &attempts[0], written)
	}
	if err == nil && o.Enhance { // last, so that what is read is what is read without it
		read.Edits = append(correctPrint(src, l.sheet, attempts, model, read.Blocks), read.Edits...)
	}
	return newResult(page, gray, read), l, err
}

func newResult(page decode.Page, gray *image.Gray, read hand.Result) Result {
	return Result{
		Page: document.Page{
			Width: gray.Rect.Dx(), Height: gray.Rect.Dy(), DPI: page.DPI, Confidence: read.Confidence, Blocks: read.Blocks,
		},
		Edits: read.Edits,
	}
}
