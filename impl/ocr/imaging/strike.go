package imaging

import "image"

// EraseStrikes returns the page without straight horizontal rules that run through letters or touch them, such as the rules of
// an index card that was typed without regard to them, or the page itself if there are none. The strokes of the letters stay
// whole. height is the usual height of letters. Rules that hardly any letter touches stay, because they divide the page.
func EraseStrikes(g *image.Gray, height int) *image.Gray {
	threshold := InkThreshold(g)
	h := float64(height)
	longRuns := func(y int) RunSeq {
		pixels := row(g, y)
		return Runs(len(pixels), int(minStrikeRun*h), func(x int) bool { return pixels[x] <= threshold })
	}
	out := g
	for _, c := range Components(g.Rect.Dy(), Corners, longRuns) {
		width := float64(c.Box.Dx())
		thickness := float64(c.Area) / width
		if width < minStrike*h || thickness > thickestStrike*h || float64(c.Box.Dy()) > thickness+1+steepestStrike*width {
			continue
		}
		s := newStrike(g, c, threshold, height)
		if s.strokes(height) < minStrokes {
			continue
		}
		if out == g {
			out = Crop(g, g.Rect)
		}
		s.erase(out, max(int(crossing*h), 2))
	}
	return out
}

// strike is the columns of a rule, from left on.
type strike struct {
	left    int
	columns []strikeColumn
}

// strikeColumn is one column of a rule: its rows from top up to but not including bottom, and the number of rows by which the
// ink extends above and below these. Columns in which a vertical rule meets the rule are empty.
type strikeColumn struct{ top, bottom, above, below int }

func newStrike(g *image.Gray, c Component, threshold uint8, height int) strike {
	s := strike{c.Box.Min.X, make([]strikeColumn, c.Box.Dx())}
	for _, r := range c.Runs {
		for x := r.Start; x < r.End; x++ {
			at := &s.columns[x-s.left]
			if at.bottom == 0 {
				at.top = r.Y
			}
			at.bottom = r.Y + 1
		}
	}
	limit := int(longestStroke * float64(height))
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
	}
	return s
}

// strokes returns the number of strokes of letters that cross the rule or touch it.
func (s strike) strokes(height int) (n int) {
	for range Runs(len(s.columns), 1, func(i int) bool {
		return float64(s.columns[i].above+s.columns[i].below) >= minStroke*float64(height)
	}) {
		n++
	}
	return n
}

// erase gives the rule and its grey edges the lightest grey beside them, except where a stroke crosses it: where the ink
// extends by at least reach rows above and below it.
func (s strike) erase(g *image.Gray, reach int) {
	for i, at := range s.columns {
		if at.top == at.bottom || at.above >= reach && at.below >= reach {
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
