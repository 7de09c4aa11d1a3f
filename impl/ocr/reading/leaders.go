package reading

import (
	"cmp"
	"context"
	"image"
	"image/draw"
	"slices"
	"strings"

	"uncial/impl/ocr/imaging"
	"uncial/impl/ocr/layout"
	"uncial/internal/document"
)

// eraseLeaders whitens the leaders among the spots of the sheet, and returns the other spots. Tesseract takes leaders for rules
// or text, and loses the numbers to which they lead; and the dots look like handwriting.
func (s *sheet) eraseLeaders(spots []image.Rectangle) []image.Rectangle {
	found := layout.Leaders(spots)
	if len(found) == 0 {
		return spots
	}
	s.img = withoutDots(s.img, found)
	s.leaders = append(s.leaders, found...)
	isDot := map[image.Rectangle]bool{}
	for _, l := range found {
		for _, d := range l.Dots {
			isDot[d] = true
		}
	}
	return slices.DeleteFunc(spots, func(s image.Rectangle) bool { return isDot[s] })
}

// withoutDots returns an image without the dots of leaders; the image itself if there are none.
func withoutDots(g *image.Gray, leaders []layout.Leader) *image.Gray {
	if len(leaders) == 0 {
		return g
	}
	out := image.NewGray(g.Rect)
	copy(out.Pix, g.Pix)
	for _, l := range leaders {
		for _, d := range l.Dots {
			draw.Draw(out, d.Inset(-dotMargin), image.White, image.Point{}, draw.Src)
		}
	}
	return out
}

// followsLeader reports whether a box of the sheet is at the end of a leader, as the number to which it leads is.
func (s sheet) followsLeader(b image.Rectangle) bool {
	return slices.ContainsFunc(s.leaders, func(l layout.Leader) bool {
		end := s.boxOnSheet(document.BoxOf(l.Dots[len(l.Dots)-1]))
		gap := b.Min.X - end.Right()
		return end.Y > b.Min.Y && end.Y < b.Max.Y+s.letterHeight/2 && gap > 0 && gap < afterLeader*s.letterHeight
	})
}

// hasLeaders reports whether the page is print with leaders.
func hasLeaders(p *page) bool { return !p.isHandwritten && len(p.sheet.leaders) > 0 }

// restoreLeaders inserts the dots of the leaders into the lines that were read beside them.
func restoreLeaders(_ context.Context, p *page) error {
	for _, leader := range p.sheet.leaders {
		box := document.BoxOf(leader.Box)
		if line := lineBeside(p.read.Blocks, box); line != nil {
			insertLeader(line, len(leader.Dots), box)
		}
	}
	for i, b := range p.read.Blocks {
		p.read.Blocks[i] = document.BlockOf(b.Lines)
	}
	return nil
}

// lineBeside returns the line of print whose row has a leader's box, and that has a word to the left or to the right of it but
// none in its middle: the line whose nearest word is nearest; nil if there is none.
func lineBeside(blocks []document.Block, leader document.Box) *document.Line {
	var best *document.Line
	nearest := 0
	middle := imaging.Middle(leader.Rectangle())
	for line := range document.Lines(blocks) {
		if line.Handwritten || middle.Y < line.Box.Y || middle.Y > line.Box.Y+line.Box.H {
			continue
		}
		for _, w := range line.Words {
			if distance := max(leader.X-w.Box.Right(), w.Box.X-leader.Right()); best == nil || distance < nearest {
				best, nearest = line, distance
			}
		}
	}
	return best
}

// insertLeader inserts the dots of a leader into a line, as a word that has the confidence of the line's surest word.
func insertLeader(line *document.Line, dots int, box document.Box) {
	surest := slices.MaxFunc(line.Words, func(a, b document.Word) int { return cmp.Compare(a.Confidence, b.Confidence) })
	word := document.Word{
		Text: strings.Repeat(".", dots), Box: box, Confidence: surest.Confidence, Model: surest.Model, Signals: surest.Signals,
	}
	x := imaging.Middle(box.Rectangle()).X
	at := slices.IndexFunc(line.Words, func(w document.Word) bool { return imaging.Middle(w.Box.Rectangle()).X > x })
	if at < 0 {
		at = len(line.Words)
	}
	line.Words = slices.Insert(line.Words, at, word)
	line.Box = document.WordsBox(line.Words)
}
