package reading

import (
	"cmp"
	"context"
	"errors"
	"image"
	"slices"

	"uncial/impl/ocr/imaging"
	"uncial/internal/document"
)

// readFading reads a page again with its ink evened, if there are legible lines, or parts of lines, in ink that becomes too
// pale for a threshold of the whole page. It evens the ink in both ways of imaging.Fading, and keeps the reading with the most
// characters that are probably right, unless that is hardly more than the page had, or their share is clearly smaller. Without
// time for a way, it leaves it out.
func readFading(ctx context.Context, p *page) error {
	fading := imaging.FindFading(p.sheet.img, wordBoxes(p.attempts[0].blocks), fadingCell*p.sheet.letterHeight)
	if fading == nil {
		return nil
	}
	before, best := *p, *p
	least, lowest := minFadingGain*before.attempts[0].expectedCorrect(), before.attempts[0].right-maxFadingLoss
	for i, even := range []func() *image.Gray{fading.Even, fading.EvenSteps} {
		if !hasTimeFor(ctx, p.firstReading) {
			break
		}
		*p = before
		p.sheet.img, p.sheet.regions = even(), nil
		p.sheet.marks = imaging.Spots(p.sheet.img)
		if i == 0 {
			if hasMore, err := p.hasUnreadLines(ctx); err != nil || !hasMore {
				*p = before
				return err
			}
		}
		if err := p.readEvened(ctx); errors.Is(err, context.DeadlineExceeded) && i > 0 {
			break // the first way has its reading
		} else if err != nil {
			return err
		}
		if again := p.attempts[0]; again.expectedCorrect() >= least && again.right >= lowest {
			best, least = *p, minFadingGain*again.expectedCorrect()
		}
	}
	*p = best
	return nil
}

// readEvened reads the sheet, whose ink has changed, with the model of the best attempt.
func (p *page) readEvened(ctx context.Context) error {
	p.sheet.components = nil
	for _, m := range p.sheet.marks {
		p.sheet.components = append(p.sheet.components, p.sheet.boxOnPage(document.BoxOf(m)).Rectangle())
	}
	p.sheet.letters = imaging.LetterShaped(p.sheet.components)
	if err := p.run(ctx, []step{columnsStep}); err != nil {
		return err
	}
	if err := p.addReading(ctx, p.attempts[0].model); err != nil {
		return err
	}
	return p.run(ctx, slices.Concat([]step{greekStep}, tidySteps))
}

// expectedCorrect estimates the number of characters that are right.
func (a *attempt) expectedCorrect() float64 { return a.right * float64(characters(a.blocks)) }

// hasUnreadLines reports whether at least half of the longest rows of letters outside the words of the best attempt, and at
// least minPaleRows, are writing.
func (p *page) hasUnreadLines(ctx context.Context) (bool, error) {
	a, height := &p.attempts[0], p.sheet.letterHeight
	claimed := newBoxIndex(wordBoxes(a.blocks))
	open := openLetters(imaging.LetterShaped(p.sheet.marks), claimed, height)
	rows := slices.DeleteFunc(rowPatches(open, height), func(row patch) bool { return row.letters < minPaleRow })
	slices.SortStableFunc(rows, func(a, b patch) int { return cmp.Compare(b.letters, a.letters) })
	rows = rows[:min(len(rows), triedPaleRows)]
	writing := 0
	for _, row := range rows {
		line, err := row.read(ctx, p.sheet.source(p.src), p.sheet.img, a.model)
		if err != nil {
			return false, err
		}
		if len(line.Words) > 0 {
			writing++
		}
	}
	return writing >= minPaleRows && 2*writing >= len(rows), nil
}
