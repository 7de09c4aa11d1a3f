package reading

import (
	"cmp"
	"context"
	"image"
	"image/color"
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

// withoutLeaders returns the page without the dots of its leaders.
func (p *page) withoutLeaders() *image.Gray { return withoutDots(p.gray, p.sheet.leaders) }

// withoutDots returns a copy of an image without the dots of leaders, or the image itself if there are none. Dots get the
// lightest grey beside them.
func withoutDots(g *image.Gray, leaders []layout.Leader) *image.Gray {
	if len(leaders) == 0 {
		return g
	}
	out := imaging.Crop(g, g.Rect)
	for _, l := range leaders {
		for _, d := range l.Dots {
			around := d.Inset(-1 - max(d.Dx(), d.Dy())/2).Intersect(g.Rect) // with the grey edge of the dot
			paper := uint8(0)
			for y := around.Min.Y; y < around.Max.Y; y++ {
				paper = max(paper, slices.Max(g.Pix[g.PixOffset(around.Min.X, y):g.PixOffset(around.Max.X, y)]))
			}
			draw.Draw(out, around, image.NewUniform(color.Gray{Y: paper}), image.Point{}, draw.Src)
		}
	}
	return out
}

// leaderMarks returns boxes in pixels of the sheet, as high as letters and next to each other, that fill the leaders, and the
// space between two leaders that has room only for a number: the entry before them has several.
func (s sheet) leaderMarks() (marks []image.Rectangle) {
	fill := func(from, to image.Rectangle) {
		for x := from.Min.X; x < to.Max.X; x += s.letterHeight {
			marks = append(marks, image.Rect(x, to.Max.Y-s.letterHeight, min(x+s.letterHeight, to.Max.X), to.Max.Y))
		}
	}
	onSheet := func(dot image.Rectangle) image.Rectangle { return s.boxOnSheet(document.BoxOf(dot)).Rectangle() }
	begins := map[int][]image.Rectangle{} // the first dots of the leaders, by rows as high as a letter
	for _, l := range s.leaders {
		dot := onSheet(l.Dots[0])
		begins[dot.Max.Y/s.letterHeight] = append(begins[dot.Max.Y/s.letterHeight], dot)
	}
	for _, l := range s.leaders {
		for i := 1; i < len(l.Dots); i++ {
			fill(onSheet(l.Dots[i-1]), onSheet(l.Dots[i]))
		}
		end := onSheet(l.Dots[len(l.Dots)-1])
		for row := -1; row <= 1; row++ {
			for _, next := range begins[end.Max.Y/s.letterHeight+row] {
				if gap := next.Min.X - end.Max.X; gap > 0 && gap <= betweenLeaders*s.letterHeight {
					fill(end, next)
				}
			}
		}
	}
	return marks
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
	var lines []lineOnSheet
	for line := range document.Lines(p.read.Blocks) {
		if !line.Handwritten {
			l := lineOnSheet{line: line}
			for _, w := range line.Words {
				l.words = append(l.words, p.sheet.boxOnSheet(w.Box))
			}
			lines = append(lines, l)
		}
	}
	for _, leader := range p.sheet.leaders {
		first, last := p.sheet.boxOnSheet(document.BoxOf(leader.Dots[0])), p.sheet.boxOnSheet(document.BoxOf(leader.Dots[len(leader.Dots)-1]))
		if l, at := lineBeside(lines, first, last); l != nil {
			insertLeader(l, at, len(leader.Dots), document.BoxOf(leader.Box), first.Union(last))
		}
	}
	fitBlocks(p.read.Blocks)
	return nil
}

// lineOnSheet is a line of the page, and the boxes of its words on the sheet, where lines are level.
type lineOnSheet struct {
	line  *document.Line
	words []document.Box
}

// lineBeside returns the line with the word that is nearest to the first dot of a leader, to its left, or to the last one, to
// its right, and the index of the word before which the leader belongs; nil if there is none. The word is in the row of the
// dot, and no word of the line is between the dots. All boxes are on the sheet.
func lineBeside(lines []lineOnSheet, first, last document.Box) (best *lineOnSheet, at int) {
	nearest := 0
	for i := range lines {
		l := &lines[i]
		if slices.ContainsFunc(l.words, func(w document.Box) bool { return w.X > first.X && w.Right() < last.Right() && isInRow(w, first, last) }) {
			continue
		}
		for k, w := range l.words {
			distance, index := max(first.X-w.Right(), 0), k+1
			if isRightOf(w, first, last) {
				distance, index = max(w.X-last.Right(), 0), k
			}
			if isInRow(w, first, last) && (best == nil || distance < nearest) {
				best, at, nearest = l, index, distance
			}
		}
	}
	return best, at
}

// isRightOf reports whether a word is to the right of a leader and not to the left. Its box may overlap the dots, because
// recognizers often add blank to a word.
func isRightOf(w, first, last document.Box) bool { return w.X+w.Right() > first.X+last.Right() }

// isInRow reports whether the dot of a leader that is nearer to a word stands on the line of the word: within its box, or a
// little below it, because a word without descenders ends at the baseline.
func isInRow(w, first, last document.Box) bool {
	dot := first
	if isRightOf(w, first, last) {
		dot = last
	}
	y := dot.Y + dot.H/2
	return y > w.Y+w.H/3 && y < w.Y+w.H+dot.H
}

// insertLeader inserts the dots of a leader before a word of a line, as a word that has the confidence of the line's surest
// word. The boxes of its neighbours end beside it.
func insertLeader(l *lineOnSheet, at, dots int, onPage, onSheet document.Box) {
	line := l.line
	surest := slices.MaxFunc(line.Words, func(a, b document.Word) int { return cmp.Compare(a.Confidence, b.Confidence) })
	if at > 0 {
		before := &line.Words[at-1].Box
		before.W = max(min(before.W, onPage.X-before.X), 1)
	}
	if at < len(line.Words) {
		after := &line.Words[at].Box
		right := after.Right()
		after.X = min(max(after.X, onPage.Right()), right-1)
		after.W = right - after.X
	}
	line.Words = slices.Insert(line.Words, at, document.Word{
		Text: strings.Repeat(".", dots), Box: onPage, Confidence: surest.Confidence, Model: surest.Model, Signals: surest.Signals,
	})
	l.words = slices.Insert(l.words, at, onSheet)
	line.Box = document.WordsBox(line.Words)
}
