package reading

import (
	"context"
	"image"
	"math"
	"slices"

	"uncial/impl/ocr/imaging"
	"uncial/impl/ocr/layout"
	"uncial/internal/document"
)

// recoverMissed reads the ink outside the boxes of all words, and inserts the lines of writing that it finds. What the model of
// the page cannot read is read by our own network for print.
func recoverMissed(ctx context.Context, p *page) error {
	a := &p.attempts[0]
	return p.insertPatches(findMissed(p.sheet.img.Rect, p.sheet.marks, a.raw, 1), func(found *patch) (document.Line, error) {
		line, err := found.read(ctx, p.sheet.source(p.src), p.sheet.img, a.model)
		if err != nil || len(line.Words) > 0 || !mayUseNetwork(p) {
			return line, err
		}
		return p.readByNetwork(ctx, found, maxPatchShare)
	})
}

// insertPatches reads patches as long as enough of them are writing, and inserts their lines into the reading.
func (p *page) insertPatches(found []patch, read func(*patch) (document.Line, error)) error {
	a := &p.attempts[0]
	var sequences []*layout.Sequence // of the lines of each region
	for _, part := range p.sheet.byRegion(a.blocks) {
		sequences = append(sequences, layout.SequenceOf(part))
	}
	hits := 0
	for i := range found {
		if i >= minTriedPatches && hits*maxTriesPerHit < i {
			break
		}
		line, err := read(&found[i])
		if err != nil {
			return err
		}
		if len(line.Words) > 0 {
			hits++
			sequences[p.sheet.regionAt(line.Box, 0)].Insert(line, found[i].cut)
		}
	}
	if hits > 0 {
		a.blocks = nil
		for _, s := range sequences {
			a.blocks = append(a.blocks, s.Blocks()...)
		}
		a.right = pageConfidence(a.blocks, len(p.sheet.letters))
	}
	return nil
}

// read reads a patch as one line. If the patch is not writing, the line has no words.
func (p *patch) read(ctx context.Context, src Source, img *image.Gray, model string) (document.Line, error) {
	line, err := readLine(ctx, src, img, model, document.BoxOf(p.box))
	if err != nil {
		return document.Line{}, err
	}
	line.Words = slices.DeleteFunc(line.Words, func(w document.Word) bool { return !imaging.Middle(w.Box.Rectangle()).In(p.box) })
	line.Box = document.WordsBox(line.Words)
	if !p.isWriting(line, maxPatchShare) {
		return document.Line{}, nil
	}
	return line, nil
}

// isWriting reports whether a line that was read in the patch is writing: it was read with confidence, has about as many
// letters and digits as the patch has components, at most maxShare for each, and few other characters.
func (p *patch) isWriting(l document.Line, maxShare float64) bool {
	n := 0
	for _, w := range l.Words {
		n += lettersAndDigits(w.Text)
	}
	others := characters(oneLine(l)) - n
	share := float64(n) / float64(p.letters)
	return meanWordConfidence(l.Words) >= minPatchConfidence &&
		n >= minPatchLetters && n >= others && share >= minPatchShare && (share <= maxShare || len(p.cut) > 0)
}

// claimedAreas returns the areas of the page that belong to words. The recognizer often gives a word the box of a single
// letter, so its area has the height of its line, and extends on both sides as far as its characters need and its neighbours
// allow. height is the height of letters in pixels.
func claimedAreas(blocks []document.Block, height int) []image.Rectangle {
	var all []image.Rectangle
	for l := range document.Lines(blocks) {
		for i, w := range l.Words {
			from, to := math.MinInt, math.MaxInt
			if i > 0 {
				from = l.Words[i-1].Box.Right()
			}
			if i+1 < len(l.Words) {
				to = l.Words[i+1].Box.X
			}
			all = append(all, claimedArea(w, l.Box, height, from, to))
		}
	}
	return all
}

// claimedArea returns the area that belongs to a word of a line, between from and to. The area of punctuation is its box.
func claimedArea(w document.Word, line document.Box, height, from, to int) image.Rectangle {
	r := w.Box.Rectangle()
	n := lettersAndDigits(w.Text)
	if n == 0 {
		return r
	}
	lacking := max(n*height-w.Box.W, 0)
	return image.Rect(
		min(r.Min.X, max(r.Min.X-lacking, from)), line.Y,
		max(r.Max.X, min(r.Max.X+lacking, to)), line.Y+line.H,
	)
}
