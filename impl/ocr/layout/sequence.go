package layout

import (
	"slices"

	"uncial/internal/document"
)

// Sequence is the lines of a page in reading order. Lines that were found later can be added: print with Insert, handwriting
// with InsertHandwriting. Blocks returns successive lines of one block as a block again.
type Sequence struct{ pieces []piece }

// piece is a line in a sequence.
type piece struct {
	line    document.Line
	block   int  // the index of its block, or handwritten
	isLabel bool // it belongs to the text beside it: a number of a column, or the name of a speaker
	merged  bool // its words were given to another piece
}

// handwritten is the block index of all lines of handwriting. Successive ones become one block.
const handwritten = -1

// SequenceOf returns the lines of the blocks as a sequence. Changes to the sequence do not change the blocks.
func SequenceOf(blocks []document.Block) *Sequence {
	s := &Sequence{}
	for i, b := range blocks {
		isLabel := isNumberColumn(b)
		for _, l := range b.Lines {
			s.pieces = append(s.pieces, piece{line: l, block: i, isLabel: isLabel})
		}
	}
	return s
}

// Blocks returns the lines as blocks, in reading order.
func (s *Sequence) Blocks() []document.Block {
	var out []document.Block
	for i := 0; i < len(s.pieces); {
		var lines []document.Line
		for first := i; i < len(s.pieces) && s.pieces[i].block == s.pieces[first].block; i++ {
			lines = append(lines, s.pieces[i].line)
		}
		out = append(out, document.BlockOf(lines))
	}
	return out
}

// InsertHandwriting inserts a line of handwriting after the last line that is to its left in its row or above it in its column.
// Handwriting that follows such a line and is higher than l counts too, in any column. If there is no such line, it inserts l
// before the first line below it in its column, and before the lines to its right that lead down to that line: a note in the
// margin comes before the paragraph beside it, not between the paragraph's lines. Otherwise it inserts l after all lines above.
func (s *Sequence) InsertHandwriting(l document.Line) {
	before, below, above := 0, -1, 0
	box := l.Box
	centre := middle(box)
	for i, p := range s.pieces {
		b := p.line.Box
		sameRow := b.Y <= centre && b.Y+b.H >= centre
		if p.block == handwritten { // the boxes of sloping lines overlap although one is above the other
			sameRow = sameRow && 2*(min(b.Right(), box.Right())-max(b.X, box.X)) < min(b.W, box.W)
		}
		isAbove := !sameRow && middle(b) < centre
		inColumn := b.Right() > box.X && b.X < box.Right()
		switch {
		case sameRow && b.X < box.X, isAbove && inColumn, isAbove && p.block == handwritten && before == i:
			before = i + 1
		case inColumn && below < 0:
			below = i
		}
		if isAbove {
			above = i + 1
		}
	}
	at := above
	switch {
	case before > 0:
		at = before
	case below >= 0:
		at = s.beside(box, below)
	}
	s.pieces = slices.Insert(s.pieces, at, piece{line: l, block: handwritten})
}

// beside returns the index of the first of the successive lines before piece i that are to the right of a box, below its
// middle, and each above the next; or i if there are none.
func (s *Sequence) beside(box document.Box, i int) int {
	for ; i > 0; i-- {
		b, next := s.pieces[i-1].line.Box, s.pieces[i].line.Box
		if b.X < box.Right() || middle(b) < middle(box) || middle(b) >= middle(next) {
			break
		}
	}
	return i
}

// middle returns the y of the middle of a box.
func middle(b document.Box) int { return b.Y + b.H/2 }

// InRow reports whether two boxes of print are in one row: they overlap by at least half of the shorter one's height.
func InRow(a, b document.Box) bool {
	overlap := min(a.Y+a.H, b.Y+b.H) - max(a.Y, b.Y)
	return float64(overlap) >= rowOverlap*float64(min(a.H, b.H))
}

// JoinLines returns one line with the words of a followed by those of b.
func JoinLines(a, b document.Line) document.Line {
	a.Words = slices.Concat(a.Words, b.Words)
	a.Box = a.Box.Union(b.Box)
	if len(a.Baseline) > 0 && len(b.Baseline) > 0 {
		a.Baseline = slices.Concat(a.Baseline, b.Baseline)
	}
	return a
}
