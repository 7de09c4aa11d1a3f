package reading

import (
	"context"
	"image"

	"uncial/impl/ocr/layout"
	"uncial/internal/document"
)

// mayHoldLargeType reports whether the page is legible print that our own network can read.
func mayHoldLargeType(p *page) bool { return isLegible(p) && mayUseNetwork(p) }

// readLargeType reads rows of type that is far larger than the rest of the page, such as the title of a newspaper, with the
// network for print. Tesseract's layout analysis takes such letters for pictures.
func readLargeType(ctx context.Context, p *page) error {
	for _, times := range largeTypes {
		err := p.insertPatches(findMissed(p.sheet.img.Rect, p.sheet.marks, p.attempts[0].blocks, times), func(found *patch) (document.Line, error) {
			return p.readByNetwork(ctx, found, maxLargeShare)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// readByNetwork reads a patch as one line with the network for print, and returns the reading with the most characters that are
// likely to be right. If the patch is not writing, the line has no words. maxShare is the maximum number of letters and digits
// for each component.
func (p *page) readByNetwork(ctx context.Context, found *patch, maxShare float64) (line document.Line, err error) {
	all, err := p.readingsByNetwork(ctx, found)
	for _, l := range all {
		if found.isWriting(l, maxShare) && expectedCorrect(l.Words) > expectedCorrect(line.Words) {
			line = l
		}
	}
	return line, err
}

// readingsByNetwork reads a patch as one line with the network for print, along two baselines and at two widths.
func (p *page) readingsByNetwork(ctx context.Context, found *patch) ([]document.Line, error) {
	type view struct {
		layout.Strip
		width float64
	}
	var views []view
	var images []*image.Gray
	for _, l := range layout.Given(p.sheet.img, found.bands()) {
		if strip, ok := l.Strip(); ok {
			for _, width := range patchWidths {
				views, images = append(views, view{strip, width}), append(images, stretched(strip.Image, width))
			}
		}
	}
	read, err := p.readStrips(ctx, p.networksForPrint(), images, func(i int, r image.Rectangle) document.Box {
		return views[i].Box(narrowed(r, views[i].width))
	})
	lines := make([]document.Line, len(read))
	for i, words := range read {
		lines[i] = document.Line{Words: words, Baseline: views[i].Baseline(), Box: document.WordsBox(words)}
	}
	return lines, err
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
