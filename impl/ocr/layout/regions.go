package layout

import (
	"cmp"
	"image"
	"slices"

	"uncial/impl/ocr/imaging"
)

// Region is a part of a page of print that is read separately: a column, or the text above or below columns.
type Region struct {
	Box         image.Rectangle // in pixels of the page
	IsSong      bool            // it holds the syllables under a staff of music, which are not in columns although they are far apart
	band        int             // height of a band in pixels; bands count from the top of the page
	left, right []int           // for each band, the first column of pixels in the region and the first one after it
}

// Regions divides a page of print, whose bounds begin at (0, 0), at its rules and gutters, and returns the parts in reading
// order: the title above the rules, the columns between rules from left to right, and within each of these the text above its
// columns, the columns from left to right, and the text below them. A part that has columns itself is divided again. Strips of
// a facing page at the edge of the image are left out. Regions returns nil if the whole page is one region. marks are the
// components of ink, and height is the usual height of letters.
func Regions(marks []image.Rectangle, height int, page image.Point, rules []Rule) []Region {
	across, broken := horizontalRules(marks, height), brokenRules(marks, height)
	marks = withoutPieces(marks, broken)
	text := slices.DeleteFunc(slices.Clone(marks), func(m image.Rectangle) bool { return !isText(m, height) })
	switch {
	case imaging.Union(text).Dy() < minRuledHeight*height:
		rules = nil // in a few lines, the stem of a letter is as high as the writing
	case len(rules) == 0:
		rules = faintRules(text, broken, height, page)
	}
	lines := append(across, uprightRules(marks, broken, height)...)
	var all []Region
	trimmed := false
	for _, column := range columnsOf(marks, across, height, page, rules) {
		inside := marks
		if len(rules) > 0 {
			inside = slices.DeleteFunc(slices.Clone(marks), func(m image.Rectangle) bool { return !column.Holds(m) })
		}
		parts, narrower := column.regions(inside, lines)
		all, trimmed = append(all, parts...), trimmed || narrower
	}
	if len(all) == 1 && !trimmed {
		return nil
	}
	return all
}

// regions divides a column between rules, or the page, at its gutters, and reports whether strips of a facing page were cut
// off. rules are horizontal and vertical ones.
func (r Region) regions(marks, rules []image.Rectangle) (parts []Region, trimmed bool) {
	var letters, pictures []image.Rectangle
	for _, m := range marks {
		switch {
		case isText(m, r.band):
			letters = append(letters, m)
		case isPicture(m, r.band, r.Box.Dx()) && !isEdge(m):
			pictures = append(pictures, m)
		}
	}
	count := newTally(letters, r.band, r.Box.Max)
	examined := 0
	pictures = slices.DeleteFunc(pictures, func(m image.Rectangle) bool {
		if isFrame(m, count) {
			return true
		}
		if count.in(m) < minFramedLetters || examined == maxFrames {
			return false
		}
		examined++
		return hasRows(m, letters, r.band)
	})
	trimmed = r.withoutStrips(newBands(slices.Concat(letters, pictures), r))
	letters, pictures, insets := r.insets(letters, pictures)
	letters = append(letters, pictures...)
	if trimmed {
		letters = slices.DeleteFunc(letters, func(m image.Rectangle) bool { return !r.Holds(m) })
	}
	wide := slices.DeleteFunc(slices.Clone(marks), func(m image.Rectangle) bool { return m.Dx() <= maxMarkWidth*r.band })
	return withInsets(r.divide(letters, append(wide, rules...), halves(insets), maxDivisions), insets), trimmed
}

// isText reports whether a component may be a letter, or several letters that touch, rather than a speck, a rule or a picture.
func isText(m image.Rectangle, height int) bool {
	return float64(m.Dy()) >= minMark*float64(height) && m.Dy() <= maxMarkHeight*height && m.Dx() <= maxMarkWidth*height
}

// isPicture reports whether a component has the size of a drop capital or a picture beside text.
func isPicture(m image.Rectangle, height, width int) bool {
	return m.Dy() > maxMarkHeight*height && m.Dx() >= minPicture*height && float64(m.Dx()) <= maxPicture*float64(width)
}

// isEdge reports whether a component has the shape of the dark edge of a leaf.
func isEdge(m image.Rectangle) bool { return m.Dy() > highestPicture*m.Dx() }

// tally counts the letters in a rectangle, in the same time for rectangles of any size: sums has, for each corner of a cell,
// the number of letters above it and to its left.
type tally struct {
	cell, columns int // cell is the side of a cell in pixels
	sums          []int
}

// newTally counts each letter in the cell of its centre. cell is the side of a cell in pixels.
func newTally(letters []image.Rectangle, cell int, page image.Point) tally {
	t := tally{cell: cell, columns: page.X/cell + 2}
	t.sums = make([]int, t.columns*(page.Y/cell+2))
	for _, l := range letters {
		t.sums[(l.Min.Y+l.Max.Y)/2/cell*t.columns+t.columns+(l.Min.X+l.Max.X)/2/cell+1]++
	}
	for i := t.columns; i < len(t.sums); i++ {
		if i%t.columns > 0 {
			t.sums[i] += t.sums[i-1] + t.sums[i-t.columns] - t.sums[i-t.columns-1]
		}
	}
	return t
}

// in returns the number of letters in a box whose edges are rounded to cells.
func (t tally) in(m image.Rectangle) int {
	round := func(v int) int { return (v + t.cell/2) / t.cell }
	x0, x1, y0, y1 := round(m.Min.X), round(m.Max.X), round(m.Min.Y)*t.columns, round(m.Max.Y)*t.columns
	return t.sums[y1+x1] - t.sums[y1+x0] - t.sums[y0+x1] + t.sums[y0+x0]
}

// isFrame reports whether a component is a frame around text: its box is as full of letters as a page of text.
func isFrame(m image.Rectangle, letters tally) bool {
	inside := letters.in(m)
	return inside >= minFrameLetters && float64(inside) >= minFrameDensity*float64(imaging.Area(m))/float64(letters.cell*letters.cell)
}

// hasRows reports whether a component is a frame around lines of text, or the rules of a table: the letters in its box are in
// rows with white between them, unlike the hatching of a picture.
func hasRows(m image.Rectangle, letters []image.Rectangle, height int) bool {
	var inside []image.Rectangle
	for _, l := range letters {
		if imaging.Middle(l).In(m) {
			inside = append(inside, l)
		}
	}
	lines, inLines := 0, 0
	for _, row := range rowsOf(inside, lineTips) {
		if row.letters >= minFramedLine && float64(row.box.Dy()) <= maxFramedRow*float64(height) {
			lines, inLines = lines+1, inLines+row.letters
		}
	}
	return lines >= minFramedRows && float64(inLines) >= framedShare*float64(len(inside))
}

// withoutStrips narrows the region where the edge of the image shows a strip of a facing page. It reports whether there was
// one.
func (r *Region) withoutStrips(b bands) bool {
	trimmed := false
	for _, g := range b.gutters() {
		left, right := b.strips(g)
		for i, s := range g.at {
			if left {
				r.left[g.top+i] = max(r.left[g.top+i], (s.from+s.to)/2)
			}
			if right {
				r.right[g.top+i] = min(r.right[g.top+i], (s.from+s.to)/2)
			}
		}
		trimmed = trimmed || left || right
	}
	return trimmed
}

// divide divides a region with these letters at its gutters, and the parts again, up to depth levels deep. rules are the wide
// components, among them horizontal rules, at which gutters end, and the vertical rules. halves are those of insets, which
// bound the first gutter only.
func (r Region) divide(letters, rules, halves []image.Rectangle, depth int) []Region {
	b := newBands(slices.Concat(letters, halves), r)
	for _, m := range rules {
		switch {
		case !r.Holds(m):
		case isAcross(m, r.band, r.Box.Dx()):
			i := imaging.Middle(m).Y / r.band
			b.ruled[i] = append(b.ruled[i], span{m.Min.X, m.Max.X})
		case isUpright(m, r.band):
			b.upright = append(b.upright, m)
		}
	}
	all := append(b.ruleGutters(), b.gutters()...)
	slices.SortStableFunc(all, func(x, y gutter) int { return cmp.Compare(y.rows, x.rows) })
	i := slices.IndexFunc(all, b.isBetweenColumns)
	if i < 0 || depth == 0 {
		return r.withoutNotes(letters)
	}
	var out []Region
	for _, part := range r.split(all[i], letters) {
		inside := slices.DeleteFunc(slices.Clone(letters), func(m image.Rectangle) bool { return !part.Holds(m) })
		if len(inside) > 0 {
			out = append(out, part.divide(inside, rules, nil, depth-1)...)
		}
	}
	return out
}

// split returns the parts of a region above, to the left, to the right, and below a gutter.
func (r Region) split(g gutter, letters []image.Rectangle) []Region {
	top, bottom := max(g.top*r.band, r.Box.Min.Y), min(g.bottom*r.band, r.Box.Max.Y)
	for _, m := range letters {
		switch middle := (m.Min.Y + m.Max.Y) / 2; {
		case middle >= g.top*r.band && m.Min.Y < (g.top+1)*r.band:
			top = min(top, m.Min.Y)
		case middle >= g.bottom*r.band && m.Min.Y < (g.bottom+1)*r.band && g.isCrossed(m, r.band):
			bottom = min(bottom, m.Min.Y)
		}
	}
	top = max(g.raised(top, letters, r.band), r.Box.Min.Y)
	bottom = max(bottom, top)
	left, right := r.between(top, bottom), r.between(top, bottom)
	left.right, right.left = slices.Clone(r.right), slices.Clone(r.left)
	for i := range r.left {
		s := g.at[min(max(i-g.top, 0), len(g.at)-1)]
		middle := (s.from + s.to) / 2
		left.right[i], right.left[i] = min(middle, r.right[i]), max(middle, r.left[i])
	}
	return []Region{r.between(r.Box.Min.Y, top), left.fitted(), right.fitted(), r.between(bottom, r.Box.Max.Y)}
}

// raised returns top, or where the first line of one column begins if it is a little higher than that of the other, so that top
// would cut it through. It returns top if something crosses the gutter there.
func (g gutter) raised(top int, letters []image.Rectangle, height int) int {
	higher := top
	for _, m := range letters {
		if m.Min.Y < top && m.Min.Y > top-2*height && m.Max.Y > top+height/8 {
			higher = min(higher, m.Min.Y)
		}
	}
	for _, m := range letters {
		if m.Max.Y > higher && m.Min.Y < top && m.Min.X < g.at[0].to && m.Max.X > g.at[0].from {
			return top
		}
	}
	return higher
}

// isCrossed reports whether a letter is where the gutter would continue downwards.
func (g gutter) isCrossed(m image.Rectangle, height int) bool {
	end := g.at[len(g.at)-1]
	return m.Min.X < end.to+height && m.Max.X > end.from-height
}

// between returns the part of a region from top to bottom.
func (r Region) between(top, bottom int) Region {
	r.Box.Min.Y, r.Box.Max.Y = top, bottom
	return r
}

// fitted returns the region with a box as wide as its bands require. It returns a region without height unchanged.
func (r Region) fitted() Region {
	if r.Box.Max.Y <= r.Box.Min.Y {
		return r
	}
	first, last := r.Box.Min.Y/r.band, max(r.Box.Max.Y-1, 0)/r.band
	r.Box.Min.X, r.Box.Max.X = slices.Min(r.left[first:last+1]), slices.Max(r.right[first:last+1])
	return r
}

// Holds reports whether the centre of a box is in the region.
func (r Region) Holds(b image.Rectangle) bool {
	m := imaging.Middle(b)
	i := m.Y / r.band
	return m.Y >= r.Box.Min.Y && m.Y < r.Box.Max.Y && m.X >= r.left[i] && m.X < r.right[i]
}

// Cut returns the image of the region, with the corner of its box at (0, 0). Pixels of neighbouring regions are white.
func (r Region) Cut(page *image.Gray) *image.Gray { return r.cut(page, 0xff) }

// cut is Cut with a given grey for the pixels of neighbouring regions.
func (r Region) cut(page *image.Gray, grey uint8) *image.Gray {
	out := image.NewGray(image.Rectangle{Max: r.Box.Size()})
	for i := range out.Pix {
		out.Pix[i] = grey
	}
	for y := r.Box.Min.Y; y < r.Box.Max.Y; y++ {
		from, to := r.left[y/r.band], r.right[y/r.band]
		imaging.Copy(out, image.Rect(from, y, to, y+1).Sub(r.Box.Min), page, image.Pt(from, y))
	}
	return out
}
