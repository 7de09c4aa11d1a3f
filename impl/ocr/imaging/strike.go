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
	turned, threshold, h := Turn(g, 1), InkThreshold(g), float64(height)
	out := eraseRules(turned, Turn(withoutBlocks(g, threshold, int(longestStroke*h)), 1), height, int(scratchGap*h), func(s strike) bool {
		left := s.touches(height, func(c strikeColumn) int { return c.below })
		right := s.touches(height, func(c strikeColumn) int { return c.above })
		n, length := min(left, right), float64(len(s.columns))
		return n >= minTouches && float64(n)*h >= touchesPerHeight*length && length >= minScratch*float64(g.Rect.Dy()) &&
			s.closeShare(turned, threshold, height) >= minCloseShare
	})
	if out == turned {
		return g
	}
	return Turn(out, 3)
}

// withoutBlocks returns the page without ink that is wider than width, such as a picture or the dark edge of a scan, because a
// scratch that meets it would be one piece with it.
func withoutBlocks(g *image.Gray, threshold uint8, width int) *image.Gray {
	out := Crop(g, g.Rect)
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
	pieces, longRuns := rulePieces(thin, threshold, height)
	out := g
	for _, rule := range InOneLine(pieces, gap) {
		box := Union(rule)
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

// HorizontalRules returns the boxes of the thin, straight and almost horizontal rules of a page, or of pieces of them, however
// thin they are. height is the usual height of letters.
func HorizontalRules(g *image.Gray, height int) []image.Rectangle {
	rules, _ := rulePieces(g, InkThreshold(g), height)
	return rules
}

// rulePieces returns the boxes of the pieces of rules on a page, and for each row the long runs of ink of which they consist.
func rulePieces(g *image.Gray, threshold uint8, height int) (pieces []image.Rectangle, longRuns func(y int) RunSeq) {
	h := float64(height)
	longRuns = func(y int) RunSeq { return longerThan(inkRuns(row(g, y), threshold), int(minStrikeRun*h)) }
	pieces = slices.DeleteFunc(ComponentBoxes(g.Rect.Dy(), Corners, longRuns), func(piece image.Rectangle) bool {
		return !isStraight(piece, thickestStrike*h)
	})
	return pieces, longRuns
}

// isStraight reports whether a rule of that thickness in pixels is straight, by its box.
func isStraight(box image.Rectangle, thickness float64) bool {
	return float64(box.Dy()) <= thickness+1+steepestStrike*float64(box.Dx())
}

// InOneLine returns the pieces of each horizontal rule, from left to right: each is at most gap pixels to the right of the one
// before it, and at the same height. It sorts pieces.
func InOneLine(pieces []image.Rectangle, gap int) (rules [][]image.Rectangle) {
	slices.SortFunc(pieces, func(a, b image.Rectangle) int { return cmp.Compare(a.Min.X, b.Min.X) })
	last := map[int]int{} // the rule with the last piece in each row
	for _, p := range pieces {
		rule := len(rules)
		for y := p.Min.Y - 1; y <= p.Max.Y; y++ {
			if i, ok := last[y]; ok {
				if end := rules[i][len(rules[i])-1].Max.X; p.Min.X >= end && p.Min.X-end <= gap {
					rule = i
				}
			}
		}
		if rule == len(rules) {
			rules = append(rules, nil)
		}
		rules[rule] = append(rules[rule], p)
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

// closeShare returns the share of the pieces of the rule, each about as long as a line of text is high, that run through a
// letter or between two letters of a word, among the pieces that have text on both sides.
func (s strike) closeShare(g *image.Gray, threshold uint8, height int) float64 {
	reach := int(textReach * float64(height))
	// white returns the number of pixels up to the next ink, at most reach+1.
	white := func(x, y, step int) (n int) {
		for ; n <= reach && y >= 0 && y < g.Rect.Dy() && row(g, y)[x] > threshold; y += step {
			n++
		}
		return n
	}
	withText, closePieces := 0, 0
	for from := 0; from < len(s.columns); from += reach {
		least := 2 * (reach + 1)
		for i, at := range s.columns[from:min(from+reach, len(s.columns))] {
			if at.top == at.bottom {
				continue
			}
			x := s.left + from + i
			if above, below := white(x, at.top-1, -1), white(x, at.bottom, 1); above <= reach && below <= reach {
				least = min(least, above+below)
			}
		}
		if least <= 2*reach {
			withText++
		}
		if float64(least) <= closeLetters*float64(height) {
			closePieces++
		}
	}
	return float64(closePieces) / float64(max(withText, 1))
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
