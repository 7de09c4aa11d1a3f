package reading

import (
	"context"
	"image"

	"uncial/impl/ocr/hand"
	"uncial/impl/ocr/layout"
	"uncial/internal/document"
)

// mayHoldLargeType reports whether the page is print that our own network can read.
func mayHoldLargeType(p *page) bool { return isLegible(p) && mayUseNetwork(p) }

// readLargeType reads rows of type that is far larger than the rest of the page, such as the title of a newspaper, with the
// network for print. Tesseract's layout analysis takes such letters for pictures.
func readLargeType(ctx context.Context, p *page) error {
	for _, times := range largeTypes {
		err := p.insertPatches(findMissed(p.sheet.img.Rect, p.sheet.marks, p.attempts[0].blocks, times), func(found *patch) (document.Line, error) {
			return p.readLarge(ctx, found)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// readLarge reads a patch of large type as one line, along two baselines and at two widths. It returns the reading with the
// most characters that are likely to be right. If the patch is not writing, the line has no words.
func (p *page) readLarge(ctx context.Context, found *patch) (line document.Line, err error) {
	for _, l := range layout.Given(p.sheet.img, found.bands()) {
		strip, ok := l.Strip()
		if !ok {
			continue
		}
		for _, width := range largeWidths {
			place := func(_ int, r image.Rectangle) document.Box { return strip.Box(narrowed(r, width)) }
			read, err := p.readStrips(ctx, p.networksForPrint(), []*image.Gray{stretched(strip.Image, width)}, place)
			if err != nil {
				return document.Line{}, err
			}
			l := document.Line{Words: read[0], Baseline: strip.Baseline(), Box: document.WordsBox(read[0])}
			if found.isWriting(l, maxLargeShare) && expectedCorrect(l.Words) > expectedCorrect(line.Words) {
				line = l
			}
		}
	}
	for i, w := range line.Words {
		line.Words[i].Confidence = hand.ExpectedAccuracy(w.Confidence)
	}
	return line, nil
}

// bands returns the patch as a line of letters without descenders, and as one of letters with them.
func (p *patch) bands() []layout.Band {
	left, right, height := float64(p.box.Min.X), float64(p.box.Max.X), float64(p.box.Dy())
	var bands []layout.Band
	for _, foot := range []float64{1, bandFoot} {
		bands = append(bands, layout.Band{
			Baseline: []layout.Vertex{{X: left, Y: float64(p.box.Min.Y) + foot*height}}, X0: left, X1: right,
			Up: foot * bandMargin * height, Down: (1 - foot + largeMargin) * height,
		})
	}
	return bands
}
