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
// column between them. marks are the components of ink, and height is the height of the regions' bands in pixels.
func columnsOf(marks []image.Rectangle, height int, page image.Point, rules []Rule) []Region {
	var all []Region
	rest := Whole(page, height)
	if len(rules) == 0 {
		return []Region{rest}
	}
	if top := belowTitle(marks, height, page, rules); top > 0 {
		all = append(all, rest.between(0, top))
		rest = rest.between(top, page.Y)
	}
	p := ruledPage{height: float64(page.Y)}
	var pieces []image.Rectangle // of horizontal rules
	for _, m := range marks {
		if isText(m, height) || isPicture(m, height, page.X) {
			p.letters = append(p.letters, m)
		}
		if h := float64(height); m.Dx() >= crossingPiece*height && float64(m.Dy()) <= thickestCrossing*h+steepestCrossing*float64(m.Dx()) {
			pieces = append(pieces, m)
		}
	}
	p.across = slices.DeleteFunc(imaging.InOneLine(pieces, crossingGap*height), func(m image.Rectangle) bool { return m.Dx() < minCrossing*height })
	slices.SortFunc(p.across, func(a, b image.Rectangle) int { return cmp.Compare(imaging.Middle(a).Y, imaging.Middle(b).Y) })
	all = append(all, p.columns(rest, rules)...)
	return slices.DeleteFunc(all, func(r Region) bool { return r.Box.Empty() })
}

// ruledPage is a page whose columns have rules between them.
type ruledPage struct {
	height  float64 // in pixels
	letters []image.Rectangle
	across  []image.Rectangle // horizontal rules, from top to bottom
}

// columns returns the parts of a region, which the vertical rules divide, in reading order.
func (p ruledPage) columns(r Region, rules []Rule) []Region {
	crossed := make([]bool, len(rules)) // by a horizontal rule across some of the columns
	var cuts []int
	text := imaging.Union(slices.DeleteFunc(slices.Clone(p.letters), func(m image.Rectangle) bool { return !r.Holds(m) }))
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
	if len(cuts) > 0 {
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
		white := b.limits[i] // around the rule
		for _, s := range ink {
			if s.from < x {
				white.from = max(white.from, s.to)
			}
			if s.to > x {
				white.to = min(white.to, s.from)
			}
		}
		if float64(white.width()) < ruledGutter*float64(b.height) {
			crossed++
		}
	}
	return float64(crossed) >= crossedRule*float64(inked)
}

// spans returns the first and the last of a region's columns that a horizontal rule spans, from 0. They are the same if it
// spans fewer than two.
func (p ruledPage) spans(m image.Rectangle, r Region, text image.Rectangle, rules []Rule) (first, last int) {
	y := imaging.Middle(m).Y
	if y <= r.Box.Min.Y || y >= r.Box.Max.Y {
		return 0, 0
	}
	found := false
	from := float64(text.Min.X)
	for i := range len(rules) + 1 {
		to := float64(text.Max.X)
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
