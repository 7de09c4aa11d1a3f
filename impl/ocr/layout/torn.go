package layout

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"uncial/internal/document"
)

// JoinTornLines joins lines of print that a layout analysis tore apart: lines that it split at a wide blank, and numbers,
// alone or in columns, and labels that belong to the text next to them. It does not join columns of text.
func JoinTornLines(blocks []document.Block) []document.Block {
	s := SequenceOf(blocks)
	var headings []heading
	s.pieces, headings = takeHeadings(s.pieces)
	markLabels(s.pieces)
	joined := len(headings) > 0
	for _, i := range leftToRight(s.pieces) {
		if j := partner(s.pieces, i); j >= 0 {
			joinPieces(&s.pieces[j], &s.pieces[i], blocks)
			joined = true
		}
	}
	if !joined {
		return blocks
	}
	s.pieces = slices.DeleteFunc(s.pieces, func(p piece) bool { return p.merged })
	if isSingleColumn(s.pieces) {
		slices.SortStableFunc(s.pieces, func(a, b piece) int { return cmp.Compare(middle(a.line.Box), middle(b.line.Box)) })
	}
	s.pieces = putHeadings(s.pieces, headings, len(blocks))
	return s.Blocks()
}

// joinPieces makes one line of two pieces in a row. The line gets the position and the block of the left piece, with two
// exceptions: if only the block of the left piece is a scrap, it gets those of the right piece; and a number or label in front
// of an entry joins the block of the entry.
func joinPieces(left, right *piece, blocks []document.Block) {
	stays, goes := left, right
	if isScrap(blocks[left.block]) && !isScrap(blocks[right.block]) {
		stays, goes = right, left
	} else if left.isLabel && !right.isLabel {
		left.block, left.isLabel = right.block, false
	}
	stays.line = JoinLines(left.line, right.line)
	goes.merged = true
}

// isScrap reports whether a block is very short, such as a drop capital or a number in the margin.
func isScrap(b document.Block) bool {
	n := 0
	for _, l := range b.Lines {
		for _, w := range l.Words {
			n += utf8.RuneCountInString(w.Text)
		}
	}
	return n <= scrapBlock
}

// isSingleColumn reports whether hardly any row has more than one piece.
func isSingleColumn(pieces []piece) bool {
	shared := 0
	for i, p := range pieces {
		if slices.ContainsFunc(pieces[:i], func(q piece) bool { return InRow(p.line.Box, q.line.Box) }) {
			shared++
		}
	}
	return float64(shared) <= sharedRows*float64(len(pieces))
}

// leftToRight returns the indices of the pieces by their left edge, so that a line torn twice is joined from its beginning.
func leftToRight(pieces []piece) []int {
	order := make([]int, len(pieces))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(pieces[a].line.Box.X, pieces[b].line.Box.X) })
	return order
}

// partner returns the index of the piece that piece i continues, or -1.
func partner(pieces []piece, i int) int {
	p := pieces[i]
	best := -1
	for j, q := range pieces {
		if j == i || q.merged || q.line.Box.X >= p.line.Box.X || !InRow(q.line.Box, p.line.Box) {
			continue
		}
		if best < 0 || q.line.Box.Right() > pieces[best].line.Box.Right() {
			best = j
		}
	}
	if best < 0 {
		return -1
	}
	height := min(p.line.Box.H, pieces[best].line.Box.H)
	gap := p.line.Box.X - pieces[best].line.Box.Right()
	switch {
	case gap < -height:
		return -1 // they overlap
	case (p.isLabel || pieces[best].isLabel) && p.block != pieces[best].block:
		return best
	case areNeighbours(pieces, best, i) && isNumber(p.line) && strings.ContainsFunc(p.line.Text(), unicode.IsDigit):
		return best
	case float64(gap) <= tornGap*float64(height) && !isGutter(pieces, best, i):
		return best
	}
	return -1
}

// areNeighbours reports whether two pieces follow one another in their block, in either order: on a page that is not level, a
// number may come before its entry. Between them there may be pieces that were joined already.
func areNeighbours(pieces []piece, i, j int) bool {
	return pieces[i].block == pieces[j].block &&
		!slices.ContainsFunc(pieces[min(i, j)+1:max(i, j)], func(p piece) bool { return !p.merged })
}

// isGutter reports whether the gap between two pieces of a row is part of a gutter between columns: in the rows above and
// below, no line crosses the gap, or many more lines end there.
func isGutter(pieces []piece, left, rightPiece int) bool {
	a, b := pieces[left].line.Box, pieces[rightPiece].line.Box
	centre := (a.Right() + b.X) / 2
	height := max(a.H, b.H)
	reach := gutterRows * rowPitch * height / 2
	crossing, ending := 0, 0
	for k, p := range pieces {
		box := p.line.Box
		if k == left || k == rightPiece || p.merged || InRow(box, a) || box.Y > a.Y+a.H+reach || box.Y+box.H < a.Y-reach {
			continue
		}
		switch {
		case box.X < centre-height && box.Right() > centre+height:
			crossing++
		case box.X < centre && box.Right() > centre-gutterReach*height, box.X > centre-height && box.X < centre+gutterReach*height:
			ending++
		}
	}
	return crossing == 0 || ending > endingsPerCrossing*crossing
}

// isNumberColumn reports whether a block is a column of prices, page numbers or line numbers, or of dashes in their place.
func isNumberColumn(b document.Block) bool {
	n := 0
	for _, l := range b.Lines {
		if isNumber(l) {
			n++
		}
	}
	return float64(n) >= numberColumn*float64(len(b.Lines))
}

// isNumber reports whether a line is a number, such as a date or a sum: it has few digits and hardly any letters, or it is a
// Roman number.
func isNumber(l document.Line) bool {
	if roman := strings.TrimRight(l.Text(), ".)"); roman != "" && strings.Trim(roman, "IVXLC") == "" {
		return true
	}
	digits, letters := 0, 0
	for _, r := range l.Text() {
		switch {
		case unicode.IsDigit(r), unicode.Is(unicode.Dash, r):
			digits++
		case unicode.IsLetter(r):
			letters++
		}
	}
	return digits > 0 && digits <= maxDigits && letters <= digits/digitsPerLetter
}
