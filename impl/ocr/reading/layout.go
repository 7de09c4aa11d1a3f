package reading

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"uncial/internal/document"
)

const (
	// sameRow is the share of the lower line's height by which two pieces must overlap to stand in one row.
	sameRow = 0.5
	// tornGap is the widest gap, in line heights, at which two pieces of a row are taken for one torn line. Wider
	// ones stand apart on purpose: a date on the right of a letterhead, a catch word.
	tornGap = 2.5
	// gutterRows is how many rows above and below a gap are asked whether a gutter runs through it.
	gutterRows = 3
	// figureColumn is the share of a block's lines that must be figures for the block to be a column of them.
	figureColumn = 0.7
)

// scrapBlock is how many characters a block has at most that is a scrap: a drop capital, a number in the margin.
const scrapBlock = 3

// sharedRows is the share of pieces that may stand beside another while the page counts as one column.
const sharedRows = 0.1

// piece is a line on its way to its place.
type piece struct {
	line    document.Line
	block   int
	figures bool // the block is a column of figures
	gone    bool // its words were given to another piece
}

// mendLayout joins what the layout analysis took apart: lines torn in two at a wide blank, and columns of figures that
// belong to the entries beside them. Columns of text stay as they are.
func mendLayout(blocks []document.Block) []document.Block {
	pieces := toPieces(blocks)
	sizes := make([]int, len(blocks))
	for i, b := range blocks {
		sizes[i] = characters([]document.Block{b})
	}
	joined := false
	for _, i := range leftToRight(pieces) {
		if j := partner(pieces, i); j >= 0 {
			join(&pieces[j], &pieces[i], sizes)
			joined = true
		}
	}
	if !joined {
		return blocks
	}
	pieces = slices.DeleteFunc(pieces, func(p piece) bool { return p.gone })
	if singleColumn(pieces) {
		slices.SortStableFunc(pieces, func(a, b piece) int { return cmp.Compare(middle(a.line.Box), middle(b.line.Box)) })
	}
	return fromPieces(pieces)
}

// join makes one line of two, in the place of the left one, but for a scrap that is a block by itself: that goes to the
// place of the right one. A figure in front of an entry goes to the entry's block.
func join(left, right *piece, sizes []int) {
	stays, goes := left, right
	if sizes[left.block] <= scrapBlock && sizes[right.block] > scrapBlock {
		stays, goes = right, left
	} else if left.figures && !right.figures {
		left.block, left.figures = right.block, false
	}
	stays.line = joinLines(left.line, right.line)
	goes.gone = true
}

func toPieces(blocks []document.Block) []piece {
	var pieces []piece
	for i, b := range blocks {
		figures := isFigureColumn(b)
		for _, l := range b.Lines {
			pieces = append(pieces, piece{line: l, block: i, figures: figures})
		}
	}
	return pieces
}

// fromPieces makes blocks of the lines that follow each other and come from one block.
func fromPieces(pieces []piece) []document.Block {
	var out []document.Block
	for i := 0; i < len(pieces); {
		var lines []document.Line
		for first := i; i < len(pieces) && pieces[i].block == pieces[first].block; i++ {
			lines = append(lines, pieces[i].line)
		}
		out = append(out, blockOf(lines))
	}
	return out
}

// singleColumn says whether hardly any row has more than one piece.
func singleColumn(pieces []piece) bool {
	shared := 0
	for i, p := range pieces {
		if slices.ContainsFunc(pieces[:i], func(q piece) bool { return inRow(p.line.Box, q.line.Box) }) {
			shared++
		}
	}
	return float64(shared) <= sharedRows*float64(len(pieces))
}

// leftToRight are the pieces by their left edge, so that a line torn twice is joined from its beginning.
func leftToRight(pieces []piece) []int {
	order := make([]int, len(pieces))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(pieces[a].line.Box.X, pieces[b].line.Box.X) })
	return order
}

// partner is the piece to whose end piece i belongs, or -1.
func partner(pieces []piece, i int) int {
	p := pieces[i]
	best := -1
	for j, q := range pieces {
		if j == i || q.gone || q.line.Box.X >= p.line.Box.X || !inRow(q.line.Box, p.line.Box) {
			continue
		}
		if best < 0 || right(q.line.Box) > right(pieces[best].line.Box) {
			best = j
		}
	}
	if best < 0 {
		return -1
	}
	height := min(p.line.Box.H, pieces[best].line.Box.H)
	gap := p.line.Box.X - right(pieces[best].line.Box)
	switch {
	case gap < -height:
		return -1 // one lies on the other
	case (p.figures || pieces[best].figures) && p.block != pieces[best].block:
		return best
	case float64(gap) <= tornGap*float64(height) && !gutter(pieces, best, i):
		return best
	}
	return -1
}

// gutter says whether the gap between two pieces of a row is part of a blank between columns: no line in the rows
// next to it goes across.
func gutter(pieces []piece, left, rightPiece int) bool {
	a, b := pieces[left].line.Box, pieces[rightPiece].line.Box
	middle := (right(a) + b.X) / 2
	height := max(a.H, b.H)
	reach := gutterRows * height * 3 / 2
	crossing, beside := 0, 0
	for k, p := range pieces {
		box := p.line.Box
		if k == left || k == rightPiece || p.gone || inRow(box, a) || box.Y > a.Y+a.H+reach || box.Y+box.H < a.Y-reach {
			continue
		}
		switch {
		case box.X < middle-height && right(box) > middle+height:
			crossing++
		case box.X < middle && right(box) > middle-3*height, box.X > middle-height && box.X < middle+3*height:
			beside++
		}
	}
	return crossing == 0 || beside > 2*crossing
}

func inRow(a, b document.Box) bool {
	overlap := min(a.Y+a.H, b.Y+b.H) - max(a.Y, b.Y)
	return float64(overlap) >= sameRow*float64(min(a.H, b.H))
}

func right(b document.Box) int { return b.X + b.W }

func middle(b document.Box) int { return b.Y + b.H/2 }

func joinLines(a, b document.Line) document.Line {
	a.Words = slices.Concat(a.Words, b.Words)
	a.Box = a.Box.Union(b.Box)
	if len(a.Baseline) > 0 && len(b.Baseline) > 0 {
		a.Baseline = []document.Point{a.Baseline[0], b.Baseline[len(b.Baseline)-1]}
	}
	return a
}

// isFigureColumn says whether a block is a column of prices, numbers of pages or of lines, or the dashes that stand in
// their place.
func isFigureColumn(b document.Block) bool {
	n := 0
	for _, l := range b.Lines {
		if isFigures(l) {
			n++
		}
	}
	return float64(n) >= figureColumn*float64(len(b.Lines))
}

func isFigures(l document.Line) bool {
	digits, letters := 0, 0
	for _, r := range strings.Join(strings.Fields(l.Text()), "") {
		switch {
		case unicode.IsDigit(r), unicode.Is(unicode.Dash, r):
			digits++
		case unicode.IsLetter(r):
			letters++
		}
	}
	return digits > 0 && digits <= 12 && letters <= digits/3
}
