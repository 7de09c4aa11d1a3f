package reading

import (
	"image"
	"slices"
	"unicode/utf8"

	"uncial/internal/document"
)

// unreadInk returns the ink outside all words that looks like writing. On a page without words, that is all of its letters.
func (p *page) unreadInk() []document.Doubt {
	doubt := func(at image.Rectangle, letters int) document.Doubt {
		return document.Doubt{Box: document.BoxOf(at), Reason: document.UnreadInk, Characters: letters}
	}
	if len(p.read.Blocks) == 0 {
		if len(p.sheet.letters) < minUnreadLetters {
			return nil
		}
		var all image.Rectangle
		for _, l := range p.sheet.letters {
			all = all.Union(l)
		}
		return []document.Doubt{doubt(all, len(p.sheet.letters))}
	}
	var doubts []document.Doubt
	for _, found := range findMissed(p.gray.Rect, p.sheet.components, p.read.Blocks) {
		if found.letters >= minUnreadLetters {
			doubts = append(doubts, doubt(found.box, found.letters))
		}
	}
	return doubts
}

// doubtfulOrder returns the part of the page that is a table. From its lines alone, it is impossible to tell whether people
// read it by rows or by columns.
func (p *page) doubtfulOrder() []document.Doubt {
	lines := slices.Collect(document.Lines(p.read.Blocks))
	length := make([]int, len(lines))
	for i, l := range lines {
		length[i] = utf8.RuneCountInString(l.Text())
	}
	var table document.Doubt
	all, cells := 0, 0
	for i, l := range lines {
		all += length[i]
		isCell := false
		for j, other := range lines {
			// Neighbours in a row that were read one after the other are in order.
			isCell = isCell || max(i-j, j-i) > 1 && min(length[i], length[j]) <= maxCellLength && areSideBySide(l.Box, other.Box)
		}
		if isCell {
			table.Box = table.Box.Union(l.Box)
			table.Characters += length[i]
			cells++
		}
	}
	if cells < minCells || float64(table.Characters) < minTableShare*float64(all) {
		return nil
	}
	table.Reason, table.Confidence = document.DoubtfulOrder, orderShare*document.CorrectShare(p.read.Blocks)
	return []document.Doubt{table}
}

// areSideBySide reports whether two lines are in one row and do not overlap.
func areSideBySide(a, b document.Box) bool {
	common := min(a.Y+a.H, b.Y+b.H) - max(a.Y, b.Y)
	return 2*common > min(a.H, b.H) && (a.Right() < b.X || b.Right() < a.X)
}
