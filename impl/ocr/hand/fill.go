package hand

import (
	"context"
	"image"
	"image/color"
	"image/draw"

	"uncial/impl/ocr/imaging"
	"uncial/impl/ocr/layout"
	"uncial/internal/document"
)

// handwritingSearch is the search for handwriting on a printed page, among the ink that no certain word of print covers (open
// spots).
type handwritingSearch struct {
	*Page
	// french is true if the search is for French handwriting. Then the model's confidence shows whether a line is handwriting;
	// in other languages, only the shape of the letters does.
	french bool
	// joined holds, for the words of lines that were read as print but look handwritten, the share of joined letters in their
	// line, by the word's box.
	joined map[document.Box]float64
	// hasHandwriting is true if there are several such lines.
	hasHandwriting bool
	// proven is true once handwriting has been read on the page. Then lines of separate letters may be handwriting too.
	proven bool
}

// ReadFilledIn adds handwriting to the reading of a printed page, such as a form that was filled in. The reading must have
// calibrated confidences and no edits. If there is no handwriting, it reports false, and the reading is unchanged. Handwriting
// counts as French if its words prove it, or if the page is tagged French and its words do not disprove it. In other languages,
// most of its letters must be joined, or both models together must prove that its line is handwriting (isClear).
func (p *Page) ReadFilledIn(ctx context.Context, r Reader, inPrint Result) (Result, bool, error) {
	for _, french := range []bool{true, false} {
		if french && !p.models.TaggedFrench && !p.leavesJoinedLetters(inPrint.Blocks) {
			continue
		}
		f := handwritingSearch{Page: p, french: french, joined: map[document.Box]float64{}}
		filled, err := f.read(ctx, r, inPrint.Blocks)
		if err != nil {
			return Result{}, false, err
		}
		proven := isFrench(filled, p.models.TaggedFrench)
		if inPrint.Confidence >= wellRead && f.newWords(filled, inPrint.Blocks) < minFilledWords {
			continue
		}
		if len(filled) > 0 && (proven || !french) {
			return f.merge(inPrint, filled), true, nil
		}
	}
	f := handwritingSearch{Page: p}
	lines, err := f.readClear(ctx, r, inPrint.Blocks)
	if err != nil || len(lines) == 0 {
		return Result{}, false, err
	}
	return f.merge(inPrint, lines), true, nil
}

// newWords returns the number of words in readings that cover no print, or only print that is unlikely to be right. The other
// words are more often print than handwriting.
func (p *handwritingSearch) newWords(all []reading, inPrint []document.Block) int {
	n := 0
	for _, r := range all {
		if p.printConfidence(inPrint, r.line.Box) < minHandwriting {
			n += len(r.line.Words)
		}
	}
	return n
}

// leavesJoinedLetters reports whether the open spots have enough joined letters to be French handwriting. It uses only the
// spots that are known already, so that most printed pages cost nothing.
func (p *Page) leavesJoinedLetters(inPrint []document.Block) bool {
	f := handwritingSearch{Page: p}
	open := outside(p.spots, f.certainWords(inPrint))
	return len(open) >= minWords && joinedShare(open) >= openLetters
}

// read reads the handwriting among the open spots, and returns the readings that are more confident than the print there. It
// finds lines on the whole page first. If these show handwriting, it finds lines again with the print painted over, because
// printed lines between them may be closer together than the handwritten ones.
func (p *handwritingSearch) read(ctx context.Context, r Reader, inPrint []document.Block) ([]reading, error) {
	all := p.spots
	if p.french {
		all = layout.Spots(p.gray)
	}
	p.markJoined(inPrint, all)
	certain := p.certainWords(inPrint)
	open := outside(all, certain)
	if len(open) < openSpots || joinedShare(open) < p.minOpenShare(len(open), len(all)) {
		return nil, nil
	}
	filled, err := p.readOpen(ctx, r, inPrint, open, certain)
	if err != nil || !p.french || len(filled) == 0 || !isFrench(filled, p.models.TaggedFrench) {
		return filled, err
	}
	p.proven = true
	whole := p.found
	defer func() { p.found = whole }() // other readings need the lines of the print too
	if p.found, err = r.FindLines(ctx, covered(p.gray, certain)); err != nil {
		return nil, err
	}
	again, err := p.readOpen(ctx, r, inPrint, open, certain)
	if err == nil && expectedCorrect(again) < expectedCorrect(filled) {
		return filled, nil
	}
	return again, err
}

// readOpen reads the parts of lines that look handwritten. On a page that is not tagged French, a search for French handwriting
// reads the longest parts first, and the others only if these may be French.
func (p *handwritingSearch) readOpen(ctx context.Context, r Reader, inPrint []document.Block, open []image.Rectangle, certain []document.Box) ([]reading, error) {
	found, err := p.Lines(ctx, r)
	if err != nil {
		return nil, err
	}
	parts, shares := p.openParts(found, open, certain)
	if p.french && !p.models.TaggedFrench {
		long := byWidth(parts)
		some, err := p.readLines(ctx, r, long[:min(samples, len(long))])
		if err != nil || !isFrench(some, true) {
			return nil, err
		}
	}
	readings, err := p.readLines(ctx, r, parts)
	if err != nil {
		return nil, err
	}
	return p.better(readings, shares, inPrint), nil
}

// covered returns a copy of the page in which each part is painted over with the grey of its paper.
func covered(g *image.Gray, parts []document.Box) *image.Gray {
	out := imaging.Crop(g, g.Rect)
	for _, b := range parts {
		r := b.Rectangle().Intersect(g.Rect)
		paper := image.NewUniform(color.Gray{Y: imaging.PaperGrey(g, r, mostlyPaper)})
		draw.Draw(out, r, paper, image.Point{}, draw.Src)
	}
	return out
}
