package lines

import (
	"cmp"
	"slices"
)

const (
	// sameRow is how far apart, in units of the pitch, the heights of lines of one row are at most.
	sameRow = 0.45
	// columnLines is how many lines a column has at least, and columnWidth how wide they are on the median, in units of
	// the pitch: narrower ones are those of a table, which is read row by row.
	columnLines, columnWidth = 4, 5.0
	// likeness is how much of the larger one's lines and width the smaller of two columns has at least.
	likeness = 0.4
	// noteLines is how many lines a note in the margin has at least, and noteShare how many it has at most for each of the
	// text's; inStep is the share of its lines from which on they belong to the lines beside them.
	noteLines, noteShare, inStep = 2, 0.6, 0.5
	// crossing is the share of lines that may go across the blank between columns: headings, and lines badly cut.
	crossing = 0.12
)

// arrange puts the lines into blocks, in reading order.
func (p *Page) arrange(all []path, pitch float64) [][]Line {
	var blocks [][]Line
	for _, b := range columns(all, pitch) {
		block := make([]Line, len(b))
		for i, line := range b {
			block[i] = Line{line, p}
		}
		if len(block) > 0 {
			blocks = append(blocks, block)
		}
	}
	return blocks
}

// columns divides the lines at the blank between facing pages or columns, where there is one, and each part again; what
// goes across stands above what follows it. Parts without such a blank are read row by row.
func columns(all []path, pitch float64) [][]path {
	x, ok := gap(all, pitch, areColumns)
	if !ok {
		return withNotes(all, pitch)
	}
	slices.SortStableFunc(all, func(a, b path) int { return cmp.Compare(a.mean(), b.mean()) })
	var out [][]path
	var across, left, right []path
	flush := func() {
		for _, part := range [][]path{across, left, right} {
			if len(part) > 0 {
				out = append(out, columns(part, pitch)...)
			}
		}
		across, left, right = nil, nil, nil
	}
	for _, p := range all {
		switch {
		case p.crosses(x, pitch):
			if len(left)+len(right) > 0 {
				flush()
			}
			across = append(across, p)
		case p.middle() < x:
			left = append(left, p)
		default:
			right = append(right, p)
		}
	}
	flush()
	return out
}

// middle is the column half way between the ends.
func (p path) middle() int { return (p.start() + p.end()) / 2 }

func (p path) width() int { return p.end() - p.start() }

// crosses says whether the line goes well beyond a column on both sides.
func (p path) crosses(x int, pitch float64) bool {
	return float64(x-p.start()) > pitch && float64(p.end()-x) > pitch
}

// withNotes puts the notes in a margin after the text.
func withNotes(all []path, pitch float64) [][]path {
	x, ok := gap(all, pitch, isMargin)
	if !ok {
		return [][]path{rows(all, pitch)}
	}
	left, right, across := sides(all, x, pitch)
	if len(left) < len(right) {
		left, right = right, left
	}
	return [][]path{rows(append(left, across...), pitch), rows(right, pitch)}
}

// isMargin says whether the lines on one side of x are a note beside the text: few, and not in step with the text's.
func isMargin(all []path, x int, pitch float64) bool {
	text, note, _ := sides(all, x, pitch)
	if len(text) < len(note) {
		text, note = note, text
	}
	if len(note) < noteLines || float64(len(note)) > noteShare*float64(len(text)) || medianWidth(text) < columnWidth*pitch {
		return false
	}
	n := 0
	for _, p := range note {
		if slices.ContainsFunc(text, func(q path) bool { return p.beside(q, pitch/2) }) {
			n++
		}
	}
	return float64(n) < inStep*float64(len(note))
}

// sides are the lines to the left and to the right of x, and those that cross it.
func sides(all []path, x int, pitch float64) (left, right, across []path) {
	for _, p := range all {
		switch {
		case p.crosses(x, pitch):
			across = append(across, p)
		case p.middle() < x:
			left = append(left, p)
		default:
			right = append(right, p)
		}
	}
	return left, right, across
}

// gap is where two parts of a page meet that are as they should be, with the fewest lines across.
func gap(all []path, pitch float64, right func(all []path, x int, pitch float64) bool) (int, bool) {
	if len(all) < 2*columnLines {
		return 0, false
	}
	first, last := all[0].start(), all[0].end()
	for _, p := range all {
		first, last = min(first, p.start()), max(last, p.end())
	}
	best, at := len(all)+1, 0
	step := max(int(pitch/4), 1)
	for x := first + step; x < last; x += step {
		if n := crossings(all, x, pitch); n < best && right(all, x, pitch) {
			best, at = n, x
		}
	}
	return at, float64(best) <= crossing*float64(len(all))
}

func crossings(all []path, x int, pitch float64) int {
	n := 0
	for _, p := range all {
		if p.crosses(x, pitch) {
			n++
		}
	}
	return n
}

// areColumns says whether the lines on both sides of x are those of columns: enough, long enough, and alike, side by
// side for most of their height.
func areColumns(all []path, x int, pitch float64) bool {
	left, right, _ := sides(all, x, pitch)
	if min(len(left), len(right)) < columnLines || !alike(float64(len(left)), float64(len(right))) {
		return false
	}
	wl, wr := medianWidth(left), medianWidth(right)
	if min(wl, wr) < columnWidth*pitch || !alike(wl, wr) {
		return false
	}
	lt, lb := extent(left)
	rt, rb := extent(right)
	return min(lb, rb)-max(lt, rt) > 0.5*min(lb-lt, rb-rt)
}

func alike(a, b float64) bool { return min(a, b) >= likeness*max(a, b) }

func medianWidth(all []path) float64 {
	widths := make([]float64, len(all))
	for i, p := range all {
		widths[i] = float64(p.width())
	}
	return quantile(widths, 0.5)
}

// extent is how high the lines reach and how low.
func extent(all []path) (top, bottom float64) {
	heights := make([]float64, len(all))
	for i, p := range all {
		heights[i] = p.mean()
	}
	return slices.Min(heights), slices.Max(heights)
}

// rows sorts the lines by rows from above, and those of a row from the left. A line stands in the row of another where
// their heights agree at the place where they come nearest.
func rows(all []path, pitch float64) []path {
	slices.SortStableFunc(all, func(a, b path) int { return cmp.Compare(a.mean(), b.mean()) })
	var out, row []path
	flush := func() {
		slices.SortStableFunc(row, func(a, b path) int { return cmp.Compare(a.start(), b.start()) })
		out = append(out, row...)
		row = nil
	}
	for _, p := range all {
		if len(row) > 0 && !slices.ContainsFunc(row, func(q path) bool { return p.beside(q, pitch) }) {
			flush()
		}
		row = append(row, p)
	}
	flush()
	return out
}

// beside says whether two lines stand in one row.
func (p path) beside(q path, pitch float64) bool {
	if p.start() > q.start() {
		p, q = q, p
	}
	d := float64(p.ys[len(p.ys)-1] - q.ys[0])
	return p.end() <= q.start()+int(pitch) && max(d, -d) < sameRow*pitch
}
