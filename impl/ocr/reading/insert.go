package reading

import (
	"cmp"
	"slices"

	"uncial/internal/document"
)

// insert puts a line that the layout analysis missed among the pieces. What goes on from words that were cut off takes their
// place; what stands between words goes between them; figures, and what is near enough to be torn off, go to the line beside
// them; anything else is a line of its own.
func insert(pieces []piece, l document.Line, cut []document.Box) []piece {
	if i := holding(pieces, cut); i >= 0 {
		pieces[i].line = mixed(pieces[i].line, l)
		return withoutWords(pieces, cut, l.Words)
	}
	left, beyond := neighbours(pieces, l.Box)
	switch {
	case left >= 0 && right(pieces[left].line.Box) > l.Box.X:
		pieces[left].line = mixed(pieces[left].line, l)
	case beyond >= 0 && torn(pieces, beyond, l):
		pieces[beyond].line = joinLines(l, pieces[beyond].line)
	case left >= 0 && (isFigures(l) || torn(pieces, left, l)):
		pieces[left].line = joinLines(pieces[left].line, l)
	case beyond >= 0 && isFigures(l):
		pieces[beyond].line = joinLines(l, pieces[beyond].line)
	case left >= 0 && !apart(pieces, left, l):
		return slices.Insert(pieces, left+1, piece{line: l, block: pieces[left].block})
	case beyond >= 0 && !apart(pieces, beyond, l):
		return slices.Insert(pieces, beyond, piece{line: l, block: pieces[beyond].block})
	default:
		return insertByHeight(pieces, l)
	}
	return pieces
}

// torn says whether a line and the piece beside it are parts of one torn line.
func torn(pieces []piece, i int, l document.Line) bool {
	a, b := pieces[i].line.Box, l.Box
	gap := max(a.X-right(b), b.X-right(a))
	return float64(gap) <= tornGap*float64(min(a.H, b.H)) && !apart(pieces, i, l)
}

// apart says whether a line and the piece beside it are in different columns.
func apart(pieces []piece, i int, l document.Line) bool {
	with := append(slices.Clone(pieces), piece{line: l})
	if pieces[i].line.Box.X < l.Box.X {
		return gutter(with, i, len(pieces))
	}
	return gutter(with, len(pieces), i)
}

// insertByHeight puts a line that has no neighbour in its row after the line above it in its column and what follows that one
// on the way down, else before the line below it in its column, else after any line above.
func insertByHeight(pieces []piece, l document.Line) []piece {
	above, below, over := -1, -1, -1
	for i, p := range pieces {
		b := p.line.Box
		inColumn := b.X < right(l.Box) && l.Box.X < right(b)
		if middle(b) >= middle(l.Box) {
			if inColumn && (below < 0 || middle(b) < middle(pieces[below].line.Box)) {
				below = i
			}
			continue
		}
		if inColumn && (above < 0 || middle(b) > middle(pieces[above].line.Box)) {
			above = i
		}
		if over < 0 || middle(b) > middle(pieces[over].line.Box) {
			over = i
		}
	}
	switch {
	case over < 0:
		return slices.Insert(pieces, 0, piece{line: l, block: pieces[0].block})
	case above < 0 && below >= 0:
		return slices.Insert(pieces, below, piece{line: l, block: pieces[below].block})
	case above < 0:
		above = over
	}
	for above+1 < len(pieces) && follows(pieces[above], pieces[above+1], l.Box) {
		above++
	}
	return slices.Insert(pieces, above+1, piece{line: l, block: pieces[above].block})
}

// follows says whether the next piece is further down, but still above a box or left of it in its row.
func follows(p, next piece, box document.Box) bool {
	b := next.line.Box
	return middle(b) > middle(p.line.Box) && (middle(b) < middle(box) || inRow(b, box) && b.X < box.X)
}

// neighbours are the pieces next to a box in its row, on its left and on its right; -1 where there is none.
func neighbours(pieces []piece, box document.Box) (left, beyond int) {
	left, beyond = -1, -1
	for i, p := range pieces {
		b := p.line.Box
		switch {
		case inRow(b, box) && b.X < box.X:
			if left < 0 || right(b) > right(pieces[left].line.Box) {
				left = i
			}
		case inRow(b, box):
			if beyond < 0 || b.X < pieces[beyond].line.Box.X {
				beyond = i
			}
		}
	}
	return left, beyond
}

// holding is the piece with the first of the words that have one of the boxes, or -1.
func holding(pieces []piece, boxes []document.Box) int {
	return slices.IndexFunc(pieces, func(p piece) bool {
		return slices.ContainsFunc(p.line.Words, func(w document.Word) bool { return slices.Contains(boxes, w.Box) })
	})
}

// withoutWords takes the words with one of the boxes away, but not those kept, and pieces that have no others.
func withoutWords(pieces []piece, boxes []document.Box, kept []document.Word) []piece {
	for i := range pieces {
		line := &pieces[i].line
		line.Words = slices.DeleteFunc(slices.Clone(line.Words), func(w document.Word) bool {
			return slices.Contains(boxes, w.Box) && !slices.Contains(kept, w)
		})
		line.Box = wordsBox(line.Words)
	}
	return slices.DeleteFunc(pieces, func(p piece) bool { return len(p.line.Words) == 0 })
}

// mixed is a line with the words of another among its own, from left to right.
func mixed(l, other document.Line) document.Line {
	l.Words = slices.Concat(l.Words, other.Words)
	slices.SortStableFunc(l.Words, func(a, b document.Word) int { return cmp.Compare(a.Box.X, b.Box.X) })
	l.Box = wordsBox(l.Words)
	return l
}
