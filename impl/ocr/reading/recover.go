package reading

import (
	"context"
	"image"
	"slices"

	"uncial/impl/ocr/layout"
	"uncial/internal/document"
)

const (
	// mostMissed is how many patches of a page are read. A page of a catalogue has two for each of its rows.
	mostMissed = 100
	// firstMissed is how many are read in any case, and missedHits the share of them, 1 in missedHits, that must turn
	// out to be writing for more to be read.
	firstMissed = 6
	missedHits  = 3
	// missedSure is the recognizer's own confidence from which on a patch is taken for writing.
	missedSure = 0.75
	// fewestOfMissed and mostOfMissed are how many letters and digits a patch may hold for each spot that can be one.
	fewestOfMissed, mostOfMissed = 0.5, 2.0
)

// recoverMissed reads the ink that no word holds and puts what is well read to its place. It leaves a reading that is in doubt:
// there, what was missed cannot be told from what cannot be read.
func (a *attempt) recoverMissed(ctx context.Context, src Source, s sheet) error {
	if a.right < doubt {
		return nil
	}
	sequence := layout.SequenceOf(a.blocks)
	found := missedInk(s.img.Rect, s.inked(), a.seen)
	hits := 0
	for i, p := range found {
		if i >= firstMissed && hits*missedHits < i {
			break
		}
		line, err := p.read(ctx, src, s.img, a.model)
		if err != nil {
			return err
		}
		if len(line.Words) > 0 {
			hits++
			sequence.Insert(line, p.cut)
		}
	}
	if hits > 0 {
		a.blocks = sequence.Blocks()
		a.right = pageConfidence(a.blocks, len(s.letters))
	}
	return nil
}

// read reads a patch as a line, which has no words where the patch is no writing.
func (p *patch) read(ctx context.Context, src Source, img *image.Gray, model string) (document.Line, error) {
	line, err := readLine(ctx, src, img, model, toBox(p.box))
	if err != nil {
		return document.Line{}, err
	}
	line.Words = slices.DeleteFunc(line.Words, func(w document.Word) bool {
		return !middleOf(rectOf(w.Box)).In(p.box)
	})
	line.Box = wordsBox(line.Words)
	if !p.writing(line) {
		return document.Line{}, nil
	}
	return line, nil
}

// writing says whether what was read from a patch is writing: well read, about as many letters and digits as there are
// spots, and hardly anything else.
func (p *patch) writing(l document.Line) bool {
	block := []document.Block{{Lines: []document.Line{l}}}
	n := 0
	for _, w := range l.Words {
		n += lettersAndDigits(w.Text)
	}
	others := characters(block) - n
	share := float64(n) / float64(p.letters)
	return meanConfidence(block) >= missedSure &&
		n >= missedLetters && n >= others && share >= fewestOfMissed && (share <= mostOfMissed || len(p.cut) > 0)
}
