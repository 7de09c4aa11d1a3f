package hand

import (
	"context"
	"image"
	"slices"

	"uncial/impl/ocr/imaging"
)

// strengthen darkens the faint writing in large parts of the page on one side of all lines, so that it is found and read like
// the rest. It reports false if there is none: most of these parts are blank, or writing shines through from the back of the
// leaf.
func (p *Page) strengthen(ctx context.Context, r Reader) (bool, error) {
	var boxes []image.Rectangle
	for _, lines := range p.found.Blocks {
		for _, l := range lines {
			boxes = append(boxes, l.Box().Rectangle())
		}
	}
	page := p.gray.Rect
	written := imaging.Union(boxes).Intersect(page)
	if written.Empty() {
		return false, nil
	}
	contrast := imaging.Contrast(imaging.Crop(p.gray, written))
	darkened := p.gray
	for _, part := range imaging.Around(page, written) {
		if float64(part.Dx()*part.Dy()) < minFaintShare*float64(page.Dx()*page.Dy()) {
			continue
		}
		faint := imaging.Crop(p.gray, part)
		factor := contrast / max(imaging.Contrast(faint), 1)
		if factor < minStrength || factor > maxStrength {
			continue
		}
		faint = imaging.Strengthen(faint, factor)
		if n, err := NewPage(faint, nil, p.models).legibleLines(ctx, r); err != nil {
			return false, err
		} else if n < minFaintLines {
			continue
		}
		if darkened == p.gray {
			darkened = imaging.Crop(p.gray, page)
		}
		imaging.Copy(darkened, part, faint, image.Point{})
	}
	if darkened == p.gray {
		return false, nil
	}
	p.gray = darkened
	return true, nil
}

// legibleLines returns the number of lines of which more characters are likely to be right than wrong.
func (p *Page) legibleLines(ctx context.Context, r Reader) (n int, err error) {
	found, err := r.FindLines(ctx, p.gray)
	if err != nil {
		return 0, err
	}
	all, err := p.readLines(ctx, r, slices.Concat(found.Blocks...))
	for _, l := range all {
		if l.characters >= shortLine && expectedAccuracy(l.confidence) > 0.5 && !l.isNoise() {
			n++
		}
	}
	return n, err
}
