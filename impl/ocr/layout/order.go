package layout

import (
	"cmp"
	"slices"

	"uncial/internal/document"
)

// InOrder reorders the lines of print so that no line comes before one that is above it in its column. Otherwise it keeps the
// order. A layout analysis that finds columns where there are none returns blocks out of order.
func InOrder(blocks []document.Block) []document.Block {
	s := SequenceOf(blocks)
	placed, usual := make([]bool, len(s.pieces)), make([]document.Box, len(s.pieces))
	for i, p := range s.pieces {
		usual[i] = usualBox(p.line)
	}
	var out []piece
	var place func(i int)
	place = func(i int) {
		placed[i] = true
		for j, p := range s.pieces {
			if !placed[j] && middle(usual[j]) < middle(usual[i]) && !InRow(usual[j], usual[i]) && shareColumn(p.line.Box, s.pieces[i].line.Box) {
				place(j)
			}
		}
		out = append(out, s.pieces[i])
	}
	for i := range s.pieces {
		if !placed[i] {
			place(i)
		}
	}
	if slices.EqualFunc(out, s.pieces, func(a, b piece) bool { return a.line.Box == b.line.Box }) {
		return blocks
	}
	s.pieces = out
	return s.Blocks()
}

// shareColumn reports whether two lines, one above the other, are in one column.
func shareColumn(a, b document.Box) bool {
	return float64(min(a.Right(), b.Right())-max(a.X, b.X)) >= columnShare*float64(min(a.W, b.W))
}

// usualBox returns the box of the word of median height. The box of the line itself may include a drop capital.
func usualBox(l document.Line) document.Box {
	byHeight := slices.SortedStableFunc(slices.Values(l.Words), func(a, b document.Word) int { return cmp.Compare(a.Box.H, b.Box.H) })
	return byHeight[len(byHeight)/2].Box
}
