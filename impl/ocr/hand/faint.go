package hand

import (
	"context"
	"image"
	"slices"

	"uncial/impl/ocr/imaging"
)

// strengthen darkens the faint writing in large parts of the page on one side of all lines, and finds the lines of the page
// again, so that this writing is read like the rest. Most such parts are blank, or show writing from the back of the leaf; they
// stay as they are.
func (p *Page) strengthen(ctx context.Context, r Reader) error {
	var boxes []image.Rectangle
	for _, l := range slices.Concat(p.found.Blocks...) {
		boxes = append(boxes, l.Box().Rectangle())
	}
	page := p.gray.Rect
	written := imaging.Union(boxes).Intersect(page)
	if written.Empty() {
		return nil
	}
	contrast := imaging.Contrast(imaging.Crop(p.gray, written))
	darkened := p.gray
	for _, part := range imaging.Around(page, written) {
		if float64(imaging.Area(part)) < minFaintShare*float64(imaging.Area(page)) {
			continue
		}
		faint := imaging.Crop(p.gray, part)
		factor := contrast / max(imaging.Contrast(faint), 1)
		if factor < minStrength || factor > maxStrength {
			continue
		}
		faint = imaging.Strengthen(faint, factor)
		if n, err := NewPage(faint, nil, p.models).legibleLines(ctx, r); err != nil {
			return err
		} else if n < minFaintLines {
			continue
		}
		if darkened == p.gray {
			darkened = imaging.Crop(p.gray, page)
		}
		imaging.Copy(darkened, part, faint, image.Point{})
	}
	if darkened == p.gray {
		return nil
	}
	found, err := r.FindLines(ctx, darkened)
	if err != nil {
		return err
	}
	p.gray, p.found = darkened, found
	return nil
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
