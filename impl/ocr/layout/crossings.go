package layout

import (
	"cmp"
	"image"
	"math"
	"slices"

	"uncial/impl/ocr/imaging"
)

// columnsOf returns the title above the rules of a page, if there is one, and the columns between the rules in reading order:
// from left to right, but first those above and then those below a horizontal rule across them, such as the rule above the
// feuilleton of a newspaper. Without rules, it returns the whole page. Rules outside the page, or on top of each other, have no
// column between them. marks are the components of ink, across the horizontal rules, and height is that of the regions' bands
// in pixels.
func columnsOf(marks, across []image.Rectangle, height int, page image.Point, rules []Rule) []Region {
	var all []Region
	rest := Whole(page, height)
	if len(rules) == 0 {
		return []Region{rest}
	}
	if top := belowTitle(marks, height, page, rules); top > 0 {
		all = append(all, rest.between(0, top))
		rest = rest.between(top, page.Y)
	}
	p := ruledPage{height: float64(page.Y), across: across}
	for _, m := range marks {
		if isText(m, height) || isPicture(m, height, page.X) {
			p.letters = append(p.letters, m)
		}
	}
	all = append(all, p.columns(rest, rules)...)
	return slices.DeleteFunc(all, func(r Region) bool { return r.Box.Empty() })
}

// horizontalRules returns the long horizontal rules among the components of ink, from top to bottom, each of one component or
// of several in one line. height is the usual height of letters.
func horizontalRules(marks []image.Rectangle, height int) (rules []image.Rectangle) {
	h := float64(height)
	pieces := slices.DeleteFunc(slices.Clone(marks), func(m image.Rectangle) bool {
		return m.Dx() < crossingPiece*height || float64(m.Dy()) > thickestCrossing*h+steepestCrossing*float64(m.Dx())
	})
	upright := slices.DeleteFunc(slices.Clone(marks), func(m image.Rectangle) bool {
		return float64(m.Dx()) > h+steepestRule*float64(m.Dy()) || m.Dy() < minUpright*height
	})
	slices.SortFunc(upright, func(a, b image.Rectangle) int { return cmp.Compare(a.Min.X, b.Min.X) })
	for _, line := range imaging.InOneLine(pieces, crossingGap*height) {
		for len(line) > 0 {
			end := 1 // of the pieces up to the next vertical rule
			for end < len(line) && !isDivided(line[end-1], line[end], upright) {
				end++
			}
			if all := imaging.Union(line[:end]); all.Dx() >= minCrossing*height && isPrinted(line[:end], all) {
				rules = append(rules, all)
			}
			line = line[end:]
		}
	}
	slices.SortFunc(rules, func(a, b image.Rectangle) int { return cmp.Compare(imaging.Middle(a).Y, imaging.Middle(b).Y) })
	return withoutCopies(rules)
}

// withoutCopies joins successive rules that overlap: one that is a component may also be among the components as pieces.
func withoutCopies(rules []image.Rectangle) (out []image.Rectangle) {
	for _, r := range rules {
		if n := len(out); n > 0 && out[n-1].Overlaps(r) {
			out[n-1] = out[n-1].Union(r)
			continue
		}
		out = append(out, r)
	}
	return out
}

// isDivided reports whether a vertical rule runs through the gap between two pieces of horizontal rules, which then are the
// ends of articles in two columns. upright are the vertical rules by their left edges.
func isDivided(left, right image.Rectangle, upright []image.Rectangle) bool {
	top, bottom := min(left.Min.Y, right.Min.Y), max(left.Max.Y, right.Max.Y)
	first, _ := slices.BinarySearchFunc(upright, left.Max.X, func(m image.Rectangle, x int) int { return cmp.Compare(m.Min.X, x) })
	for _, m := range upright[first:] {
		if m.Min.X >= right.Min.X {
			return false
		}
		if m.Min.Y < top && m.Max.Y > bottom {
			return true
		}
	}
	return false
}

// isPrinted reports whether most of a rule, whose box is all, is printed, by its pieces.
func isPrinted(pieces []image.Rectangle, all image.Rectangle) bool {
	printed := 0
	for _, piece := range pieces {
		printed += piece.Dx()
	}
	return float64(printed) >= printedCrossing*float64(all.Dx())
}

// ruledPage is a page whose columns have rules between them.
type ruledPage struct {
	height  float64 // in pixels
	letters []image.Rectangle
	across  []image.Rectangle // horizontal rules, from top to bottom
}

// columns returns the parts of a region, which the vertical rules divide, in reading order.
func (p ruledPage) columns(r Region, rules []Rule) []Region {
	if len(rules) == 0 {
		return []Region{r.fitted()}
	}
	crossed := make([]bool, len(rules)) // by a horizontal rule across some of the columns
	var cuts []int
	text := p.text(r)
	for _, m := range p.across {
		first, last := p.spans(m, r, text, rules)
		switch {
		case last <= first:
		case last-first == len(rules):
			cuts = append(cuts, imaging.Middle(m).Y)
		default:
			for i := first; i < last; i++ {
				crossed[i] = true
			}
		}
	}
	if len(cuts) > 0 && len(cuts) <= maxCuts {
		return p.rows(r, rules, cuts)
	}
	if !slices.Contains(crossed, false) {
		clear(crossed) // none of the rules divides all of the region
	}
	var out []Region
	var inside []Rule // of a group of columns
	for i, rule := range rules {
		if crossed[i] {
			inside = append(inside, rule)
			continue
		}
		left, right := r.splitAt(rule, p.height)
		out = append(out, p.columns(left, inside)...)
		r, inside = right, nil
	}
	if len(inside) > 0 {
		return append(out, p.columns(r, inside)...)
	}
	return append(out, r.fitted())
}

// rows divides a region at the heights cuts, and each of the rows at those of its rules that no text crosses there.
func (p ruledPage) rows(r Region, rules []Rule, cuts []int) (out []Region) {
	top := r.Box.Min.Y
	for _, y := range append(cuts, r.Box.Max.Y) {
		part := r.between(top, y)
		top = y
		if part.Box.Dy() < r.band {
			continue // between two rules
		}
		letters := slices.DeleteFunc(slices.Clone(p.letters), func(m image.Rectangle) bool { return !part.Holds(m) })
		if len(letters) == 0 {
			continue
		}
		b := newBands(letters, part)
		out = append(out, p.columns(part, slices.DeleteFunc(slices.Clone(rules), func(rule Rule) bool { return b.isCrossed(rule, p.height) }))...)
	}
	return out
}

// isCrossed reports whether the text of the bands runs across a rule.
func (b bands) isCrossed(rule Rule, height float64) bool {
	crossed, inked := 0, 0
	for i, ink := range b.ink {
		if len(ink) == 0 {
			continue
		}
		inked++
		x := int(rule.at((float64(i)+0.5)*float64(b.height), height))
		if float64(b.whiteAround(i, x).width()) < ruledGutter*float64(b.height) {
			crossed++
		}
	}
	return float64(crossed) >= crossedRule*float64(inked)
}

// text returns where nearly all text of a region is. A few specks at the edges of the page do not count.
func (p ruledPage) text(r Region) span {
	var lefts, rights []float64
	for _, m := range p.letters {
		if r.Holds(m) {
			lefts, rights = append(lefts, float64(m.Min.X)), append(rights, float64(m.Max.X))
		}
	}
	if len(lefts) == 0 {
		return span{}
	}
	return span{int(quantile(lefts, strayLetters)), int(quantile(rights, 1-strayLetters))}
}

// spans returns the first and the last of a region's columns that a horizontal rule spans, from 0. They are the same if it
// spans fewer than two. text is where the region has text.
func (p ruledPage) spans(m image.Rectangle, r Region, text span, rules []Rule) (first, last int) {
	y := imaging.Middle(m).Y
	if y <= r.Box.Min.Y || y >= r.Box.Max.Y {
		return 0, 0
	}
	found := false
	from := float64(text.from)
	for i := range len(rules) + 1 {
		to := float64(text.to)
		if i < len(rules) {
			to = rules[i].at(float64(y), p.height)
		}
		if min(to, float64(m.Max.X))-max(from, float64(m.Min.X)) >= spannedShare*(to-from) {
			if !found {
				first, found = i, true
			}
			last = i
		}
		from = to
	}
	return first, last
}

// splitAt returns the parts of a region to the left and to the right of a rule. height is that of the page.
func (r Region) splitAt(rule Rule, height float64) (left, right Region) {
	left, right = r, r
	left.right, right.left = slices.Clone(r.right), slices.Clone(r.left)
	for i := range r.left {
		x := int(math.Round(rule.at((float64(i)+0.5)*float64(r.band), height)))
		x = min(max(x, r.left[i]), r.right[i])
		left.right[i], right.left[i] = x, x
	}
	return left.fitted(), right.fitted()
}
