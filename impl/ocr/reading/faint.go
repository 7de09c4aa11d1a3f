package reading

import (
	"cmp"
	"context"
	"image"
	"slices"

	"uncial/impl/ocr/imaging"
	"uncial/internal/document"
)

// readFaint reads large parts of the sheet on one side of all words, where a threshold of their own shows letters. A threshold
// for the whole page takes ink that is far paler than the words, such as that of a faded page beside a clear one, for paper. A
// part with clear text that cannot be read is listed as unread; fainter text may shine through from the other side of the leaf.
func readFaint(ctx context.Context, p *page) error {
	a := &p.attempts[0]
	p.illegible = nil
	sheet := p.sheet.img.Rect
	words := imaging.Union(wordBoxes(a.blocks)).Intersect(sheet)
	if words.Empty() {
		return nil
	}
	contrast := imaging.Contrast(imaging.Crop(p.sheet.img, words))
	var done []image.Rectangle
	for _, part := range bareParts(sheet, words) {
		part = without(part, done)
		img := imaging.Crop(p.sheet.img, part)
		if !isLarge(part, sheet) || len(imaging.Letters(img)) < minBareLetters {
			continue
		}
		done = append(done, part)
		if !hasTimeFor(ctx, p.firstReading) {
			return context.DeadlineExceeded
		}
		found, err := recognize(ctx, p.sheet.source(p.src), img, p.sheet.dpi, a.model)
		if err != nil {
			return err
		}
		blocks := movedBy(dropScraps(found.blocks), part.Min)
		n := characters(found.blocks)
		isRead := characters(blocks) >= minBareLetters && meanConfidence(blocks) >= minBareConfidence
		switch {
		case isRead && (part.Max.X < sheet.Max.X || part.Max.Y < sheet.Max.Y):
			a.blocks = slices.Concat(blocks, a.blocks)
		case isRead:
			a.blocks = slices.Concat(a.blocks, blocks)
		case n >= minBareLetters && imaging.Contrast(img) >= minBareContrast*contrast:
			p.illegible = append(p.illegible, unread(p.sheet.boxOnPage(document.BoxOf(part)).Rectangle(), n))
		}
	}
	a.right = pageConfidence(a.blocks, len(p.sheet.letters))
	return nil
}

// bareParts returns the parts of a sheet on the left, on the right, above and below a box in it, the largest first.
func bareParts(sheet, box image.Rectangle) []image.Rectangle {
	parts := []image.Rectangle{
		image.Rect(sheet.Min.X, sheet.Min.Y, box.Min.X, sheet.Max.Y), image.Rect(box.Max.X, sheet.Min.Y, sheet.Max.X, sheet.Max.Y),
		image.Rect(sheet.Min.X, sheet.Min.Y, sheet.Max.X, box.Min.Y), image.Rect(sheet.Min.X, box.Max.Y, sheet.Max.X, sheet.Max.Y),
	}
	slices.SortStableFunc(parts, func(a, b image.Rectangle) int { return cmp.Compare(area(b), area(a)) })
	return parts
}

// isLarge reports whether a part of the sheet is large enough for a text that was not read.
func isLarge(part, sheet image.Rectangle) bool {
	return float64(area(part)) >= minBareShare*float64(area(sheet))
}

// without returns the larger rest of a part, above, below or beside those parts that overlap it.
func without(part image.Rectangle, others []image.Rectangle) image.Rectangle {
	for _, o := range others {
		if !part.Overlaps(o) {
			continue
		}
		part = bareParts(part, o.Intersect(part))[0]
	}
	return part
}
