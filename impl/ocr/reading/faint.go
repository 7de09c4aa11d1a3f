package reading

import (
	"context"
	"errors"
	"image"
	"math"
	"slices"
	"time"

	"uncial/impl/ocr/imaging"
	"uncial/impl/ocr/layout"
	"uncial/internal/document"
)

// readFaint reads large parts of the sheet on one side of all words, where a threshold of their own shows letters. With one
// threshold for the whole page, ink that is far paler than the words counts as paper, such as that of a faded page beside a
// clear one. A part whose text has enough contrast but cannot be read is listed as unread, and so is one for which no time is
// left. Paler text is not listed, because it may shine through from the other side of the leaf.
func readFaint(ctx context.Context, p *page) error {
	a := &p.attempts[0]
	p.illegible = nil
	sheet := p.sheet.img.Rect
	words := imaging.Union(wordBoxes(a.blocks)).Intersect(sheet)
	if words.Empty() {
		return nil
	}
	all := surrounded{legible: a.blocks, sheet: p.sheet.img, letterHeight: p.sheet.letterHeight}
	var done []image.Rectangle
	for _, part := range imaging.Around(sheet, words) {
		if part = imaging.LargestRest(part, done); !isLarge(part, sheet) {
			continue
		}
		img := imaging.Crop(p.sheet.img, part)
		letters := len(imaging.Letters(img))
		if letters < minPartLetters {
			continue
		}
		blocks, err := p.readFaintPart(ctx, img)
		n := characters(blocks)
		switch {
		case errors.Is(err, context.DeadlineExceeded):
			p.curtailed = true
			p.illegible = append(p.illegible, p.unreadPart(part, letters))
		case err != nil:
			return err
		case n >= minPartLetters && meanConfidence(blocks) >= minFaintConfidence:
			all.add(movedBy(blocks, part.Min), part, words)
			a.blocks = all.blocks()
			a.estimate(len(p.sheet.letters))
		case n >= minPartLetters && imaging.Contrast(img) >= minFaintContrast*imaging.Contrast(imaging.Crop(p.sheet.img, words)):
			p.illegible = append(p.illegible, p.unreadPart(part, n))
		default:
			continue
		}
		done = append(done, part)
	}
	return nil
}

// readFaintPart reads a part of the sheet. It returns context.DeadlineExceeded at once if there is too little time.
func (p *page) readFaintPart(ctx context.Context, img *image.Gray) ([]document.Block, error) {
	share := float64(imaging.Area(img.Rect)) / float64(imaging.Area(p.sheet.img.Rect))
	if !hasTimeFor(ctx, time.Duration(share*float64(p.firstReading))) {
		return nil, context.DeadlineExceeded
	}
	found, err := recognize(ctx, p.sheet.source(p.src), img, p.sheet.dpi, p.attempts[0].model)
	return dropScraps(found.blocks), err
}

// unreadPart returns the doubt that a part of the sheet with that number of letters was not read.
func (p *page) unreadPart(part image.Rectangle, letters int) document.Doubt {
	return unread(p.sheet.boxOnPage(document.BoxOf(part)).Rectangle(), letters)
}

// surrounded is legible text with the faint text around it, in reading order, on a sheet with letters of that height.
type surrounded struct {
	before, legible, after []document.Block
	sheet                  *image.Gray
	letterHeight           int
}

// blocks returns the whole text in reading order.
func (s *surrounded) blocks() []document.Block { return slices.Concat(s.before, s.legible, s.after) }

// add adds the text of a part beside, above or below the words of the legible text. A part lies within what earlier ones left,
// so its text is closer to the legible text than theirs. If most lines of one text end where lines of the other begin, as on a
// page of which one half is faded, they become whole lines.
func (s *surrounded) add(faint []document.Block, part, words image.Rectangle) {
	isLeft, isRight := part.Max.X <= words.Min.X, part.Min.X >= words.Max.X
	if isLeft || isRight {
		left, right := s.legible, faint
		if isLeft {
			left, right = right, left
		}
		if whole, ok := s.continued(left, right); ok {
			s.legible = whole
			return
		}
	}
	if isLeft || !isRight && part.Max.Y <= words.Min.Y {
		s.before = slices.Concat(s.before, faint)
	} else {
		s.after = slices.Concat(faint, s.after)
	}
}

// continued joins the lines of a text with their continuations on the right. It reports false unless most lines on the right
// that are in a row with a line on the left continue it, and no gutter lies between them.
func (s *surrounded) continued(left, right []document.Block) ([]document.Block, bool) {
	next, inRow := continuations(left, right, maxContinuationGap*s.letterHeight)
	if len(next) == 0 || float64(len(next)) < minContinued*float64(inRow) || s.isGutterBetween(next) {
		return nil, false
	}
	var whole []document.Block
	isJoined := map[*document.Line]bool{}
	for _, b := range left {
		var lines []document.Line
		for i := range b.Lines {
			line := b.Lines[i]
			if l, ok := next[&b.Lines[i]]; ok {
				line, isJoined[l] = layout.JoinLines(line, *l), true
			}
			lines = append(lines, line)
		}
		whole = append(whole, document.BlockOf(lines))
	}
	for _, b := range right {
		var rest []document.Line
		for i := range b.Lines {
			if !isJoined[&b.Lines[i]] {
				rest = append(rest, b.Lines[i])
			}
		}
		if len(rest) > 0 {
			whole = append(whole, document.BlockOf(rest))
		}
	}
	return whole, true
}

// continuations returns the lines on the right by the lines on the left that they continue after at most gap pixels, and the
// number of lines on the right that are in a row with one on the left.
func continuations(left, right []document.Block, gap int) (next map[*document.Line]*document.Line, inRow int) {
	next = map[*document.Line]*document.Line{}
	for r := range document.Lines(right) {
		isInRow := false
		for l := range document.Lines(left) {
			if !layout.InRow(l.Box, r.Box) {
				continue
			}
			isInRow = true
			if next[l] == nil && r.Box.X-l.Box.Right() <= gap && r.Box.Right() > l.Box.Right() {
				next[l] = r
				break
			}
		}
		if isInRow {
			inRow++
		}
	}
	return next, inRow
}

// isGutterBetween reports whether a gutter lies between the lines and their continuations: a blank that is wide enough, and in
// few lines wider than between words. Letters that neither text has, cut where the ink becomes faint, are not blank.
func (s *surrounded) isGutterBetween(next map[*document.Line]*document.Line) bool {
	gap := image.Rect(math.MinInt, math.MaxInt, math.MaxInt, math.MinInt)
	for l, r := range next {
		gap.Min.X, gap.Max.X = max(gap.Min.X, l.Box.Right()), min(gap.Max.X, r.Box.X)
		gap.Min.Y, gap.Max.Y = min(gap.Min.Y, l.Box.Y), max(gap.Max.Y, l.Box.Y+l.Box.H)
	}
	width := minRiver
	if len(next) < minGutterLines {
		width = minShortRiver
	}
	if float64(gap.Dx()) < width*float64(s.letterHeight) {
		return false
	}
	letters := slices.DeleteFunc(imaging.Letters(imaging.Crop(s.sheet, gap)), func(l image.Rectangle) bool { return 2*l.Dy() < s.letterHeight })
	return 2*len(letters) < len(next)
}

// isLarge reports whether a part of the sheet is large enough to be searched for faint print.
func isLarge(part, sheet image.Rectangle) bool {
	return float64(imaging.Area(part)) >= minFaintShare*float64(imaging.Area(sheet))
}
