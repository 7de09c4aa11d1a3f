package reading

import (
	"context"
	"image"
	"image/draw"
	"slices"

	"uncial/impl/ocr/imaging"
	"uncial/impl/ocr/layout"
	"uncial/internal/document"
)

// eraseStaves whitens the staves of music on the sheet, so that notes are not read as letters, and the text between staves is
// found.
func eraseStaves(_ context.Context, p *page) error {
	s := &p.sheet
	s.staves = layout.Staves(s.img, s.marks, s.letterHeight)
	if len(s.staves) == 0 {
		return nil
	}
	img := imaging.Crop(s.img, s.img.Rect)
	erased, near := make([]image.Rectangle, len(s.staves)), make([]image.Rectangle, len(s.staves))
	for i, b := range s.staves {
		margin := int(staffMargin * float64(b.Dy()))
		erased[i], near[i] = b.Inset(-margin), b.Inset(-margin-b.Dy())
		draw.Draw(img, erased[i], image.White, image.Point{}, draw.Src)
	}
	for _, m := range imaging.AllSpots(img) { // the ends of stems and beams
		if i := slices.IndexFunc(near, m.In); i >= 0 && m.Inset(-1).Overlaps(erased[i]) && min(m.Dx(), m.Dy()) <= s.letterHeight {
			draw.Draw(img, m, image.White, image.Point{}, draw.Src)
		}
	}
	s.img, s.marks = img, imaging.Spots(img)
	return nil
}

// isPrint reports whether the page was read as print, and has enough letters to determine their usual height.
func isPrint(p *page) bool { return !p.isHandwritten && hasLetterHeight(p) }

// findGraphics finds the pictures and the music of a printed page, and drops the words that were read in them.
func findGraphics(_ context.Context, p *page) error {
	for _, b := range p.sheet.staves {
		p.addGraphic(p.sheet.boxOnPage(document.BoxOf(b)), document.Music)
	}
	if !p.sheet.halftone.Empty() {
		p.addGraphic(document.BoxOf(p.sheet.halftone), document.Illustration)
	}
	for _, b := range layout.Illustrations(p.sheet.img, p.sheet.marks, p.sheet.letterHeight) {
		if box := withoutText(p.sheet.boxOnPage(document.BoxOf(b)), p.read.Blocks); !holdsText(box, p.read.Blocks) {
			p.addGraphic(box, document.Illustration)
		}
	}
	return nil
}

// addGraphic adds a graphic to the page, unless it already has the maximum number, and drops the words in it.
func (p *page) addGraphic(box document.Box, kind document.GraphicKind) {
	if len(p.graphics) == document.MaxGraphics {
		return
	}
	p.graphics = append(p.graphics, document.Graphic{Box: box, Kind: kind})
	p.read.Blocks = deleteWords(p.read.Blocks, func(w document.Word) bool { return imaging.Middle(w.Box.Rectangle()).In(box.Rectangle()) })
}

// withoutText returns the box of a picture without the lines of text above and below it. The box includes such lines if an
// initial touches the picture's frame.
func withoutText(box document.Box, blocks []document.Block) document.Box {
	top, bottom := box.Y, box.Y+box.H
	for w := range document.Words(blocks) {
		middle := imaging.Middle(w.Box.Rectangle())
		if w.Confidence < sureInPicture || !middle.In(box.Rectangle()) {
			continue
		}
		switch {
		case middle.Y < box.Y+box.H/3:
			top = max(top, w.Box.Y+w.Box.H)
		case middle.Y >= box.Y+2*box.H/3:
			bottom = min(bottom, w.Box.Y)
		}
	}
	return document.Box{X: box.X, Y: top, W: box.W, H: max(bottom-top, 1)}
}

// holdsText reports whether the words that were read in a box are text instead of scraps of a picture.
func holdsText(box document.Box, blocks []document.Block) bool {
	letters, covered := 0, 0
	for w := range document.Words(blocks) {
		if !imaging.Middle(w.Box.Rectangle()).In(box.Rectangle()) {
			continue
		}
		covered += w.Box.W * w.Box.H
		if w.Confidence >= sureInPicture {
			letters += lettersAndDigits(w.Text)
		}
	}
	return letters >= maxSureLetters || float64(covered) >= maxCovered*float64(box.W*box.H)
}
