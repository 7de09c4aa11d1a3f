package reading

import (
	"cmp"
	"context"
	"image"
	"slices"

	"uncial/impl/ocr/imaging"
	"uncial/impl/ocr/layout"
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
	var done []image.Rectangle
	for _, part := range bareParts(sheet, words) {
		if part = without(part, done); !isLarge(part, sheet) {
			continue
		}
		img := imaging.Crop(p.sheet.img, part)
		if len(imaging.Letters(img)) < minBareLetters {
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
		if !isRead {
			if n >= minBareLetters && imaging.Contrast(img) >= minBareContrast*imaging.Contrast(imaging.Crop(p.sheet.img, words)) {
				p.illegible = append(p.illegible, unread(p.sheet.boxOnPage(document.BoxOf(part)).Rectangle(), n))
			}
			continue
		}
		a.blocks = besideEachOther(a.blocks, blocks, maxSeam*p.sheet.letterHeight)
		a.right = pageConfidence(a.blocks, len(p.sheet.letters))
	}
	return nil
}

// besideEachOther returns the blocks of two parts of a page. If most lines of one end where lines of the other begin, at most
// gap pixels apart, as on a page of which one half is faded, these become whole lines. Otherwise the part further left or
// further up comes first.
func besideEachOther(strong, faint []document.Block, gap int) []document.Block {
	first, second := strong, faint
	c, f := imaging.Union(wordBoxes(strong)), imaging.Union(wordBoxes(faint))
	if f.Max.X <= c.Min.X || f.Max.Y <= c.Min.Y {
		first, second = faint, strong
	}
	var whole, rest []document.Block
	for _, b := range first {
		whole = append(whole, document.Block{Box: b.Box, Lines: slices.Clone(b.Lines)})
	}
	ends := slices.Collect(document.Lines(whole))
	joined, all := 0, 0
	for _, b := range second {
		var lines []document.Line
		for _, l := range b.Lines {
			all++
			i := slices.IndexFunc(ends, func(e *document.Line) bool {
				return layout.InRow(e.Box, l.Box) && l.Box.X-e.Box.Right() <= gap && l.Box.Right() > e.Box.Right()
			})
			if i < 0 {
				lines = append(lines, l)
				continue
			}
			*ends[i] = layout.JoinLines(*ends[i], l)
			joined++
		}
		if len(lines) > 0 {
			rest = append(rest, document.BlockOf(lines))
		}
	}
	if float64(joined) < minContinued*float64(max(all, len(ends))) {
		return slices.Concat(first, second)
	}
	for i := range whole {
		whole[i] = document.BlockOf(whole[i].Lines)
	}
	return slices.Concat(whole, rest)
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
