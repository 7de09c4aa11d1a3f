package reading

import (
	"context"
	"image"
	"slices"

	"uncial/impl/ocr/imaging"
	"uncial/internal/document"
)

// readFaint reads large parts of the sheet on one side of all words, where a threshold of their own shows letters. Ink that is
// far paler than that of the words, such as a faded page beside a clear one, is paper for a threshold of the whole page. A part
// with text that cannot be read is listed as unread.
func readFaint(ctx context.Context, p *page) error {
	a := &p.attempts[0]
	for _, part := range bareParts(p.sheet.img.Rect, imaging.Union(wordBoxes(a.blocks))) {
		img := imaging.Crop(p.sheet.img, part)
		if len(imaging.Letters(img)) < minBareLetters {
			continue
		}
		found, err := recognize(ctx, p.sheet.source(p.src), img, p.sheet.dpi, a.model)
		if err != nil {
			return err
		}
		blocks := movedBy(dropScraps(found.blocks), part.Min)
		switch n := characters(found.blocks); {
		case n < minBareLetters:
			continue
		case characters(blocks) < minBareLetters || meanConfidence(blocks) < minBareConfidence:
			p.illegible = append(p.illegible, unread(p.sheet.boxOnPage(document.BoxOf(part)).Rectangle(), n))
			continue
		}
		if part.Max.X < p.sheet.img.Rect.Max.X || part.Max.Y < p.sheet.img.Rect.Max.Y {
			a.blocks = slices.Concat(blocks, a.blocks)
		} else {
			a.blocks = slices.Concat(a.blocks, blocks)
		}
		a.right = pageConfidence(a.blocks, len(p.sheet.letters))
	}
	return nil
}

// bareParts returns the parts of a sheet on the left, on the right, above and below the box of all words, if they are large.
func bareParts(sheet, words image.Rectangle) []image.Rectangle {
	if words.Empty() {
		return nil
	}
	var large []image.Rectangle
	for _, r := range []image.Rectangle{
		image.Rect(sheet.Min.X, sheet.Min.Y, words.Min.X, sheet.Max.Y), image.Rect(words.Max.X, sheet.Min.Y, sheet.Max.X, sheet.Max.Y),
		image.Rect(sheet.Min.X, sheet.Min.Y, sheet.Max.X, words.Min.Y), image.Rect(sheet.Min.X, words.Max.Y, sheet.Max.X, sheet.Max.Y),
	} {
		if float64(r.Dx()*r.Dy()) >= minBareShare*float64(sheet.Dx()*sheet.Dy()) {
			large = append(large, r)
		}
	}
	return large
}
