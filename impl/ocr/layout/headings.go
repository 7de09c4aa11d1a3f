package layout

import (
	"cmp"
	"math"
	"slices"

	"uncial/internal/document"
)

// PlaceHeadings puts the headings in the left margin of a page, such as those of minutes, before the paragraphs beside them. A
// layout analysis reads them one after the other, as a column.
func PlaceHeadings(blocks []document.Block) []document.Block {
	rest, headings := takeHeadings(SequenceOf(blocks).pieces)
	if len(headings) == 0 {
		return blocks
	}
	s := Sequence{putHeadings(rest, headings, len(blocks))}
	return s.Blocks()
}

// heading is the lines of a heading in the left margin, and the box of the first word of the paragraph beside it.
type heading struct {
	lines  []piece
	beside document.Box
}

// takeHeadings removes the headings in the left margin from the pieces and returns them. It takes none unless most of them
// stand beside the first lines of paragraphs, and some have several lines: labels of single lines become part of the paragraph.
func takeHeadings(pieces []piece) (rest []piece, headings []heading) {
	edge, pitch := textEdge(pieces)
	if edge == 0 {
		return pieces, nil
	}
	var margin []int
	for i, p := range pieces {
		if p.line.Box.Right() <= edge-p.line.Box.H/2 {
			margin = append(margin, i)
		}
	}
	slices.SortStableFunc(margin, func(i, j int) int { return cmp.Compare(middle(pieces[i].line.Box), middle(pieces[j].line.Box)) })
	beginning, longest, numbers, last := 0, 0, 0, math.MinInt/2
	for _, i := range margin {
		at := middle(pieces[i].line.Box)
		if float64(at-last) > headingPitch*float64(pitch) {
			text := rightOf(pieces, i)
			if text < 0 || pieces[text].line.Box.Right() <= edge {
				return pieces, nil
			}
			if beginsParagraph(pieces, text) {
				beginning++
			}
			headings = append(headings, heading{beside: pieces[text].line.Words[0].Box})
		}
		h := &headings[len(headings)-1]
		h.lines = append(h.lines, pieces[i])
		longest, last = max(longest, len(h.lines)), at
		if isNumber(pieces[i].line) {
			numbers++
		}
	}
	isFew := len(margin)*maxHeadingLines <= len(pieces)-len(margin)
	isList := numbers*maxHeadingNumbers > len(margin)
	if len(headings) < minLabels || longest < 2 || !isFew || isList || float64(beginning) < besideParagraphs*float64(len(headings)) {
		return pieces, nil
	}
	for i, p := range pieces {
		if !slices.Contains(margin, i) {
			rest = append(rest, p)
		}
	}
	return rest, headings
}

// textEdge returns where most lines begin that have other lines to their left, and the usual distance between their lines. It
// returns zeros if there are too few.
func textEdge(pieces []piece) (edge, pitch int) {
	var edges []int
	for i := range pieces {
		if j := rightOf(pieces, i); j >= 0 {
			edges = append(edges, pieces[j].line.Box.X)
		}
	}
	if len(edges) < minLabels {
		return 0, 0
	}
	slices.Sort(edges)
	edge = edges[len(edges)/4] // first lines of paragraphs are indented
	var rows []int
	for _, p := range pieces {
		if p.line.Box.Right() > edge {
			rows = append(rows, middle(p.line.Box))
		}
	}
	slices.Sort(rows)
	var distances []int
	for i := 1; i < len(rows); i++ {
		distances = append(distances, rows[i]-rows[i-1])
	}
	if len(distances) == 0 {
		return 0, 0
	}
	slices.Sort(distances)
	return edge, distances[len(distances)/2]
}

// putHeadings inserts each heading before the line that it stands beside, as a block of its own. blocks is the number of
// blocks.
func putHeadings(pieces []piece, headings []heading, blocks int) []piece {
	for k, h := range headings {
		for i := range h.lines {
			h.lines[i].block = blocks + k
		}
		pieces = slices.Insert(pieces, max(holding(pieces, []document.Box{h.beside}), 0), h.lines...)
	}
	return pieces
}
