package layout

import "math"

// markLabels marks the pieces that are labels of the paragraphs to their right, such as the names of the speakers in a drama:
// single lines in a column of their own, each in the row in which a paragraph begins.
func markLabels(pieces []piece) {
	var labels []int
	others := 0 // other lines beside text
	for i := range pieces {
		text := rightOf(pieces, i)
		switch {
		case text < 0:
		case isSparse(pieces, i, text) && beginsParagraph(pieces, text):
			labels = append(labels, i)
		default:
			others++
		}
	}
	if len(labels) < minLabels || float64(others) > otherRows*float64(len(labels)) {
		return
	}
	for _, i := range labels {
		pieces[i].isLabel = true
	}
}

// rightOf returns the index of the nearest piece to the right of piece i in its row, beyond a blank that is wider than a word
// space, or -1.
func rightOf(pieces []piece, i int) int {
	box, best := pieces[i].line.Box, -1
	for j, q := range pieces {
		if j != i && InRow(box, q.line.Box) && q.line.Box.X >= box.Right()+box.H && (best < 0 || q.line.Box.X < pieces[best].line.Box.X) {
			best = j
		}
	}
	return best
}

// isSparse reports whether the lines around piece i, to the left of the text beside it, are farther apart than those of the
// text.
func isSparse(pieces []piece, i, text int) bool {
	left, right := math.MaxInt, math.MaxInt // distances of the nearest lines
	edge := pieces[text].line.Box.X
	for j, q := range pieces {
		if distance := middle(q.line.Box) - middle(pieces[i].line.Box); j != i && j != text {
			distance = max(distance, -distance)
			if q.line.Box.Right() <= edge {
				left = min(left, distance)
			} else if shareColumn(q.line.Box, pieces[text].line.Box) {
				right = min(right, distance)
			}
		}
	}
	return right < math.MaxInt && float64(left) >= labelPitch*float64(right)
}

// beginsParagraph reports whether piece i is the first line of a paragraph: no line is above it in its column, or the line
// above is farther from it than the line below, begins farther to the right, or ends before it.
func beginsParagraph(pieces []piece, i int) bool {
	box := pieces[i].line.Box
	above, below := -1, math.MaxInt // below is the distance of the next line
	for j, q := range pieces {
		b := q.line.Box
		switch {
		case InRow(b, box) || !shareColumn(b, box):
		case middle(b) > middle(box):
			below = min(below, middle(b)-middle(box))
		case above < 0 || middle(b) > middle(pieces[above].line.Box):
			above = j
		}
	}
	if above < 0 {
		return true
	}
	b := pieces[above].line.Box
	return float64(middle(box)-middle(b)) > paragraphPitch*float64(below) || b.X > box.X+box.H || b.Right() < box.Right()-shortEnd*box.H
}
