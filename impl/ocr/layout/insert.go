package layout

import (
	"cmp"
	"slices"

	"uncial/internal/document"
)

// Insert inserts a line of print that the layout analysis missed. If the line contains the rest of words that were cut off, it
// replaces them; cut has their boxes. Words that are between the words of another line are inserted there. Numbers, and
// words near enough to have been torn off, join the line in their row. Anything else becomes a separate line.
func (s *Sequence) Insert(l document.Line, cut []document.Box) { s.pieces = insert(s.pieces, l, cut) }

// InsertWhole inserts a whole line of print, which belongs to no other line, by its height on the page.
func (s *Sequence) InsertWhole(l document.Line) { s.pieces = insertByHeight(s.pieces, l) }

// insert implements Sequence.Insert. The cases are in order of precedence: cut-off words that the line replaces, then
// neighbours in the same row, which the line joins or follows, then its height on the page.
func insert(pieces []piece, l document.Line, cut []document.Box) []piece {
	if i := holding(pieces, cut); i >= 0 {
		pieces[i].line = mixed(pieces[i].line, l)
		return withoutWords(pieces, cut, l.Words)
	}
	left, rightOf := neighbours(pieces, l.Box)
	switch {
	case left >= 0 && pieces[left].line.Box.Right() > l.Box.X:
		pieces[left].line = mixed(pieces[left].line, l)
	case rightOf >= 0 && isTorn(pieces, rightOf, l):
		pieces[rightOf].line = JoinLines(l, pieces[rightOf].line)
	case left >= 0 && (isNumber(l) || isTorn(pieces, left, l)):
		pieces[left].line = JoinLines(pieces[left].line, l)
	case rightOf >= 0 && isNumber(l):
		pieces[rightOf].line = JoinLines(l, pieces[rightOf].line)
	case left >= 0 && !isApart(pieces, left, l):
		return slices.Insert(pieces, left+1, piece{line: l, block: pieces[left].block})
	case rightOf >= 0 && !isApart(pieces, rightOf, l):
		return slices.Insert(pieces, rightOf, piece{line: l, block: pieces[rightOf].block})
	default:
		return insertByHeight(pieces, l)
	}
	return pieces
}

// isTorn reports whether a line and a piece in its row are parts of one torn line.
func isTorn(pieces []piece, i int, l document.Line) bool {
	a, b := pieces[i].line.Box, l.Box
	gap := max(a.X-b.Right(), b.X-a.Right())
	return float64(gap) <= tornGap*float64(min(a.H, b.H)) && !isApart(pieces, i, l)
}

// isApart reports whether a line and a piece in its row are in different columns.
func isApart(pieces []piece, i int, l document.Line) bool {
	with := append(slices.Clone(pieces), piece{line: l})
	if pieces[i].line.Box.X < l.Box.X {
		return isGutter(with, i, len(pieces))
	}
	return isGutter(with, len(pieces), i)
}

// insertByHeight inserts a line that has no near neighbour in its row. It inserts the line after the nearest line above in its
// column and the lines that continue downwards from there, or else before the nearest line below in its column, or else after
// the lowest line above. A line in its row, far to its right, counts as below.
func insertByHeight(pieces []piece, l document.Line) []piece {
	if len(pieces) == 0 {
		return []piece{{line: l}}
	}
	above, below, anyAbove := -1, -1, -1
	left, _ := neighbours(pieces, l.Box)
	for i, p := range pieces {
		b := p.line.Box
		inColumn := b.X < l.Box.Right() && l.Box.X < b.Right()
		if middle(b) >= middle(l.Box) || InRow(b, l.Box) && b.X > l.Box.X {
			if inColumn && (below < 0 || middle(b) < middle(pieces[below].line.Box)) {
				below = i
			}
			continue
		}
		if inColumn && (above < 0 || middle(b) > middle(pieces[above].line.Box)) {
			above = i
		}
		if anyAbove < 0 || middle(b) > middle(pieces[anyAbove].line.Box) {
			anyAbove = i
		}
	}
	switch {
	case anyAbove < 0 && (left < 0 || below < 0): // it is on top, or beside the lines on top
		return slices.Insert(pieces, left+1, piece{line: l, block: pieces[max(left, 0)].block})
	case above < 0 && below >= 0:
		return slices.Insert(pieces, below, piece{line: l, block: pieces[below].block})
	case above < 0:
		above = anyAbove
	}
	for above+1 < len(pieces) && follows(pieces[above], pieces[above+1], l.Box) {
		above++
	}
	return slices.Insert(pieces, above+1, piece{line: l, block: pieces[above].block})
}

// follows reports whether next is below p or to its right in its row, but still above the row of box or to its left in the row.
func follows(p, next piece, box document.Box) bool {
	b := next.line.Box
	isAfter := middle(b) > middle(p.line.Box) || InRow(b, p.line.Box) && b.X > p.line.Box.X
	return isAfter && (middle(b) < middle(box) && !InRow(b, box) || InRow(b, box) && b.X < box.X)
}

// neighbours returns the indices of the nearest pieces to the left and to the right of a box in its row, or -1.
func neighbours(pieces []piece, box document.Box) (left, rightOf int) {
	left, rightOf = -1, -1
	for i, p := range pieces {
		b := p.line.Box
		switch {
		case InRow(b, box) && b.X < box.X:
			if left < 0 || b.Right() > pieces[left].line.Box.Right() {
				left = i
			}
		case InRow(b, box):
			if rightOf < 0 || b.X < pieces[rightOf].line.Box.X {
				rightOf = i
			}
		}
	}
	return left, rightOf
}

// holding returns the index of the first piece that has a word with one of the boxes, or -1.
func holding(pieces []piece, boxes []document.Box) int {
	return slices.IndexFunc(pieces, func(p piece) bool {
		return slices.ContainsFunc(p.line.Words, func(w document.Word) bool { return slices.Contains(boxes, w.Box) })
	})
}

// withoutWords removes the words with one of the boxes, except those in kept, and then pieces without words.
func withoutWords(pieces []piece, boxes []document.Box, kept []document.Word) []piece {
	for i := range pieces {
		line := &pieces[i].line
		line.Words = slices.DeleteFunc(slices.Clone(line.Words), func(w document.Word) bool {
			isKept := slices.ContainsFunc(kept, func(k document.Word) bool { return k.Box == w.Box && k.Text == w.Text })
			return slices.Contains(boxes, w.Box) && !isKept
		})
		line.Box = document.WordsBox(line.Words)
	}
	return slices.DeleteFunc(pieces, func(p piece) bool { return len(p.line.Words) == 0 })
}

// mixed returns a line with the words of both lines, from left to right.
func mixed(l, other document.Line) document.Line {
	l.Words = slices.Concat(l.Words, other.Words)
	slices.SortStableFunc(l.Words, func(a, b document.Word) int { return cmp.Compare(a.Box.X, b.Box.X) })
	l.Box = document.WordsBox(l.Words)
	return l
}
