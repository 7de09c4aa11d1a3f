package layout

import (
	"image"
	"math"
	"slices"
)

// Staves returns the boxes of the staves of music on a page whose bounds begin at (0, 0), from the first to the last of their
// five lines. height is the usual height of letters. Tables are not staves: they have more or fewer rules, with room for text
// between them.
func Staves(page *image.Gray, height int) []image.Rectangle {
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
		if s.strips >= minStaffStrips {
			boxes = append(boxes, s.box)
		}
	}
	return boxes
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

// stavesIn returns the staves in a vertical strip of a page: groups of exactly five thin, dark, evenly spaced lines from edge
// to edge of the strip.
func stavesIn(page *image.Gray, strip image.Rectangle, height int) []staff {
	lines := darkLines(page, strip)
	var out []staff
	for i := 0; i+staffLines <= len(lines); i++ {
		five := lines[i : i+staffLines]
		first, last := five[0], five[staffLines-1]
		space := (last.middle() - first.middle()) / (staffLines - 1)
		if space < minStaffSpace*float64(height) || space > maxStaffSpace*float64(height) || !areEven(five, space) {
			continue
		}
		isApart := func(a, b span) bool { return b.middle()-a.middle() > (1+2*staffTolerance)*space }
		if (i == 0 || isApart(lines[i-1], first)) && (i+staffLines == len(lines) || isApart(last, lines[i+staffLines])) {
			box := image.Rect(strip.Min.X, first.from, strip.Max.X, last.to)
			out = append(out, staff{box: box, last: box, space: space, strips: 1})
			i += staffLines - 1
		}
	}
	return out
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
