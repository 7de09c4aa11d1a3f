package layout

import (
	"cmp"
	"math"
	"slices"
)

// facingPages divides the lines of an image of two facing pages at their gutter: a blank near the middle of an image that is
// wider than high. A narrow blank counts only between two similar pages. A few lines may run across the fold. If there is no
// gutter, all lines are in left.
func facingPages(all []path, w, h, height float64) (left, right []path) {
	gap, at := facingGutter*height, 0.0
	if w < facingShape*h || len(all) == 0 {
		return all, nil
	}
	for x := w * (1 - facingMiddle) / 2; x < w*(1+facingMiddle)/2; x += height / columnTries {
		if blank := blankAround(all, x); blank > gap {
			gap, at = blank, x
		}
	}
	if at == 0 {
		return cutAtFold(all, w, height)
	}
	for _, p := range all {
		if float64(p.middle()) < at {
			left = append(left, p)
		} else {
			right = append(right, p)
		}
	}
	if gap < wideGutter*height && !arePages(left, right) {
		return all, nil
	}
	return left, right
}

// cutAtFold divides the lines of two similar pages that meet at the fold, and cuts the few that were found as one line with a
// line of the other page. It returns all lines in left if there is no fold.
func cutAtFold(all []path, w, height float64) (left, right []path) {
	fewest, first, last := len(all)+1, 0, 0 // run across from first to last
	for x := int(w * (1 - facingMiddle) / 2); x < int(w*(1+facingMiddle)/2); x++ {
		switch n := len(sidesOf(all, x, height).across); {
		case n < fewest:
			fewest, first, last = n, x, x
		case n == fewest && x == last+1:
			last = x
		}
	}
	x := (first + last) / 2
	fold := sidesOf(all, x, height)
	if float64(len(fold.across)) > crossing*float64(len(all)) || !arePages(fold.left, fold.right) {
		return all, nil
	}
	if len(fold.cutAt(x, lineOfPage)) > 0 {
		return all, nil // a heading
	}
	return fold.left, fold.right
}

// cutAt cuts the lines across x that were found as one line with a line of the other side. It returns those that it leaves
// whole, because a part of them is shorter than that share of the usual line on its side.
func (s *sides) cutAt(x int, share float64) (whole []path) {
	left, right := share*medianWidth(s.left), share*medianWidth(s.right)
	for _, p := range s.across {
		if float64(x-p.start()) < left || float64(p.end()-x) < right {
			whole = append(whole, p)
			continue
		}
		i, _ := slices.BinarySearch(p.xs, x)
		s.left, s.right = append(s.left, p.slice(0, i)), append(s.right, p.slice(i, len(p.xs)))
	}
	return whole
}

// arePages reports whether both sides of a narrow gutter look like pages: enough lines, in similar numbers and of similar
// widths.
func arePages(left, right []path) bool {
	return min(len(left), len(right)) >= pageLines && alike(float64(len(left)), float64(len(right))) && alike(medianWidth(left), medianWidth(right))
}

// blankAround returns the width of the blank at x, over the full height of the page, or 0 if a line crosses x.
func blankAround(all []path, x float64) float64 {
	from, to := math.Inf(-1), math.Inf(1)
	for _, p := range all {
		switch {
		case float64(p.end()) < x:
			from = max(from, float64(p.end()))
		case float64(p.start()) > x:
			to = min(to, float64(p.start()))
		default:
			return 0
		}
	}
	if math.IsInf(from, 0) || math.IsInf(to, 0) {
		return 0
	}
	return to - from
}

// columns divides the lines at the blank between facing pages or columns, if there is one, and then divides each part again.
// Lines that cross the blank come before those below them. Parts without a blank are read row by row.
func columns(all []path, height float64) [][]path {
	x, ok := divide(all, height, crossing, areColumns)
	if !ok {
		return withNotes(all, height)
	}
	sortByHeight(all)
	var out [][]path
	var s sides
	flush := func() {
		for _, part := range [][]path{s.across, s.left, s.right} {
			if len(part) > 0 {
				out = append(out, columns(part, height)...)
			}
		}
		s = sides{}
	}
	for _, p := range all {
		if p.crosses(x, height) && len(s.left)+len(s.right) > 0 {
			flush()
		}
		s.add(p, x, height)
	}
	flush()
	return out
}

// withNotes returns the text, followed by the notes in its margin if there are any. A note as long as a column is read like
// one.
func withNotes(all []path, height float64) [][]path {
	x, ok := divide(all, height, cutNotes, isMargin)
	if !ok {
		return [][]path{rows(all, height)}
	}
	s := sidesOf(all, x, height)
	areCut := float64(len(s.across)) > crossing*float64(len(all))
	if areCut {
		s.across = s.cutAt(x, lineOfNote)
	}
	for _, p := range s.across {
		s.addByMiddle(p, x)
	}
	if areCut && !isMargin(s, height) {
		return [][]path{rows(all, height)}
	}
	text, note := s.byLength()
	if float64(len(note)) > noteShare*float64(len(text)) {
		text, note = s.left, s.right
	}
	return [][]path{rows(text, height), rows(note, height)}
}

// divide returns the x position that the fewest lines cross, among those whose two sides satisfy isDivision. It reports false
// if there is none, or if the lines that cross it are a larger share of all lines than share.
func divide(all []path, height, share float64, isDivision func(s sides, height float64) bool) (int, bool) {
	if len(all) < 2*columnLines {
		return 0, false
	}
	first, last := all[0].start(), all[0].end()
	for _, p := range all {
		first, last = min(first, p.start()), max(last, p.end())
	}
	best, at := len(all)+1, 0
	step := max(int(height/columnTries), 1)
	for x := first + step; x < last; x += step {
		if s := sidesOf(all, x, height); len(s.across) < best && isDivision(s, height) {
			best, at = len(s.across), x
		}
	}
	return at, float64(best) <= share*float64(len(all))
}

// sides are the lines to the left and to the right of an x position, and those that cross it.
type sides struct{ left, right, across []path }

// sidesOf divides the lines at x. height is the usual height of lines.
func sidesOf(all []path, x int, height float64) sides {
	var s sides
	for _, p := range all {
		s.add(p, x, height)
	}
	return s
}

// add adds a line to left, right or across, depending on its position relative to x. height is the usual height of lines.
func (s *sides) add(p path, x int, height float64) {
	if p.crosses(x, height) {
		s.across = append(s.across, p)
		return
	}
	s.addByMiddle(p, x)
}

// addByMiddle adds a line to left or right, depending on which side of x its middle is.
func (s *sides) addByMiddle(p path, x int) {
	if p.middle() < x {
		s.left = append(s.left, p)
	} else {
		s.right = append(s.right, p)
	}
}

// bySize returns the side with more lines first.
func (s sides) bySize() (more, fewer []path) {
	if len(s.left) < len(s.right) {
		return s.right, s.left
	}
	return s.left, s.right
}

// byLength returns the side with more writing first, by the sum of the lengths of its lines.
func (s sides) byLength() (more, less []path) {
	length := func(all []path) (sum int) {
		for _, p := range all {
			sum += p.width()
		}
		return sum
	}
	if length(s.left) < length(s.right) {
		return s.right, s.left
	}
	return s.left, s.right
}

// crosses reports whether the line extends beyond x on both sides by more than height.
func (p path) crosses(x int, height float64) bool {
	return float64(x-p.start()) > height && float64(p.end()-x) > height
}

// isMargin reports whether one side is a note in the margin: it has little writing, and most of its lines are not in a row with
// a line of the text.
func isMargin(s sides, height float64) bool {
	text, note := s.byLength()
	if len(note) < noteLines || float64(len(note)) > maxNoteShare*float64(len(text)) || medianWidth(text) < columnWidth*height {
		return false
	}
	return shareInRows(note, text, height/2) < inRows
}

// shareInRows returns the share of the lines that are in a row with one of the others.
func shareInRows(lines, others []path, height float64) float64 {
	n := 0
	for _, p := range lines {
		if slices.ContainsFunc(others, func(q path) bool { return p.inRow(q, height) }) {
			n++
		}
	}
	return float64(n) / float64(len(lines))
}

// areColumns reports whether both sides are columns: they have enough lines, which are long enough and of similar width, and
// overlap for most of their height. The cells of a table are not columns: their entries are in the same rows, and their widths
// differ.
func areColumns(s sides, height float64) bool {
	if min(len(s.left), len(s.right)) < columnLines || !alike(float64(len(s.left)), float64(len(s.right))) {
		return false
	}
	wl, wr := medianWidth(s.left), medianWidth(s.right)
	if min(wl, wr) < columnWidth*height || !alike(wl, wr) {
		return false
	}
	if more, fewer := s.bySize(); min(wl, wr) < cellWidths*max(wl, wr) && shareInRows(fewer, more, height) >= rowsOfTable {
		return false
	}
	lt, lb := extent(s.left)
	rt, rb := extent(s.right)
	return min(lb, rb)-max(lt, rt) > columnOverlap*min(lb-lt, rb-rt)
}

// alike reports whether two sizes or numbers are similar: their ratio is at least likeness.
func alike(a, b float64) bool { return min(a, b) >= likeness*max(a, b) }

// medianWidth returns the median width of the lines, in pixels of the network's maps.
func medianWidth(all []path) float64 {
	widths := make([]float64, len(all))
	for i, p := range all {
		widths[i] = float64(p.width())
	}
	return quantile(widths, 0.5)
}

// extent returns the mean y of the highest line and of the lowest line.
func extent(all []path) (top, bottom float64) {
	heights := make([]float64, len(all))
	for i, p := range all {
		heights[i] = p.mean()
	}
	return slices.Min(heights), slices.Max(heights)
}

// rows sorts the lines by rows from top to bottom, and those of a row from left to right.
func rows(all []path, height float64) []path {
	sortByHeight(all)
	var out, row []path
	flush := func() {
		slices.SortStableFunc(row, func(a, b path) int { return cmp.Compare(a.start(), b.start()) })
		out = append(out, row...)
		row = nil
	}
	for _, p := range all {
		if len(row) > 0 && !slices.ContainsFunc(row, func(q path) bool { return p.inRow(q, height) }) {
			flush()
		}
		row = append(row, p)
	}
	flush()
	return out
}

// sortByHeight sorts the lines by their mean y, from top to bottom.
func sortByHeight(all []path) {
	slices.SortStableFunc(all, func(a, b path) int { return cmp.Compare(a.mean(), b.mean()) })
}

// inRow reports whether two lines are in one row: they do not overlap by more than height, and their facing ends are at about
// the same y.
func (p path) inRow(q path, height float64) bool {
	if p.start() > q.start() {
		p, q = q, p
	}
	d := float64(p.ys[len(p.ys)-1] - q.ys[0])
	return p.end() <= q.start()+int(height) && max(d, -d) < sameRow*height
}
