package reading

import (
	"cmp"
	"context"
	"slices"

	"uncial/impl/ocr/imaging"
	"uncial/internal/document"
)

// readFading reads a page again with its ink evened, if there are legible lines, or parts of lines, in ink that becomes too
// pale for a threshold of the whole page. It keeps that reading if more characters of it are likely to be right, and their
// share is hardly smaller. Otherwise, and after an error, the page stays as it was.
func readFading(ctx context.Context, p *page) error {
	sheet, attempts, first := p.sheet, p.attempts, p.attempts[0]
	img := imaging.EvenFading(sheet.img, wordBoxes(first.blocks), fadingCell*sheet.letterHeight)
	if img == nil {
		return nil
	}
	isBetter := false
	defer func() {
		if !isBetter {
			p.sheet, p.attempts = sheet, attempts
		}
	}()
	p.sheet.img, p.sheet.marks, p.sheet.regions = img, imaging.Spots(img), nil
	if hasMore, err := p.hasUnreadLines(ctx); err != nil || !hasMore {
		return err
	}
	p.sheet.components = nil
	for _, m := range p.sheet.marks {
		p.sheet.components = append(p.sheet.components, p.sheet.boxOnPage(document.BoxOf(m)).Rectangle())
	}
	p.sheet.letters = imaging.LetterShaped(p.sheet.components)
	if err := p.run(ctx, []step{columnsStep}); err != nil {
		return err
	}
	again, err := p.sheet.read(ctx, p.src, first.model, 1)
	if err != nil {
		return err
	}
	p.attempts = append([]attempt{again}, attempts...)
	if err := p.run(ctx, slices.Concat([]step{greekStep}, tidySteps)); err != nil {
		return err
	}
	again = p.attempts[0]
	isBetter = again.rightCharacters() >= minFadingGain*first.rightCharacters() && again.right >= first.right-maxFadingLoss
	return nil
}

// rightCharacters estimates the number of characters that are right.
func (a *attempt) rightCharacters() float64 { return a.right * float64(characters(a.blocks)) }

// hasUnreadLines reports whether most of the longest rows of letters outside the words of the best attempt are writing.
func (p *page) hasUnreadLines(ctx context.Context) (bool, error) {
	a, height := &p.attempts[0], p.sheet.letterHeight
	claimed := newBoxIndex(claimedAreas(a.blocks, height))
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
