package layout

import (
	"image"
	"slices"
)

// Whole returns a page as one region. height is the usual height of letters in pixels.
func Whole(page image.Point, height int) Region {
	n := (page.Y + height - 1) / height
	r := Region{Box: image.Rectangle{Max: page}, band: height, left: make([]int, n), right: make([]int, n)}
	for i := range n {
		r.right[i] = page.X
	}
	return r
}

// Unread returns the parts of the region, from top to bottom, with several lines of letters outside the boxes of the lines that
// were read. marks are the components of ink.
func (r Region) Unread(marks, lines []image.Rectangle) []Region {
	n := len(r.left)
	open, held, strays := make([]int, n), make([]int, n), make([]int, n)
	read := newBands(lines, Whole(image.Pt(r.Box.Max.X, n*r.band), r.band))
	for _, m := range marks {
		if !r.Holds(m) {
			continue
		}
		switch i := (m.Min.Y + m.Max.Y) / 2 / r.band; {
		case read.contains(i, (m.Min.X+m.Max.X)/2):
			held[i]++
		case isText(m, r.band):
			open[i]++
		default:
			strays[i]++
		}
	}
	var out []Region
	for i := 0; i < n && len(out) < maxUnreadParts; {
		start := i
		first, last, letters, others := i, i, 0, 0
		for ; i < n && i-last-1 <= maxBlankBands && open[i] >= openShare*held[i]; i++ {
			others += strays[i]
			if open[i] > 0 {
				if letters == 0 {
					first = i
				}
				last, letters = i, letters+open[i]
			}
		}
		if last-first+1 >= minUnreadBands && letters >= minUnreadLetters && others <= maxStrays*letters {
			out = append(out, r.between(max(first*r.band-r.band/2, r.Box.Min.Y), min((last+1)*r.band+r.band/2, r.Box.Max.Y)))
		}
		i = max(i, start+1) // the band that ended the part may begin the next one
	}
	return out
}

// Letters counts the letters in the region. marks are the components of ink.
func (r Region) Letters(marks []image.Rectangle) (n int) {
	for _, m := range marks {
		if isText(m, r.band) && r.Holds(m) {
			n++
		}
	}
	return n
}

// contains reports whether one of the spans of a band contains x.
func (b bands) contains(i, x int) bool {
	return slices.ContainsFunc(b.ink[i], func(s span) bool { return s.from <= x && x < s.to })
}
