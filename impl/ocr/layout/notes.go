package layout

import (
	"cmp"
	"image"
	"math"
	"slices"

	"uncial/impl/ocr/imaging"
)

// withoutNotes divides a column of text into the text and the notes in its margins that are too close to it for a gutter. Their
// type is smaller, so their lines are not those of the text. Notes in the left margin come before the text.
func (r Region) withoutNotes(letters []image.Rectangle) []Region {
	text := r
	var before, after []Region
	if n, ok := r.notesBeside(letters); ok {
		left, right := text.cutAt(n.x, n.top, n.bottom)
		before, text = append(before, left.between(n.top, n.bottom).fitted()), right.fitted()
	}
	if n, ok := r.notesBeside(mirrored(letters)); ok {
		left, right := text.cutAt(-n.x, n.top, n.bottom)
		after, text = append(after, right.between(n.top, n.bottom).fitted()), left.fitted()
	}
	return slices.Concat(before, []Region{text}, after)
}

// cutAt returns the region without what is to the right of x, and without what is to the left of it, in the bands from top to
// bottom.
func (r Region) cutAt(x, top, bottom int) (left, right Region) {
	left, right = r, r
	left.right, right.left = slices.Clone(r.right), slices.Clone(r.left)
	for i := top / r.band; i <= (bottom-1)/r.band; i++ {
		left.right[i], right.left[i] = min(x, r.right[i]), max(x, r.left[i])
	}
	return left, right
}

// mirrored returns boxes with left and right exchanged.
func mirrored(boxes []image.Rectangle) []image.Rectangle {
	out := make([]image.Rectangle, len(boxes))
	for i, b := range boxes {
		out[i] = image.Rect(-b.Max.X, b.Min.Y, -b.Min.X, b.Max.Y)
	}
	return out
}

// notes is where there are notes in the left margin: to the left of x, from top to bottom.
type notes struct{ x, top, bottom int }

// notesBeside finds the notes to the left of the text of a region. It reports false if there are none.
func (r Region) notesBeside(letters []image.Rectangle) (notes, bool) {
	h := float64(r.band)
	begin, lines := r.margin(letters)
	white := begin - max(int(noteWhite*h), 1) // from here to begin there is no ink beside notes
	var beside, text []image.Rectangle
	end := math.MinInt
	for _, m := range letters {
		switch {
		case m.Max.X <= white:
			beside, end = append(beside, m), max(end, m.Max.X)
		case m.Min.X >= begin && float64(m.Min.X-begin) < pitchWidth*h:
			text = append(text, m)
		}
	}
	rows, textRows := rowsOf(beside, lineTips), rowsOf(text, lineTips)
	if lines < minMarginLines || float64(lines) < minMarginShare*float64(len(textRows)) || len(rows) < minNoteRows {
		return notes{}, false
	}
	var widths []float64
	for _, row := range rows {
		widths = append(widths, float64(row.box.Dx())/h)
	}
	lead := pitch(textRows, r.band)
	if quantile(widths, 0.5) < minNoteWidth || slices.Max(widths) > maxNoteWidth || math.IsInf(lead, 1) || pitch(rows, r.band) > maxNotePitch*lead {
		return notes{}, false
	}
	area := imaging.Union(beside)
	n := notes{(end + begin) / 2, max(area.Min.Y, r.Box.Min.Y), min(area.Max.Y, r.Box.Max.Y)}
	top, bottom := n.top/r.band*r.band, (n.bottom+r.band-1)/r.band*r.band // of the bands that will be cut
	return n, n.top < n.bottom && !slices.ContainsFunc(letters, func(m image.Rectangle) bool {
		return m.Max.X > white && m.Min.X < begin && m.Max.Y > top && m.Min.Y < bottom
	})
}

// margin returns the x at which most lines of the text begin, after white, and their number.
func (r Region) margin(letters []image.Rectangle) (begin, lines int) {
	b := newBands(letters, r)
	white, reach := max(int(noteWhite*float64(r.band)), 1), int(marginReach*float64(r.band))
	var begins []int
	for _, m := range letters {
		row := b.ink[(m.Min.Y+m.Max.Y)/2/r.band]
		i, isFirst := slices.BinarySearchFunc(row, m.Min.X, func(s span, x int) int { return cmp.Compare(s.from, x) })
		if isFirst && (i == 0 || m.Min.X-row[i-1].to >= white) {
			begins = append(begins, m.Min.X)
		}
	}
	slices.Sort(begins)
	for i, from := 0, 0; i < len(begins); i++ {
		for begins[i]-begins[from] > reach {
			from++
		}
		if n := i - from + 1; n > lines {
			begin, lines = begins[from], n
		}
	}
	return begin, lines
}

// row is a line of letters.
type row struct {
	box      image.Rectangle
	baseline int
	letters  int
}

// rowsOf groups letters by the line that they are in, from top to bottom: letters in a line overlap, apart from their upper and
// lower tips, each of which is 1/tips of a letter.
func rowsOf(letters []image.Rectangle, tips int) []row {
	first := func(m image.Rectangle) int { return tips*m.Min.Y + m.Dy() } // below the upper tip, in 1/tips of a pixel
	sorted := slices.SortedFunc(slices.Values(letters), func(a, b image.Rectangle) int { return cmp.Compare(first(a), first(b)) })
	var rows []row
	for from := 0; from < len(sorted); {
		to, end := from, math.MinInt
		var bottoms []float64
		for ; to < len(sorted) && (to == from || first(sorted[to]) < end); to++ {
			bottoms, end = append(bottoms, float64(sorted[to].Max.Y)), max(end, tips*sorted[to].Max.Y-sorted[to].Dy())
		}
		rows = append(rows, row{imaging.Union(sorted[from:to]), int(quantile(bottoms, 0.5)), to - from})
		from = to
	}
	return rows
}

// pitch returns the usual distance of successive rows, or infinity if no two of them are near enough.
func pitch(rows []row, height int) float64 {
	var all []float64
	for i := 1; i < len(rows); i++ {
		if d := rows[i].baseline - rows[i-1].baseline; d <= maxRowPitch*height {
			all = append(all, float64(d))
		}
	}
	if len(all) == 0 {
		return math.Inf(1)
	}
	return quantile(all, 0.5)
}
