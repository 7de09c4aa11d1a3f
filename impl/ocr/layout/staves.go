package layout

import (
	"cmp"
	"image"
	"math"
	"slices"

	"uncial/impl/ocr/imaging"
)

// Staves returns the boxes of the staves of music on a page whose bounds begin at (0, 0), each from the first to the last of
// its five lines, or four in chant, from top to bottom. marks are the components of ink, and height is the usual height of
// letters. The rules of tables are not staves: they have room for text between them, or text.
func Staves(page *image.Gray, marks []image.Rectangle, height int) []image.Rectangle {
	var open []staff
	width := page.Rect.Dx() / staffStrips
	if width < minStaffStrip {
		return nil
	}
	for i := range staffStrips {
		here := stavesIn(page, image.Rect(i*width, 0, (i+1)*width, page.Rect.Dy()), height)
		for _, s := range here {
			j := slices.IndexFunc(open, func(o staff) bool { return o.continuesIn(s, width) })
			if j < 0 {
				open = append(open, s)
				continue
			}
			o := &open[j]
			o.box, o.last, o.strips = o.box.Union(s.box), s.box, o.strips+1
		}
	}
	var boxes []image.Rectangle
	for _, s := range open {
		if s.strips >= minStaffStrips && !holdsText(s.box, marks, height) {
			boxes = append(boxes, s.box)
		}
	}
	slices.SortFunc(boxes, func(a, b image.Rectangle) int { return cmp.Compare(a.Min.Y, b.Min.Y) })
	return boxes
}

// holdsText reports whether there are letters between the lines of a possible staff, as between the rules of a table. Notes
// touch the lines.
func holdsText(staff image.Rectangle, marks []image.Rectangle, height int) bool {
	letters := 0
	for _, m := range marks {
		if m.In(staff) && isText(m, height) && m.Dx() < staff.Dx()/2 {
			letters++
		}
	}
	return letters >= minTextInStaff
}

// DivideAtStaves divides regions, or the page if there are none, at the staves that run across them, and below the syllables
// under each staff. These are as far apart as the notes, so they look like columns. marks are the components of ink, and height
// is the usual height of letters. It returns the regions themselves if there are no staves.
func DivideAtStaves(regions []Region, staves, marks []image.Rectangle, height int, page image.Point) []Region {
	if len(staves) == 0 {
		return regions
	}
	if regions == nil {
		regions = []Region{Whole(page, height)}
	}
	var out []Region
	for _, r := range regions {
		inside := slices.DeleteFunc(slices.Clone(marks), func(m image.Rectangle) bool {
			return float64(m.Dy()) < minMark*float64(height) || !r.Holds(m)
		})
		rows := rowsOf(slices.DeleteFunc(slices.Clone(inside), func(m image.Rectangle) bool { return !isText(m, height) }), lineTips)
		top := r.Box.Min.Y
		cut := func(bottom int, isSong bool) {
			if bottom = max(bottom, top); bottom == top {
				return
			}
			part := r.between(top, bottom)
			if part.IsSong = isSong; slices.ContainsFunc(inside, part.Holds) {
				out = append(out, part)
			}
			top = bottom
		}
		across := slices.DeleteFunc(slices.Clone(staves), func(s image.Rectangle) bool {
			return !imaging.Middle(s).In(r.Box) || float64(s.Intersect(r.Box).Dx()) < staffAcross*float64(r.Box.Dx())
		})
		for i, s := range across {
			end := r.Box.Max.Y
			if i+1 < len(across) {
				end = imaging.Middle(across[i+1]).Y
			}
			cut(imaging.Middle(s).Y, false)
			cut(min(belowSyllables(rows, s, height), end), true)
		}
		cut(r.Box.Max.Y, false)
	}
	return out
}

// belowSyllables returns the y at which the rows of syllables under a staff end, or its middle if there are none. More rows
// than a song has verses are prose.
func belowSyllables(rows []row, staff image.Rectangle, height int) int {
	middle := imaging.Middle(staff).Y
	end, gap, n := middle, syllableGap*float64(staff.Dy()), 0
	for _, row := range rows {
		switch distance := float64(row.box.Min.Y - end); {
		case row.box.Min.Y < middle:
		case distance > gap:
			return end
		default:
			end, gap, n = row.box.Max.Y+1, syllableRows*float64(height), n+1
		}
		if n > maxSyllableRows {
			return middle
		}
	}
	return end
}

// staff is a staff in one or several strips of a page.
type staff struct {
	box, last image.Rectangle // of the whole staff, and of its part in the rightmost strip
	space     float64         // between two lines, in pixels
	strips    int
}

// continuesIn reports whether a staff continues in one of the next strips.
func (s staff) continuesIn(next staff, width int) bool {
	return next.box.Min.X-s.last.Max.X <= staffGap*width && next.box.Min.X >= s.last.Max.X &&
		math.Abs(float64(next.box.Min.Y-s.last.Min.Y)) <= s.space && math.Abs(next.space-s.space) <= staffTolerance*s.space+1
}

// stavesIn returns the staves in a vertical strip of a page: groups of four or five thin, dark, evenly spaced lines from edge
// to edge of the strip.
func stavesIn(page *image.Gray, strip image.Rectangle, height int) []staff {
	lines := darkLines(page, strip)
	var out []staff
	for i := 0; i < len(lines); i++ {
		if n := staffAt(lines, i, height); n > 0 {
			first, last := lines[i], lines[i+n-1]
			box := image.Rect(strip.Min.X, first.from, strip.Max.X, last.to)
			out = append(out, staff{box: box, last: box, space: (last.middle() - first.middle()) / float64(n-1), strips: 1})
			i += n - 1
		}
	}
	return out
}

// staffAt returns the number of lines of the staff whose first line is lines[i], or 0 if there is none.
func staffAt(lines []span, i, height int) int {
	for n := minStaffLines; n <= maxStaffLines && i+n <= len(lines); n++ {
		all := lines[i : i+n]
		space := (all[n-1].middle() - all[0].middle()) / float64(n-1)
		if space < minStaffSpace*float64(height) || space > maxStaffSpace*float64(height) || !areEven(all, space) {
			continue
		}
		isApart := func(a, b span) bool { return b.middle()-a.middle() > (1+2*staffTolerance)*space }
		if (i == 0 || isApart(lines[i-1], all[0])) && (i+n == len(lines) || isApart(all[n-1], lines[i+n])) {
			return n
		}
	}
	return 0
}

// areEven reports whether lines are thin and evenly spaced.
func areEven(lines []span, space float64) bool {
	for i, l := range lines {
		if float64(l.width()) > staffThickness*space+1 {
			return false
		}
		if i > 0 && math.Abs(l.middle()-lines[i-1].middle()-space) > staffTolerance*space+1 {
			return false
		}
	}
	return true
}

func (s span) middle() float64 { return float64(s.from+s.to) / 2 }

// darkLines returns the rows that are dark across a strip, as spans from top to bottom. A line may drift by a row up or down.
// Only every second column is examined.
func darkLines(page *image.Gray, strip image.Rectangle) []span {
	var out []span
	for y := strip.Min.Y + 1; y < strip.Max.Y-1; y++ {
		at := page.PixOffset(strip.Min.X, y)
		above, here, below := page.Pix[at-page.Stride:], page.Pix[at:], page.Pix[at+page.Stride:]
		dark, n := 0, strip.Dx()
		for x := 0; x < n; x += 2 {
			if min(above[x], here[x], below[x]) < inkGrey {
				dark++
			}
		}
		if float64(2*dark) < staffDark*float64(n) {
			continue
		}
		if last := len(out) - 1; last >= 0 && out[last].to == y {
			out[last].to++
		} else {
			out = append(out, span{y, y + 1})
		}
	}
	return out
}
