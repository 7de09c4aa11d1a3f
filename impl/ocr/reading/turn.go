package reading

import (
	"cmp"
	"context"
	"image"
	"slices"

	"uncial/impl/ocr/imaging"
	"uncial/internal/document"
)

// turnUpright reads the page again in the orientation in which it is upright, if that is a different one. It examines only
// pages that are barely legible or gibberish in their own orientation, or whose lines run from top to bottom.
func turnUpright(ctx context.Context, p *page) error {
	quarters, err := p.uprightOrientation(ctx)
	if err != nil || quarters == 0 {
		return err
	}
	turned := newPage(imaging.Turn(p.gray, quarters), p.options, p.src, p.model)
	turned.rotation, turned.slant = 90*quarters, p.slant.turned(quarters)
	*p = *turned
	return p.run(ctx, uprightSteps)
}

// uprightOrientation returns the number of quarter turns clockwise after which the page is upright. It tries handwriting only
// upside down, and other pages in all orientations, first as print and then as handwriting.
func (p *page) uprightOrientation(ctx context.Context) (int, error) {
	sure := maxTurnedConfidence
	if foundHandwriting(p) {
		sure = maxTurnedHandwriting
	}
	switch {
	case p.isHandwritten && p.handwritingConfidence < uprightHandwriting:
		return p.uprightAsHandwriting(ctx, 2)
	case p.isHandwritten, len(p.sheet.letters) == 0, p.read.Confidence >= sure && !p.isGibberish && !isOnSide(p.read.Blocks):
		return 0, nil
	}
	if quarters, err := p.uprightAsPrint(ctx); quarters != 0 || err != nil {
		return quarters, err
	}
	return p.uprightAsHandwriting(ctx, 1, 2, 3)
}

// uprightAsHandwriting returns the orientation in which the page is handwriting with clearly more confidence than in its own
// orientation, or 0. If the ink looks handwritten in none of them, because its letters are not joined, it returns the one in
// which some lines are likely to be read well.
func (p *page) uprightAsHandwriting(ctx context.Context, orientations ...int) (int, error) {
	best, upright := p.handwritingConfidence+minHandwritingTurnLead, 0
	likely, readable := max(likelyHandwriting, p.read.Confidence+handwritingLead), 0
	for _, quarters := range orientations {
		letters := turnBoxes(p.sheet.letters, p.gray.Rect.Size(), quarters)
		h := newHandwriting(p, imaging.Turn(p.gray, quarters), letters)
		if h.page == nil {
			return 0, nil
		}
		sure, ok, err := h.confidence(ctx)
		if err != nil {
			return 0, err
		}
		if ok && sure > best {
			best, upright = sure, quarters
		}
		if upright != 0 {
			continue
		}
		correct, err := h.page.Sample(ctx, h.reader)
		if err != nil {
			return 0, err
		}
		if correct >= likely {
			likely, readable = correct, quarters
		}
	}
	return cmp.Or(upright, readable), nil
}

// uprightAsPrint reads the middle of the page, a quarter of its area, or all of a page with few letters, in each orientation.
// It returns the best orientation if that is clearly better than the page's own, or 0. If the language's own model cannot read
// any orientation, it tries the early-print model.
func (p *page) uprightAsPrint(ctx context.Context) (int, error) {
	models := []string{p.model}
	if p.src.Has(earlyPrint) {
		models = append(models, earlyPrint)
	}
	size := p.sheet.img.Rect.Size()
	area := image.Rect(size.X/4, size.Y/4, size.X*3/4, size.Y*3/4)
	if len(p.sheet.letters) <= fewLetters { // the middle may cut all lines, or be blank
		area = imaging.Union(p.sheet.marks).Inset(-turnMargin).Intersect(p.sheet.img.Rect)
	}
	sample := imaging.Crop(p.sheet.img, area)
	for _, model := range models {
		confidences, err := p.inOrientations(ctx, sample, model)
		if err != nil {
			return 0, err
		}
		if best := slices.Max(confidences[:]); best >= minUpright {
			if best < confidences[0]+minTurnLead {
				return 0, nil
			}
			return slices.Index(confidences[:], best), nil
		}
	}
	return 0, nil
}

// inOrientations returns the confidence of a model in an image after 0 to 3 quarter turns clockwise. It is 0 for orientations
// in which the model reads far less than in another one, because a few characters may be read with confidence in any
// orientation.
func (p *page) inOrientations(ctx context.Context, img *image.Gray, model string) (confidences [4]float64, err error) {
	var lengths [4]int
	for quarters := range confidences {
		a, err := recognize(ctx, p.sheet.source(p.src), imaging.Turn(img, quarters), p.sheet.dpi, model)
		if err != nil {
			return confidences, err
		}
		level := levelLines(a.blocks)
		confidences[quarters], lengths[quarters] = meanConfidence(level), characters(level)
	}
	for i, n := range lengths {
		if float64(n) < minUprightText*float64(slices.Max(lengths[:])) {
			confidences[i] = 0
		}
	}
	return confidences, nil
}

// isOnSide reports whether most of the text is in lines that are taller than they are wide. The recognizer can read print that
// lies on its side, but not in order.
func isOnSide(blocks []document.Block) bool {
	return 2*characters(levelLines(blocks)) < characters(blocks)
}

// levelLines returns the lines that are wider than they are high. The recognizer also returns columns of letters that lie on
// their side.
func levelLines(blocks []document.Block) []document.Block {
	var lines []document.Line
	for l := range document.Lines(blocks) {
		if l.Box.W > l.Box.H {
			lines = append(lines, *l)
		}
	}
	return []document.Block{document.BlockOf(lines)}
}

// turnBoxes returns the boxes of a page of that size after quarter turns clockwise.
func turnBoxes(boxes []image.Rectangle, size image.Point, quarters int) []image.Rectangle {
	out := slices.Clone(boxes)
	for range quarters {
		for i, b := range out {
			out[i] = image.Rect(size.Y-b.Max.Y, b.Min.X, size.Y-b.Min.Y, b.Max.X)
		}
		size = image.Pt(size.Y, size.X)
	}
	return out
}
