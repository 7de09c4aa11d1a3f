package reading

import (
	"image"
	"slices"
	"unicode/utf8"

	"uncial/impl/ocr/imaging"
	"uncial/internal/document"
)

// unreadInk returns the ink outside all words that looks like writing, except in the illegible parts. It returns all letters
// outside words if the page has no words, if the first reading ran out of time, or if a later step did and less was read than
// is left.
func (p *page) unreadInk(illegible []document.Doubt) []document.Doubt {
	listed := boxesOf(illegible)
	if len(p.read.Blocks) == 0 || p.curtailed {
		rest := p.lettersOutside(slices.Concat(wordBoxes(p.read.Blocks), listed))
		if len(p.read.Blocks) == 0 || p.isPartial || 2*len(rest) > len(p.sheet.letters) {
			if len(rest) < minUnreadLetters {
				return nil
			}
			return []document.Doubt{unread(imaging.Union(rest), len(rest))}
		}
	}
	var doubts []document.Doubt
	for _, found := range findMissed(p.gray.Rect, p.sheet.components, p.read.Blocks, 1) {
		if found.letters >= minUnreadLetters && !slices.ContainsFunc(listed, imaging.Middle(found.box).In) {
			doubts = append(doubts, unread(found.box, found.letters))
		}
	}
	return doubts
}

// stillIllegible returns the illegible parts in which no later step read anything, such as handwriting.
func (p *page) stillIllegible() []document.Doubt {
	words := wordBoxes(p.read.Blocks)
	return slices.DeleteFunc(slices.Clone(p.illegible), func(d document.Doubt) bool {
		return slices.ContainsFunc(words, func(w image.Rectangle) bool { return imaging.Middle(w).In(d.Box.Rectangle()) })
	})
}

// lettersOutside returns the letters of the page whose middles are outside all boxes.
func (p *page) lettersOutside(boxes []image.Rectangle) []image.Rectangle {
	return slices.DeleteFunc(slices.Clone(p.sheet.letters), newBoxIndex(boxes).contains)
}

// boxesOf returns the boxes of doubts.
func boxesOf(doubts []document.Doubt) []image.Rectangle {
	var boxes []image.Rectangle
	for _, d := range doubts {
		boxes = append(boxes, d.Box.Rectangle())
	}
	return boxes
}

// unread returns the doubt that a part of the page with that number of letters was not read.
func unread(at image.Rectangle, letters int) document.Doubt {
	return document.Doubt{Box: document.BoxOf(at), Reason: document.UnreadInk, Characters: letters}
}

// doubtfulOrder returns the part of the page that is a table. From its lines alone, it is impossible to tell whether people
// read it by rows or by columns. Lines of different regions are not cells of a row if the usual lines of both are long, as in
// the columns of a newspaper.
func (p *page) doubtfulOrder() []document.Doubt {
	lines := slices.Collect(document.Lines(p.read.Blocks))
	length, region := make([]int, len(lines)), make([]int, len(lines))
	lengths := map[int][]int{} // of the lines of each region
	for i, l := range lines {
		length[i] = utf8.RuneCountInString(l.Text())
		region[i] = p.sheet.regionAt(p.sheet.boxOnSheet(l.Box), -1)
		lengths[region[i]] = append(lengths[region[i]], length[i])
	}
	isNarrow := map[int]bool{}
	for r, all := range lengths {
		slices.Sort(all)
		isNarrow[r] = all[len(all)/2] <= maxCellLength
	}
	var table document.Doubt
	all, cells := 0, 0
	for i, l := range lines {
		all += length[i]
		isCell := false
		for j, other := range lines {
			// Neighbours in a row that were read one after the other are in order.
			isCell = isCell || max(i-j, j-i) > 1 && min(length[i], length[j]) <= maxCellLength &&
				(region[i] == region[j] || isNarrow[region[i]] || isNarrow[region[j]]) &&
				areSideBySide(l.Box, other.Box) && (l.Box.X < p.cut) == (other.Box.X < p.cut)
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
