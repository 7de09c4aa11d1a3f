package reading

import (
	"cmp"
	"context"
	"image"
	"slices"

	"uncial/impl/ocr/imaging"
	"uncial/internal/document"
)

// readFading reads a page again with its ink evened, if there are legible lines, or parts of lines, in ink that becomes too
// pale for a threshold of the whole page. It keeps that reading if more characters of it are likely to be right.
func readFading(ctx context.Context, p *page) error {
	before, first := p.sheet, p.attempts[0]
	img := p.sheet.evened(first.blocks)
	if img == nil {
		return nil
	}
	p.sheet.img, p.sheet.marks, p.sheet.regions = img, imaging.Spots(img), nil
	hasMore, err := p.hasUnreadLines(ctx)
	if err != nil || !hasMore {
		p.sheet = before
		return err
	}
	p.sheet.components = nil
	for _, m := range p.sheet.marks {
		p.sheet.components = append(p.sheet.components, p.sheet.boxOnPage(document.BoxOf(m)).Rectangle())
	}
	p.sheet.letters = imaging.LetterShaped(p.sheet.components)
	again, err := p.readAgain(ctx)
	if err != nil || again.rightCharacters() < minFadingGain*first.rightCharacters() {
		p.sheet = before
		return err
	}
	p.attempts = slices.Insert(p.attempts, 0, again)
	return nil
}

// readAgain reads the sheet, which has changed, with the model of the best attempt, and tidies that reading.
func (p *page) readAgain(ctx context.Context) (attempt, error) {
	if err := p.run(ctx, columnSteps); err != nil {
		return attempt{}, err
	}
	again, err := p.sheet.read(ctx, p.src, p.attempts[0].model, 1)
	if err != nil {
		return attempt{}, err
	}
	last := len(p.attempts)
	p.attempts = append(p.attempts, again)
	err = p.run(ctx, tidySteps)
	again, p.attempts = p.attempts[last], p.attempts[:last]
	return again, err
}

// rightCharacters estimates the number of characters that are right.
func (a *attempt) rightCharacters() float64 { return a.right * float64(characters(a.blocks)) }

// evened returns the sheet with its paler ink as dark as that of most words, or nil if hardly any ink outside the words is
// paler, or none of it is next to words that are hardly darker: then the ink does not fade.
func (s sheet) evened(blocks []document.Block) *image.Gray {
	inks := imaging.InkOf(s.img, fadingCell*s.letterHeight)
	ink := inks.Ink.Values
	isRead := make([]bool, len(ink))
	for w := range document.Words(blocks) {
		for i := range inks.Cells(w.Box.Rectangle()) {
			isRead[i] = true
		}
	}
	var read []float32
	for i, v := range ink {
		if isRead[i] {
			read = append(read, v)
		}
	}
	if len(read) == 0 {
		return nil
	}
	slices.Sort(read)
	dark := read[int(fadingQuantile*float64(len(read)))]
	faintest, pale, fading := max(dark/maxEvened, minEvenedInk), 0, 0
	for i, v := range ink {
		if isRead[i] || v < faintest || v > paleInk*dark {
			continue
		}
		pale++
		for j := range inks.Around(i) {
			if isRead[j] && ink[j] <= maxFadingStep*v {
				fading++
				break
			}
		}
	}
	if float64(pale) < minPaleShare*float64(len(read)) || fading < minFadingCells {
		return nil
	}
	return imaging.EvenInk(s.img, inks, dark, faintest)
}

// hasUnreadLines reports whether most of the longest rows of letters outside the words of the best attempt are writing.
func (p *page) hasUnreadLines(ctx context.Context) (bool, error) {
	a, height := &p.attempts[0], float64(p.sheet.letterHeight)
	claimed := newBoxIndex(claimedAreas(a.blocks, p.sheet.letterHeight))
	open := slices.DeleteFunc(imaging.LetterShaped(p.sheet.marks), func(c image.Rectangle) bool {
		h := float64(c.Dy())
		return h < minMissedHeight*height || h > maxMissedHeight*height || claimed.contains(c)
	})
	rows := slices.DeleteFunc(rowPatches(open, p.sheet.letterHeight), func(row patch) bool { return row.letters < minPaleRow })
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
