package layout

import (
	"image"
	"slices"

	"uncial/impl/ocr/imaging"
)

// inset is a picture, with its caption if it has one, that interrupts the gutter between two columns. Their lines go around it
// on both sides, so the columns are read from top to bottom, each past the inset.
type inset struct {
	box        image.Rectangle
	gutter     span // between the lines above the inset
	hasCaption bool
}

// insets returns the letters and the pictures of a region without its insets, and these. The parts of a picture are close to
// each other.
func (r Region) insets(letters, pictures []image.Rectangle) (outside, others []image.Rectangle, insets []inset) {
	if len(pictures) == 0 || len(pictures) > maxIllustrations {
		return letters, pictures, nil
	}
	b := newBands(without(letters, newBands(pictures, r)), r)
	var whole, boxes []image.Rectangle
	isClose := func(a, b image.Rectangle) bool { return a.Inset(-insetMargin * r.band).Overlaps(b) }
	for _, m := range merged(pictures, isClose) {
		whole, boxes = append(whole, m), append(boxes, b.withCaption(m))
	}
	b = newBands(without(letters, newBands(boxes, r)), r)
	gutters := slices.DeleteFunc(b.gutters(), func(g gutter) bool { return !b.isBetweenColumns(g) })
	var inside []image.Rectangle
	for i, box := range boxes {
		if k := slices.IndexFunc(gutters, func(g gutter) bool { return b.isInset(box, g) }); k >= 0 {
			inside = append(inside, box)
			insets = append(insets, inset{box, b.whiteAbove(box, gutters[k]), box != whole[i]})
		}
	}
	in := newBands(inside, r)
	return without(letters, in), without(pictures, in), insets
}

// withCaption returns the box of a picture and the lines directly below it that are not wider, with white on both sides.
func (b bands) withCaption(m image.Rectangle) image.Rectangle {
	margin, bottom := b.height/2, (m.Max.Y-1)/b.height
	crosses := func(s span, x int) bool { return s.from < x+margin && s.to > x-margin }
	for i := bottom + 1; i < min(bottom+1+captionRows, len(b.ink)); i++ {
		if slices.ContainsFunc(b.ink[i], func(s span) bool { return crosses(s, m.Min.X) || crosses(s, m.Max.X) }) {
			break
		}
		if slices.ContainsFunc(b.ink[i], func(s span) bool { return s.from > m.Min.X && s.to < m.Max.X }) {
			m.Max.Y = (i + 1) * b.height
		}
	}
	return m
}

// isInset reports whether a picture interrupts the gutter, and the lines of the columns go around it on both sides: they reach
// from the margins of the columns to the picture. Short lines beside an ornament are a heading.
func (b bands) isInset(m image.Rectangle, g gutter) bool {
	top, bottom := m.Min.Y/b.height, (m.Max.Y-1)/b.height
	isThrough := func(s span) bool { return s.intersect(span{m.Min.X, m.Max.X}).width() > 0 }
	if top-g.top < minInsetRows || g.bottom-bottom < minInsetRows || !slices.ContainsFunc(g.at[top-g.top:bottom-g.top], isThrough) {
		return false
	}
	var begins, ends []float64 // of the columns
	for _, text := range b.flanked(g.top, g.at) {
		begins, ends = append(begins, float64(text.left.from)), append(ends, float64(text.right.to))
	}
	near := insetMargin * b.height
	begin, end := int(quantile(begins, 0.5))+near, int(quantile(ends, 0.5))-near
	var reaching [4]int // the bands whose ink reaches the left margin, the picture from the left, from the right, the right margin
	for i := top; i <= bottom; i++ {
		for k, reaches := range [4]func(s span) bool{
			func(s span) bool { return s.from <= begin },
			func(s span) bool { return s.from < m.Min.X && s.to >= m.Min.X-near },
			func(s span) bool { return s.to > m.Max.X && s.from <= m.Max.X+near },
			func(s span) bool { return s.to >= end },
		} {
			if slices.ContainsFunc(b.ink[i], reaches) {
				reaching[k]++
			}
		}
	}
	return float64(slices.Min(reaching[:])) >= insetShare*float64(bottom+1-top)
}

// whiteAbove returns the white of a gutter between the lines above a picture.
func (b bands) whiteAbove(m image.Rectangle, g gutter) span {
	white := span{m.Min.X, m.Max.X}
	for _, text := range b.flanked(g.top, g.at[:m.Min.Y/b.height-g.top]) {
		white = white.intersect(span{text.left.to, text.right.from})
	}
	return white
}

// halves returns the parts of the insets on both sides of the gutter.
func halves(insets []inset) (boxes []image.Rectangle) {
	for _, in := range insets {
		left, right := in.box, in.box
		left.Max.X, right.Min.X = in.gutter.from, in.gutter.to
		boxes = append(boxes, left, right)
	}
	return boxes
}

// withInsets cuts the insets with captions out of the columns, and adds them after these, so that the captions remain whole.
func withInsets(parts []Region, insets []inset) []Region {
	for _, in := range insets {
		if !in.hasCaption {
			continue
		}
		last := -1
		for i := range parts {
			if parts[i].cutOut(in.box) {
				last = i
			}
		}
		if last >= 0 {
			parts = slices.Insert(parts, last+1, parts[last].only(in.box))
		}
	}
	return parts
}

// cutOut cuts a box that lies on an edge of the region out of it. It reports whether it did.
func (r *Region) cutOut(box image.Rectangle) (cut bool) {
	left, right := slices.Clone(r.left), slices.Clone(r.right)
	for i := box.Min.Y / r.band; i < min((box.Max.Y+r.band-1)/r.band, len(left)); i++ {
		if i*r.band >= r.Box.Max.Y || (i+1)*r.band <= r.Box.Min.Y || left[i] >= box.Max.X || right[i] <= box.Min.X {
			continue
		}
		switch {
		case left[i] >= box.Min.X:
			left[i], cut = box.Max.X, true
		case right[i] <= box.Max.X:
			right[i], cut = box.Min.X, true
		}
	}
	r.left, r.right = left, right
	return cut
}

// only returns the region of a box on the page of r.
func (r Region) only(box image.Rectangle) Region {
	out := r.between(box.Min.Y, box.Max.Y)
	out.left, out.right = slices.Repeat([]int{box.Min.X}, len(r.left)), slices.Repeat([]int{box.Max.X}, len(r.right))
	return out.fitted()
}

// without returns the letters whose centres are not in the ink of the bands.
func without(letters []image.Rectangle, b bands) []image.Rectangle {
	return slices.DeleteFunc(slices.Clone(letters), func(m image.Rectangle) bool {
		at := imaging.Middle(m)
		i := min(at.Y/b.height, len(b.ink)-1)
		return slices.ContainsFunc(b.ink[i], func(s span) bool { return s.from <= at.X && at.X < s.to })
	})
}
