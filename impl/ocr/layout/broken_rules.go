package layout

import (
	"cmp"
	"image"
	"maps"
	"slices"

	"uncial/impl/ocr/imaging"
)

// brokenRules returns the pieces of each vertical rule that is a component of ink, or several with gaps between them. One rule
// may be returned twice. height is the usual height of letters.
func brokenRules(marks []image.Rectangle, height int) (rules [][]image.Rectangle) {
	h := float64(height)
	half := max(int(pieceStrip/2*h), 1)
	strips := map[int][]image.Rectangle{} // narrow components, in overlapping strips that are 2*half wide
	for _, m := range marks {
		if float64(m.Dx()) <= widestPiece*h {
			i := imaging.Middle(m).X / half
			strips[i], strips[i+1] = append(strips[i], m), append(strips[i+1], m)
		}
	}
	for _, i := range slices.Sorted(maps.Keys(strips)) {
		rules = append(rules, rulesIn(strips[i], h)...)
	}
	return rules
}

// uprightRules returns the vertical rules: the broken ones, and components as high as a gutter, which may lean. It returns none
// of a form or of hatching, which have many.
func uprightRules(marks []image.Rectangle, broken [][]image.Rectangle, height int) []image.Rectangle {
	found := map[image.Rectangle]bool{} // a broken rule may be there twice
	for _, pieces := range broken {
		found[imaging.Union(withoutStems(pieces, height))] = true
	}
	for _, m := range marks {
		if isUpright(m, height) {
			found[m] = true
		}
	}
	if len(found) > maxUprightRules {
		return nil
	}
	return slices.SortedFunc(maps.Keys(found), func(a, b image.Rectangle) int {
		return cmp.Or(cmp.Compare(a.Min.X, b.Min.X), cmp.Compare(a.Min.Y, b.Min.Y))
	})
}

// isUpright reports whether a component is a vertical rule, which may lean, as high as a gutter.
func isUpright(m image.Rectangle, height int) bool {
	return m.Dy() >= minRiverRows*height && float64(m.Dx()) <= widestPiece*float64(height)+steepestRule*float64(m.Dy())
}

// withoutStems returns the pieces of a rule without those at its ends that may be the stems of letters in the lines above and
// below: they are as short as letters, and as far from the next piece as lines from each other.
func withoutStems(pieces []image.Rectangle, height int) []image.Rectangle {
	isStem := func(m, next image.Rectangle) bool {
		return m.Dy() <= maxStem*height && max(next.Min.Y-m.Max.Y, m.Min.Y-next.Max.Y) >= height
	}
	for len(pieces) > 1 && isStem(pieces[0], pieces[1]) {
		pieces = pieces[1:]
	}
	for n := len(pieces); n > 1 && isStem(pieces[n-1], pieces[n-2]); n-- {
		pieces = pieces[:n-1]
	}
	return pieces
}

// withoutPieces returns the components of ink without the pieces of broken rules. Because many pieces are as high as letters,
// they would hide the gutter.
func withoutPieces(marks []image.Rectangle, rules [][]image.Rectangle) []image.Rectangle {
	if len(rules) == 0 {
		return marks
	}
	isPiece := map[image.Rectangle]bool{}
	for _, pieces := range rules {
		for _, m := range pieces {
			isPiece[m] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(marks), func(m image.Rectangle) bool { return isPiece[m] })
}

// faintRules returns the rules, from left to right, that divide a page into columns of similar width and are too faint or too
// broken for Rules. Nearly all letters of the page are beside each of them, none of them on it. letters do not include the
// pieces.
func faintRules(letters []image.Rectangle, broken [][]image.Rectangle, height int, page image.Point) (rules []Rule) {
	b, text := newBands(letters, Whole(page, height)), imaging.Union(letters)
	for _, pieces := range broken {
		first, last := pieces[0], pieces[len(pieces)-1]
		if 2*(last.Max.Y-first.Min.Y) < text.Dy() {
			continue
		}
		from, to := imaging.Middle(first), imaging.Middle(last)
		slope := float64(to.X-from.X) / float64(max(to.Y-from.Y, 1))
		top := float64(from.X) - slope*float64(from.Y)
		rule := Rule{Top: top, Bottom: top + slope*float64(page.Y), Above: float64(first.Min.Y) / float64(page.Y)}
		beside := 0
		for _, m := range letters {
			if y := imaging.Middle(m).Y; y >= first.Min.Y-height && y < last.Max.Y+height {
				beside++
			}
		}
		if rule.Above <= topOfPage && float64(beside) >= wholeRule*float64(len(letters)) && !b.isCrossed(rule, float64(page.Y)) {
			rules = append(rules, rule)
		}
	}
	slices.SortFunc(rules, func(a, b Rule) int { return cmp.Compare(a.Top+a.Bottom, b.Top+b.Bottom) })
	return betweenColumns(rules, float64(page.X))
}

// rulesIn returns the pieces of each broken rule in a narrow strip. h is the usual height of letters.
func rulesIn(strip []image.Rectangle, h float64) (rules [][]image.Rectangle) {
	slices.SortFunc(strip, func(a, b image.Rectangle) int { return cmp.Compare(a.Min.Y, b.Min.Y) })
	for from := 0; from < len(strip); {
		to, bottom, printed, highest := from, strip[from].Min.Y, 0, 0
		for ; to < len(strip) && float64(strip[to].Min.Y-bottom) <= longestBreak*h; to++ {
			m := strip[to]
			printed += max(m.Max.Y-max(m.Min.Y, bottom), 0)
			bottom, highest = max(bottom, m.Max.Y), max(highest, m.Dy())
		}
		length := float64(bottom - strip[from].Min.Y)
		if length >= minBrokenRule*h && float64(printed) >= minPrinted*length && float64(highest) >= minLongPiece*h {
			rules = append(rules, strip[from:to])
		}
		from = to
	}
	return rules
}
