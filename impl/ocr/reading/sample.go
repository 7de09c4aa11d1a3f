package reading

import (
	"cmp"
	"context"
	"image"
	"slices"

	"uncial/impl/ocr/imaging"
	"uncial/internal/document"
)

// mayBeSampled reports whether a sample can show that the early-print model should read the page.
func mayBeSampled(p *page) bool {
	return hasLetterHeight(p) && p.model != earlyPrint && p.src.Has(earlyPrint)
}

// sampleModels reads the longest lines with the language's own model, and with the early-print model if the first is in doubt.
// If the early-print model leads clearly, it will read the page alone. If the lines show Greek, the Greek model will read the
// page too. Otherwise the language's own model will read the page first. One line that is read well is enough. A page of few
// lines has no sample, because reading the whole page twice costs less.
func sampleModels(ctx context.Context, p *page) error {
	lines := p.sheet.longestRows(maxSampleLines)
	if len(lines) < maxSampleLines {
		return nil
	}
	own, err := p.sheet.readLines(ctx, p.src, p.model, lines, isSample)
	if err == nil && p.canShowGreek(own) {
		p.isGreek, err = showsGreek(ctx, p.sheet.source(p.src), p.sheet.img, own.blocks, p.src.Lexicon(p.model))
	}
	if err != nil || p.isGreek || own.confidence >= sureSample || characters(own.blocks) < minSampleText || !p.canBeEarly(own) {
		return err
	}
	early, err := p.sheet.readLines(ctx, p.src, earlyPrint, lines[:len(own.blocks[0].Lines)], nil)
	p.isEarly = err == nil && early.confidence >= own.confidence+sampleLead
	return err
}

// longestRows returns the boxes of the n rows with the most letters, or of all rows if there are fewer.
func (s sheet) longestRows(n int) []image.Rectangle {
	rows := rowPatches(imaging.LetterShaped(s.marks), s.letterHeight)
	slices.SortStableFunc(rows, func(a, b patch) int { return cmp.Compare(b.letters, a.letters) })
	var boxes []image.Rectangle
	for _, r := range rows[:min(n, len(rows))] {
		boxes = append(boxes, r.box)
	}
	return boxes
}

// isSample reports whether the lines that the language's own model has read are enough to choose a model: they have enough
// text, or the last one was read well.
func isSample(lines []document.Line) bool {
	return isSureLine(lines[len(lines)-1]) ||
		len(lines) >= minSampleLines && characters([]document.Block{{Lines: lines}}) >= minSampleText
}

// isSureLine reports whether a line was read so well by the language's own model that no other model would read the page
// better.
func isSureLine(l document.Line) bool {
	return meanWordConfidence(l.Words) >= sureLine && characters(oneLine(l)) >= minSureLine
}

// readLines reads boxes of the sheet as one line each, until areEnough is true for the lines so far. If areEnough is nil, it
// reads all boxes.
func (s sheet) readLines(ctx context.Context, src Source, model string, boxes []image.Rectangle, areEnough func([]document.Line) bool) (attempt, error) {
	var lines []document.Line
	for _, b := range boxes {
		line, err := readLine(ctx, s.source(src), s.img, model, document.BoxOf(b))
		if err != nil {
			return attempt{}, err
		}
		lines = append(lines, line)
		if areEnough != nil && areEnough(lines) {
			break
		}
	}
	blocks := []document.Block{document.BlockOf(lines)}
	return attempt{model: model, blocks: blocks, confidence: meanConfidence(blocks)}, nil
}

// oneLine returns a line as the only line of a block.
func oneLine(l document.Line) []document.Block { return []document.Block{{Lines: []document.Line{l}}} }
