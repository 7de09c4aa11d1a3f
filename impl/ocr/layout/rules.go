package layout

import (
	"cmp"
	"image"
	"math"
	"slices"

	"uncial/impl/ocr/imaging"
	"uncial/internal/document"
)

// Rule is a straight vertical rule between columns. Top and Bottom are the x at which it meets the upper and the lower edge of
// the page, in pixels. Above is the share of the page's height above the rule, not counting a short piece above a gap.
type Rule struct{ Top, Bottom, Above float64 }

// Rules returns the rules, from left to right, that divide a page, whose bounds begin at (0, 0), into columns of similar width.
// Each rule runs the height of the writing, and hardly any writing touches it. It may be part of something wider and dark, such
// as the desk between two leaves. The rules of tables and the edges of scans are not returned: they divide a page into parts
// of different widths. Rules examines a limited number of rows, so that its time grows only with the width of the page.
func Rules(g *image.Gray) []Rule {
	w, h := g.Rect.Dx(), g.Rect.Dy()
	if w < minSide || h < ruleBands {
		return nil
	}
	var open, ended []*ruleEnd
	edges := make([]int, ruleBands)
	for i := range ruleBands {
		var stripes []stripe
		stripes, edges[i] = stripesOf(g, h*i/ruleBands, h*(i+1)/ruleBands)
		var next []*ruleEnd
		for _, s := range stripes {
			next = append(next, continued(open, s, i, ruleReach*float64(h)/ruleBands+1)...)
		}
		for _, e := range open {
			switch {
			case e.continued:
			case i-e.band <= longestRuleGap:
				next = append(next, e)
			default:
				ended = append(ended, e)
			}
		}
		open = mostBands(next)
	}
	first, last := written(edges)
	var found []Rule
	for _, e := range append(ended, open...) {
		if r, ok := e.rule(first, last); ok {
			found = append(found, r)
		}
	}
	slices.SortFunc(found, func(a, b Rule) int { return cmp.Compare(a.Top+a.Bottom, b.Top+b.Bottom) })
	return betweenColumns(found, float64(w))
}

// stripe is a possible piece of a rule in one band of the page: columns of pixels that are dark from top to bottom.
type stripe struct {
	span
	clear bool // there is hardly any ink beside it
}

// stripesOf returns the stripes of a band from left to right, or none if there are as many as in hatching. It also returns the
// number of runs of ink in the rows that it examined.
func stripesOf(g *image.Gray, top, bottom int) (stripes []stripe, edges int) {
	w, stride := g.Rect.Dx(), max((bottom-top)/ruleRows, 1)
	limits := darkLimits(g, top, bottom, stride)
	dark := make([]int, w) // the number of rows in which the column or one next to it is dark
	rows := 0
	for y := top; y < bottom; y += stride {
		row := g.Pix[y*g.Stride : y*g.Stride+w]
		for from, to := range imaging.Runs(w, 1, func(x int) bool { return row[x] < limits[x/paperBlock] }) {
			edges++
			for x := max(from-1, 0); x < min(to+1, w); x++ {
				dark[x]++
			}
		}
		rows++
	}
	near, minDark := max(int(ruleGap*float64(w)), minRuleGap), int(math.Ceil(stripeShare*float64(rows)))
	isClear := func(from, to int) bool {
		sum := 0
		for _, n := range dark[min(max(from, 0), w):min(max(to, 0), w)] {
			if n < minDark { // darker columns belong to a frame
				sum += n
			}
		}
		return float64(sum) <= inkBesideRule*float64(rows*near)
	}
	for from, to := range imaging.Runs(w, 1, func(x int) bool { return dark[x] >= minDark }) {
		stripes = append(stripes, stripe{span{from, to}, isClear(from-1-near, from-1) && isClear(to+1, to+1+near)})
	}
	if len(stripes) > maxStripes {
		return nil, edges
	}
	return stripes, edges
}

// darkLimits returns, for each block of columns of a band, the grey below which a pixel is dark compared with the paper of the
// block. If the whole block is dark, the limit is derived from the paper of the band.
func darkLimits(g *image.Gray, top, bottom, stride int) []uint8 {
	w := g.Rect.Dx()
	limits := make([]uint8, (w+paperBlock-1)/paperBlock)
	var all imaging.Histogram
	for i := range limits {
		var h imaging.Histogram
		for y := top; y < bottom; y += stride {
			h.Add(g.Pix[y*g.Stride+i*paperBlock : y*g.Stride+min((i+1)*paperBlock, w)])
		}
		limits[i] = h.AtRank(int(blockPaper * float64(h.Total()-1)))
		for v, n := range h {
			all[v] += n
		}
	}
	usual := all.AtRank(int(blockPaper * float64(all.Total()-1)))
	for i, v := range limits {
		limits[i] = uint8(max(ruleGrey*float64(v), ruleGrey/2*float64(usual)))
	}
	return limits
}

// ruleEnd is the lower end of a possible rule, in the band of its last stripe.
type ruleEnd struct {
	at     span // where the rule can be
	clear  bool
	band   int
	bands  int // number of stripes
	before *ruleEnd
	// continued means that a stripe below continues the rule.
	continued bool
}

// continued returns the new ends of the rules that a stripe continues, or the end of a new rule if it continues none.
func continued(open []*ruleEnd, s stripe, band int, reach float64) []*ruleEnd {
	var next []*ruleEnd
	for _, e := range open {
		drift := int(reach * float64(band-e.band))
		if at := s.intersect(span{e.at.from - drift, e.at.to + drift}); at.width() > 0 {
			e.continued = true
			next = append(next, &ruleEnd{at, s.clear, band, e.bands + 1, e, false})
		}
	}
	if next == nil {
		return []*ruleEnd{{s.span, s.clear, band, 1, nil, false}}
	}
	return next
}

// mostBands drops the ends that are mostly within the end of a rule with more bands.
func mostBands(all []*ruleEnd) []*ruleEnd {
	slices.SortStableFunc(all, func(a, b *ruleEnd) int { return cmp.Compare(b.bands, a.bands) })
	return withoutOverlaps(all, func(e *ruleEnd) span { return e.at }, 0.5)
}

// rule returns the rule with that end. It reports false unless the rule is straight, runs from the first to the last band of
// the writing, and is mostly clear of writing.
func (e *ruleEnd) rule(first, last int) (Rule, bool) {
	inside, untouched := 0, 0
	x := float64(e.at.from+e.at.to-1) / 2
	var xs, ys []float64
	for ; e != nil; e = e.before {
		x = min(max(x, float64(e.at.from)), float64(e.at.to-1))
		xs, ys = append(xs, x), append(ys, float64(e.band)+0.5)
		if e.band >= first && e.band <= last {
			inside++
			if e.clear {
				untouched++
			}
		}
	}
	if float64(inside) < wholeRule*float64(last-first+1) || float64(untouched) < clearRule*float64(inside) {
		return Rule{}, false
	}
	n := len(xs) - 1
	if n == 0 { // one band gives no slope
		return Rule{}, false
	}
	slope := (xs[n] - xs[0]) / (ys[n] - ys[0])
	begin := n
	for i := n; i > max(n-maxStrokeBands, 0) && ys[i] < topOfPage*ruleBands; i-- {
		if ys[i-1]-ys[i] > 1 { // what is above the gap may be a stroke of the title
			begin = i - 1
		}
	}
	r := Rule{xs[0] - slope*ys[0], xs[0] + slope*(ruleBands-ys[0]), (ys[begin] - 0.5) / ruleBands}
	for i, x := range xs {
		if math.Abs(x-r.at(ys[i], ruleBands)) > bentRule*(1+math.Abs(r.Top-r.Bottom)) {
			return Rule{}, false
		}
	}
	return r, true
}

// written returns the first and the last band of the writing, not counting bands at the top and at the bottom that have only a
// small share of it.
func written(edges []int) (first, last int) {
	total, sum := 0, 0
	for _, n := range edges {
		total += n
	}
	first = -1
	for i, n := range edges {
		sum += n
		if first < 0 && float64(sum) > marginOfWriting*float64(total) {
			first = i
		}
		if float64(sum) <= (1-marginOfWriting)*float64(total) {
			last = i
		}
	}
	return first, last
}

// at returns the column of the rule at a height of a page.
func (r Rule) at(y, height float64) float64 { return r.Top + (r.Bottom-r.Top)*y/height }

// isCrossed reports whether the box of a line extends beyond the rule on both sides by more than its own height.
func (r Rule) isCrossed(line document.Box, height int) bool {
	x := int(r.at(float64(middle(line)), float64(height)))
	return line.X < x-line.H && line.Right() > x+line.H
}

// betweenColumns returns the rules between columns of similar width, or nil if the widths differ. Rules close to each other or
// to an edge of the page do not enclose a column.
func betweenColumns(rules []Rule, width float64) []Rule {
	var kept []Rule
	var widths []float64
	from := 0.0 // the last rule, or the left edge
	for _, r := range append(rules, Rule{Top: width, Bottom: width}) {
		at := (r.Top + r.Bottom) / 2
		if at-from >= minRuledColumn*width {
			widths = append(widths, at-from)
			kept = append(kept, r)
		} else if len(kept) > 0 {
			kept[len(kept)-1] = r // the other side of a double rule
		}
		from = at
	}
	if len(widths) < 2 || len(widths) > maxRuledColumns || slices.Min(widths) < likeRuledColumns*slices.Max(widths) {
		return nil
	}
	return kept[:len(kept)-1]
}

// belowTitle returns the y at which the title of a page ends, or 0 if there is no title. A title is text above all vertical
// rules that is not divided into columns, or is above a horizontal rule. height is the usual height of letters.
func belowTitle(marks []image.Rectangle, height int, page image.Point, rules []Rule) int {
	if len(rules) == 0 {
		return 0
	}
	above := topOfPage
	for _, r := range rules {
		above = min(above, r.Above)
	}
	last := int(above*float64(page.Y)) / height * height // where the first rule begins
	letters := slices.DeleteFunc(slices.Clone(marks), func(m image.Rectangle) bool {
		return m.Min.Y >= last || !isText(m, height) && !isPicture(m, height, page.X)
	})
	if len(letters) < minTitle {
		return 0
	}
	ruled := 0 // the top of the lowest horizontal rule above the vertical ones
	for _, m := range marks {
		if isAcross(m, height, page.X) && m.Max.Y <= last+height {
			ruled = max(ruled, m.Min.Y)
		}
	}
	b := newBands(letters, Whole(page, height))
	bottom := 0
	for _, row := range rowsOf(letters, titleTips) {
		if row.box.Max.Y > ruled && (row.box.Max.Y > last+height || b.isInColumns(row.box, rules, page.Y)) {
			break
		}
		bottom = row.box.Max.Y + 1
	}
	return bottom
}

// isAcross reports whether a component is a horizontal rule, which may be tilted, across a page, or a column, of that width.
func isAcross(m image.Rectangle, height, width int) bool {
	return float64(m.Dx()) >= crossRule*float64(width) && float64(m.Dy()) <= 2*float64(height)+steepestCrossing*float64(m.Dx())
}

// isInColumns reports whether a row above rules is divided into columns: there is text on both sides of one of the rules, and
// none on any of them. A blank between words of large type is no gutter.
func (b bands) isInColumns(row image.Rectangle, rules []Rule, height int) bool {
	divided := false
	for band := row.Min.Y / b.height; band <= (row.Max.Y-1)/b.height; band++ {
		for _, r := range rules {
			x := int(r.at((float64(band)+0.5)*float64(b.height), float64(height)))
			left, right := false, false
			for _, s := range b.ink[band] {
				if s.from < x && s.to > x {
					return false
				}
				left, right = left || s.to <= x, right || s.from >= x
			}
			if left && right && !divided {
				_, isLarge := b.blankInLargeType(band, span{x, x})
				divided = !isLarge
			}
		}
	}
	return divided
}

// cutOnto is Cut, except that pixels of neighbouring regions have the grey of the region's paper. It returns page itself if the
// region is the whole page.
func (r Region) cutOnto(page *image.Gray) *image.Gray {
	if r.Box == page.Rect {
		return page
	}
	return r.cut(page, imaging.PaperGrey(page, r.Box, blockPaper))
}
