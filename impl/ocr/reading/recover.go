package reading

import (
	"context"
	"image"
	"slices"
	"unicode"

	"uncial/impl/ocr/imaging"
	"uncial/impl/ocr/tesseract"
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
	pieces := toPieces(a.blocks)
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
			pieces = insert(pieces, line, p.cut)
		}
	}
	if hits > 0 {
		a.blocks = fromPieces(pieces)
		a.right = pageConfidence(a.blocks, len(s.letters))
	}
	return nil
}

// read reads a patch as a line, which has no words where the patch is no writing.
func (p *patch) read(ctx context.Context, src Source, img *image.Gray, model string) (document.Line, error) {
	place := around(toBox(p.box), img.Rect)
	blocks, err := src.Read(ctx, imaging.Crop(img, place), model, tesseract.SingleLine)
	if err != nil {
		return document.Line{}, err
	}
	var line document.Line
	for _, b := range blocks {
		for _, l := range b.Lines {
			if l = moved(l, place.Min); len(line.Words) > 0 {
				l = joinLines(line, l)
			}
			line = l
		}
	}
	line.Words = slices.DeleteFunc(line.Words, func(w document.Word) bool {
		return !image.Pt(w.Box.X+w.Box.W/2, w.Box.Y+w.Box.H/2).In(p.box)
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
	n, others := 0, 0
	for _, r := range l.Text() {
		switch {
		case unicode.IsLetter(r), unicode.IsDigit(r):
			n++
		case !unicode.IsSpace(r):
			others++
		}
	}
	share := float64(n) / float64(p.letters)
	return meanConfidence([]document.Block{{Lines: []document.Line{l}}}) >= missedSure &&
		n >= missedLetters && n >= others && share >= fewestOfMissed && (share <= mostOfMissed || len(p.cut) > 0)
}

// moved is a line of a part of the page, in its place on the page.
func moved(l document.Line, by image.Point) document.Line {
	l.Words, l.Baseline = slices.Clone(l.Words), slices.Clone(l.Baseline)
	for i := range l.Words {
		l.Words[i].Box.X, l.Words[i].Box.Y = l.Words[i].Box.X+by.X, l.Words[i].Box.Y+by.Y
	}
	for i := range l.Baseline {
		l.Baseline[i].X, l.Baseline[i].Y = l.Baseline[i].X+by.X, l.Baseline[i].Y+by.Y
	}
	l.Box = wordsBox(l.Words)
	return l
}
