package imaging

import (
	"cmp"
	"image"
	"math"
	"slices"
)

// EraseStrikes returns the page without straight horizontal rules that run through letters or touch them, such as the rules of
// an index card that was typed without regard to them, or the page itself if there are none. Strokes that cross a rule stay
// whole. height is the usual height of letters. Rules that hardly any letter touches stay, because they divide the page.
func EraseStrikes(g *image.Gray, height int) *image.Gray {
	return eraseRules(g, g, height, 0, func(s strike) bool { return s.strokes(height) >= minStrokes })
}

// EraseScratches returns the page without nearly vertical hairlines that run through lines of text, such as scratches of a
// microfilm or the trace of a bad pixel of a scanner, or the page itself if there are none. Letters touch such a hairline from
// both sides. Rules between columns stay: letters hardly touch them, or only from one side. Hatching stays, because it is
// short.
func EraseScratches(g *image.Gray, height int) *image.Gray {
	turned, h := Turn(g, 1), float64(height)
	out := eraseRules(turned, Turn(withoutBlocks(g, int(longestStroke*h)), 1), height, int(scratchGap*h), func(s strike) bool {
		left := s.touches(height, func(c strikeColumn) int { return c.below })
		right := s.touches(height, func(c strikeColumn) int { return c.above })
		n, length := min(left, right), float64(len(s.columns))
		return n >= minTouches && float64(n)*h >= touchesPerHeight*length && length >= minScratch*float64(g.Rect.Dy())
	})
	if out == turned {
		return g
	}
	return Turn(out, 3)
}

// withoutBlocks returns the page without ink that is wider than width, such as a picture or the dark edge of a scan, because a
// scratch that meets it would be one piece with it.
func withoutBlocks(g *image.Gray, width int) *image.Gray {
	threshold, out := InkThreshold(g), Crop(g, g.Rect)
	for y := range g.Rect.Dy() {
		for start, end := range longerThan(inkRuns(row(g, y), threshold), width) {
			for x := start; x < end; x++ {
				row(out, y)[x] = 255
			}
		}
	}
	return out
}

// eraseRules returns the page without the straight horizontal rules that run through letters, or the page itself. Pieces of a
// rule are at most gap pixels apart in thin, which is the page, or the page without what no rule may cross.
func eraseRules(g, thin *image.Gray, height, gap int, isThroughLetters func(strike) bool) *image.Gray {
	threshold := InkThreshold(g)
	h := float64(height)
	longRuns := func(y int) RunSeq { return longerThan(inkRuns(row(thin, y), threshold), int(minStrikeRun*h)) }
	isStraight := func(box image.Rectangle, thickness float64) bool {
		return float64(box.Dy()) <= thickness+1+steepestStrike*float64(box.Dx())
	}
	pieces := slices.DeleteFunc(ComponentBoxes(g.Rect.Dy(), Corners, longRuns), func(piece image.Rectangle) bool {
		return !isStraight(piece, thickestStrike*h)
	})
	out := g
	for _, box := range InOneLine(pieces, gap) {
		if float64(box.Dx()) < minStrike*h || !isStraight(box, thickestStrike*h) {
			continue
		}
		s := newStrike(g, box, longRuns, threshold, height)
		if thickness := float64(s.thickness); thickness > thickestStrike*h || !isStraight(box, thickness) || !isThroughLetters(s) {
			continue
		}
		if out == g {
			out = Crop(g, g.Rect)
		}
		s.erase(out, max(int(crossing*h), 2))
	}
	return out
}

// InOneLine joins the boxes of the pieces of horizontal rules, each at most gap pixels to the right of the one before it, and
// as high on the page. It sorts pieces.
func InOneLine(pieces []image.Rectangle, gap int) (rules []image.Rectangle) {
	if gap == 0 {
		return pieces
	}
	slices.SortFunc(pieces, func(a, b image.Rectangle) int { return cmp.Compare(a.Min.X, b.Min.X) })
	last := map[int]int{} // the rule with the last piece in each row
	for _, p := range pieces {
		rule := len(rules)
		for y := p.Min.Y - 1; y <= p.Max.Y; y++ {
			if i, ok := last[y]; ok && p.Min.X >= rules[i].Max.X && p.Min.X-rules[i].Max.X <= gap {
				rule = i
			}
		}
		if rule == len(rules) {
			rules = append(rules, p)
		}
		rules[rule] = rules[rule].Union(p)
		for y := p.Min.Y; y < p.Max.Y; y++ {
			last[y] = rule
		}
	}
	return rules
}

// longerThan yields the runs that are at least minLength long.
func longerThan(runs RunSeq, minLength int) RunSeq {
	return func(yield func(start, end int) bool) {
		for start, end := range runs {
			if end-start >= minLength && !yield(start, end) {
				return
			}
		}
	}
}

// strike is a rule. Its first column of pixels is at left, and thickness is its usual thickness in pixels.
type strike struct {
	left, thickness int
	columns         []strikeColumn
}

// strikeColumn is one column of a rule: its rows from top up to but not including bottom, and the number of rows by which the
// ink extends above and below these. In columns in which a vertical rule meets the rule, all are 0.
type strikeColumn struct{ top, bottom, above, below int }

// newStrike returns the rule in a box, which consists of the long runs of ink there.
func newStrike(g *image.Gray, box image.Rectangle, longRuns func(y int) RunSeq, threshold uint8, height int) strike {
	s := strike{left: box.Min.X, columns: make([]strikeColumn, box.Dx())}
	for y := box.Min.Y; y < box.Max.Y; y++ {
		for start, end := range longRuns(y) {
			for x := max(start, box.Min.X); x < min(end, box.Max.X); x++ {
				at := &s.columns[x-s.left]
				if at.bottom == 0 {
					at.top = y
				}
				at.bottom = y + 1
			}
		}
	}
	for i := 1; i < len(s.columns); i++ { // between pieces of the rule
		if before := s.columns[i-1]; s.columns[i].bottom == 0 {
			s.columns[i] = strikeColumn{top: before.top, bottom: before.bottom}
		}
	}
	limit, all := int(longestStroke*float64(height)), make([]int, len(s.columns))
	for i := range s.columns {
		at := &s.columns[i]
		isInk := func(y int) bool { return y >= 0 && y < g.Rect.Dy() && row(g, y)[s.left+i] <= threshold }
		for at.above < limit && isInk(at.top-1-at.above) {
			at.above++
		}
		for at.below < limit && isInk(at.bottom+at.below) {
			at.below++
		}
		if at.above == limit || at.below == limit {
			*at = strikeColumn{}
		}
		all[i] = at.bottom - at.top
	}
	slices.Sort(all)
	s.thickness = all[len(all)/2]
	return s
}

// strokes returns the number of strokes of letters that cross the rule or touch it. Strokes at equal distances are the marks of
// a scale.
func (s strike) strokes(height int) (n int) {
	last, distance := 0, 0
	for i := range Runs(len(s.columns), 1, func(i int) bool {
		return float64(s.columns[i].above+s.columns[i].below) >= minStroke*float64(height)
	}) {
		if d := i - last; math.Abs(float64(d-distance)) > max(scaleSlack*float64(height), 1) {
			n++
			distance = d
		}
		last = i
	}
	return n
}

// touches returns the number of strokes on one side of the rule, above or below.
func (s strike) touches(height int, side func(strikeColumn) int) (n int) {
	isStroke := func(i int) bool { return float64(side(s.columns[i])) >= minTouch*float64(height) }
	for range Runs(len(s.columns), 1, isStroke) {
		n++
	}
	return n
}

// erase gives the rule and its grey edges the lightest grey beside them, except where it is thicker than usual, because the bar
// of a letter is on it, and where a stroke crosses it: where the ink extends by at least reach rows above and below it.
func (s strike) erase(g *image.Gray, reach int) {
	thickest := int(widestStrike*float64(s.thickness)) + 1
	for i, at := range s.columns {
		if at.top == at.bottom || at.bottom-at.top > thickest || at.above >= reach && at.below >= reach {
			continue
		}
		from, to := at.top, at.bottom
		if at.above < reach {
			from = max(from-at.above-1, 0)
		}
		if at.below < reach {
			to = min(to+at.below+1, g.Rect.Dy())
		}
		paper := uint8(0)
		for y := max(from-2, 0); y < min(to+2, g.Rect.Dy()); y++ {
			paper = max(paper, row(g, y)[s.left+i])
		}
		for y := from; y < to; y++ {
			row(g, y)[s.left+i] = paper
		}
	}
}
