package hand

import (
	"context"
	"image"

	"uncial/impl/ocr/imaging"
	"uncial/impl/ocr/layout"
	"uncial/internal/document"
)

// strengthen darkens the faint writing in large parts of the page on one side of all lines, and finds the lines of the page
// again, so that this writing is read like the rest. Most such parts are blank, or show writing from the back of the leaf; it
// does not change these. found has the lines found so far; strengthen returns the lines to read. After an error, the page is
// unchanged.
func (p *Page) strengthen(ctx context.Context, r Reader, found *layout.Page) (*layout.Page, error) {
	var boxes []image.Rectangle
	for _, l := range found.Lines() {
		boxes = append(boxes, l.Box().Rectangle())
	}
	page := p.gray.Rect
	written := imaging.Union(boxes).Intersect(page)
	if written.Empty() {
		return found, nil
	}
	contrast := imaging.Contrast(imaging.Crop(p.gray, written))
	darkened, spots := p.gray, p.spots
	var done []image.Rectangle
	for _, part := range imaging.Around(page, written) {
		part = imaging.LargestRest(part, done)
		if float64(imaging.Area(part)) < minFaintShare*float64(imaging.Area(page)) {
			continue
		}
		faint := imaging.Crop(p.gray, part)
		factor := contrast / max(imaging.Contrast(faint), 1)
		if factor < minStrength || factor > maxStrength {
			continue
		}
		faint = imaging.Strengthen(faint, factor)
		if n, err := p.legibleLines(ctx, r, faint); err != nil {
			return nil, err
		} else if n < minFaintLines {
			continue
		}
		if len(done) == 0 {
			darkened = imaging.Crop(p.gray, page)
		}
		imaging.Copy(darkened, part, faint, image.Point{})
		spots = outside(spots, []document.Box{document.BoxOf(part)})
		for _, s := range imaging.Letters(faint) {
			spots = append(spots, s.Add(part.Min))
		}
		done = append(done, part)
	}
	if len(done) == 0 {
		return found, nil
	}
	found, err := r.FindLines(ctx, darkened)
	if err != nil {
		return nil, err
	}
	p.gray, p.spots = darkened, spots
	return found, nil
}

// legibleLines reads a few of the longer lines of a part of the page, once and by one model, and returns the number of those of
// which more characters are likely to be right than wrong. Lines of fewer than shortLine characters do not count.
func (p *Page) legibleLines(ctx context.Context, r Reader, part *image.Gray) (n int, err error) {
	m := p.models
	m.Known, m.Enhance, m.Competing = nil, false, nil
	sampled := NewPage(part, nil, m)
	found, err := r.FindLines(ctx, part)
	if err != nil {
		return 0, err
	}
	some, err := sampled.readLines(ctx, r, sample(found.Lines(), samples))
	for _, l := range some {
		if l.characters >= shortLine && ExpectedAccuracy(l.confidence) > legibleLine {
			n++
		}
	}
	return n, err
}
