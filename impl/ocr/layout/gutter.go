package layout

import (
	"cmp"
	"image"
	"iter"
	"math"
	"slices"

	"uncial/impl/ocr/imaging"
)

// span is a range of columns of pixels, half-open.
type span struct{ from, to int }

func (s span) width() int { return s.to - s.from }

// intersect returns the columns that both spans share. If they share none, its width is 0 or negative.
func (s span) intersect(o span) span { return span{max(s.from, o.from), min(s.to, o.to)} }

// bands are the ink of a region of print, in horizontal bands as high as a letter. They serve to find white space that runs
// down the page.
type bands struct {
	height  int                 // pixels
	ink     [][]span            // in each band, from left to right, without overlaps
	large   [][]image.Rectangle // in each band, the letters of large type, from left to right
	limits  []span              // in each band, where the region begins and ends
	ruled   [][]span            // in each band, the horizontal rules across most of the region
	upright []image.Rectangle   // the vertical rules
}

// gutter is white space between two columns.
type gutter struct {
	top, bottom int    // bands, half-open
	at          []span // the white in each band, from top
	rows        int    // bands with letters on both sides
	isRule      bool   // whether it is around a vertical rule
}

// river is white space that runs down from band top to the current one.
type river struct {
	top       int
	now       span
	narrowest int    // its minimum width
	before    *river // in the band above
}

// gutters returns the possible gutters of the region, the one with the most rows first. It follows white space that runs down
// the region between letters.
func (b bands) gutters() []gutter {
	minWidth := max(int(minRiver*float64(b.height)), 2)
	drift := max(int(riverDrift*float64(b.height)), 1)
	var running []*river
	var found []gutter
	for i := range b.ink {
		var next []*river
		free := b.whiteSpaceIn(i, minWidth)
		for _, r := range running {
			ended := true
			for _, f := range free {
				if now := f.intersect(span{r.now.from - drift, r.now.to + drift}); now.width() >= minWidth {
					next, ended = append(next, &river{r.top, now, min(r.narrowest, now.width()), r}), false
				}
			}
			if ended {
				found = b.appendGutters(found, r, i)
			}
		}
		for _, f := range free {
			next = append(next, &river{i, f, f.width(), nil})
		}
		running = withoutShorter(next)
	}
	for _, r := range running {
		found = b.appendGutters(found, r, len(b.ink))
	}
	slices.SortStableFunc(found, func(x, y gutter) int { return cmp.Or(cmp.Compare(y.rows, x.rows), cmp.Compare(len(y.at), len(x.at))) })
	return found
}

// withoutShorter drops the rivers that are mostly within a longer one, or within one of the same length that is not as narrow.
func withoutShorter(all []*river) []*river {
	slices.SortStableFunc(all, func(a, b *river) int { return cmp.Or(cmp.Compare(a.top, b.top), cmp.Compare(b.narrowest, a.narrowest)) })
	return withoutOverlaps(all, func(r *river) span { return r.now }, mostOfRiver)
}

// withoutOverlaps drops the elements whose spans are mostly within that of an earlier one: by more than a share of their width.
func withoutOverlaps[T any](all []T, at func(T) span, share float64) (kept []T) {
	for _, e := range all {
		if !slices.ContainsFunc(kept, func(k T) bool { return float64(at(k).intersect(at(e)).width()) > share*float64(at(e).width()) }) {
			kept = append(kept, e)
		}
	}
	return kept
}

// appendGutters appends the gutters of a river that ends above the band bottom. Where the river runs through a word space of a
// heading, the heading divides it into several gutters.
func (b bands) appendGutters(all []gutter, r *river, bottom int) []gutter {
	if bottom-r.top < minRiverRows {
		return all
	}
	at := make([]span, bottom-r.top)
	for i := len(at) - 1; i >= 0; i-- {
		at[i], r = r.now, r.before
	}
	top := bottom - len(at)
	start := 0
	for i, crossed := range append(b.crossed(top, at), true) {
		if !crossed {
			continue
		}
		if g, ok := b.gutter(top+start, at[start:i]); ok {
			all = append(all, g)
		}
		start = i + 1
	}
	return all
}

// gutter returns the gutter from the first to the last row that has letters on both sides. It reports false if there are too
// few such rows. It leaves out rows at either end whose white is far narrower, or whose text on the right begins to the left of
// the margin: these are lines above or below the columns.
func (b bands) gutter(top int, at []span) (gutter, bool) {
	whites, begins := b.blanksIn(top, at)
	known := aboveZero(whites)
	if len(known) < minRiverRows {
		return gutter{}, false
	}
	minWhite := narrowEnd * quantile(known, 0.25)
	isColumn := func(i int) bool {
		return whites[i] >= minWhite && whites[i] > 0 && begins[i] >= marginNear(begins, i)-headingLead*float64(b.height)
	}
	// ends reports whether a row of columns may be the first or last one: the tails of letters alone have wide whites.
	ends := func(i, inside int) bool {
		isTail := inside >= 0 && inside < len(at) && whites[inside] > 0 && !isColumn(inside)
		return isColumn(i) && !isTail
	}
	first, last := 0, len(at)
	for first < len(at) && !ends(first, first+1) {
		first++
	}
	for i := len(at) - 1; i >= 0 && !ends(i, i-1); i-- {
		if whites[i] > 0 {
			last = i
		}
	}
	g := gutter{top: top + first, bottom: top + last, at: at[first:last]}
	for _, white := range whites[first:last] {
		if white > 0 {
			g.rows++
		}
	}
	return g, g.rows >= minRiverRows
}

// crossed reports for each band of a river whether a horizontal rule or a heading crosses it there: a line of large type
// reaches into the white between the margins of the other rows; or the white is as narrow as a word space, and the text to its
// right begins to the left of the margin of the rows around it.
func (b bands) crossed(top int, at []span) []bool {
	whites, begins := b.blanksIn(top, at)
	var lefts []float64 // where the text to the left ends
	out := make([]bool, len(at))
	for i, s := range at {
		if begins[i] > 0 {
			lefts = append(lefts, begins[i]-whites[i])
		}
		out[i] = slices.ContainsFunc(b.ruled[top+i], func(rule span) bool { return rule.intersect(s) == s })
	}
	if len(lefts) == 0 {
		return out
	}
	h := float64(b.height)
	leftMargin, rightMargin := quantile(lefts, 1-marginShare)+headingLead*h, quantile(aboveZero(begins), marginShare)-headingLead*h
	for i, s := range at {
		blank, ok := b.blankInLargeType(top+i, s)
		if ok && blank.intersect(s) == s && (float64(blank.from) > leftMargin || float64(blank.to) < rightMargin) {
			out[i] = true
			continue
		}
		if begins[i] == 0 || whites[i] > widestHeadingBlank*h {
			continue
		}
		out[i] = out[i] || begins[i] < marginNear(begins, i)-headingLead*h
	}
	return out
}

// blanksIn returns, for each band of a river, the width of the white between the text on both sides, and where the text to the
// right begins; both are 0 without text on both sides.
func (b bands) blanksIn(top int, at []span) (whites, begins []float64) {
	whites, begins = make([]float64, len(at)), make([]float64, len(at))
	for band, text := range b.flanked(top, at) {
		whites[band-top], begins[band-top] = float64(text.right.from-text.left.to), float64(text.right.from)
	}
	return whites, begins
}

// marginNear returns the margin around band i of the text that begins at begins, which are 0 without text. The margin of a
// skewed page is not the same everywhere.
func marginNear(begins []float64, i int) float64 {
	return quantile(aboveZero(begins[max(i-marginRows, 0):min(i+marginRows, len(begins))]), marginShare)
}

// aboveZero returns the values above 0.
func aboveZero(values []float64) []float64 {
	return slices.DeleteFunc(slices.Clone(values), func(v float64) bool { return v <= 0 })
}

// blankInLargeType returns the blank before the first letter to the right of white in a line of large type, such as the title
// of a newspaper. It reports false if there is no such line. Large initials of neighbouring columns are fewer than its
// letters.
func (b bands) blankInLargeType(band int, white span) (span, bool) {
	large := b.large[band]
	right := slices.IndexFunc(large, func(m image.Rectangle) bool { return m.Min.X >= white.to })
	if right < 1 {
		return span{}, false
	}
	l, r := large[right-1], large[right]
	height := float64(min(l.Dy(), r.Dy()))
	line := slices.DeleteFunc(slices.Clone(large), func(m image.Rectangle) bool {
		return math.Abs(float64(m.Max.Y-l.Max.Y)) > largeDescent*height
	})
	blank := span{l.Max.X, r.Min.X}
	return blank, len(line) >= minLargeLetters && slices.Contains(line, r) && float64(blank.width()) <= largeBlank*height
}

// whiteSpaceIn returns the white of a band, between the edges of the region, that is at least minWidth wide.
func (b bands) whiteSpaceIn(i, minWidth int) []span {
	var out []span
	from := b.limits[i].from
	for _, s := range append(slices.Clone(b.ink[i]), span{b.limits[i].to, b.limits[i].to}) {
		if s.from-from >= minWidth {
			out = append(out, span{from, s.from})
		}
		from = max(from, s.to)
	}
	return out
}

// textBeside returns the text next to white in a band: the successive words to its left and to its right.
func (b bands) textBeside(i int, white span) (left, right span) {
	gap := widestWordGap * b.height
	left, right = span{white.from, white.from}, span{white.to, white.to}
	for _, s := range b.ink[i] {
		switch {
		case s.to <= white.from && s.from-left.to > gap, s.to <= white.from && left.width() == 0:
			left = s
		case s.to <= white.from:
			left.to = s.to
		case s.from >= white.to && right.width() == 0:
			right = s
		case s.from >= white.to && s.from-right.to <= gap:
			right.to = s.to
		}
	}
	return left, right
}

// flanks is the text on both sides of a gutter in a band.
type flanks struct{ left, right span }

// flanked yields the bands, from top, with text on both sides of the white in them.
func (b bands) flanked(top int, at []span) iter.Seq2[int, flanks] {
	return func(yield func(int, flanks) bool) {
		for i, white := range at {
			if left, right := b.textBeside(top+i, white); left.width() > 0 && right.width() > 0 && !yield(top+i, flanks{left, right}) {
				return
			}
		}
	}
}

// usualWidths returns the usual widths of the text on both sides of a gutter, and of the white between.
func (b bands) usualWidths(g gutter) (left, right, white float64) {
	var lefts, rights, whites []float64
	for _, text := range b.flanked(g.top, g.at) {
		lefts, rights = append(lefts, float64(text.left.width())), append(rights, float64(text.right.width()))
		whites = append(whites, float64(text.right.from-text.left.to))
	}
	return quantile(lefts, 0.5), quantile(rights, 0.5), quantile(whites, 0.25)
}

// isBetweenColumns reports whether the text on both sides of a gutter is as wide as a column, and the gutter is either too
// large to be word spaces that line up by chance, or has a rule beside prose. A table, which has numbers on one side, is read
// by its rows.
func (b bands) isBetweenColumns(g gutter) bool {
	left, right, white := b.usualWidths(g)
	column, area := min(left, right)/float64(b.height), white*float64(g.rows)/float64(b.height)
	isWide := column >= minColumn && area >= minGutterArea || g.isRule && column >= minColumnBesideRule && b.isFull(g)
	return isWide && !b.isBesideCells(g) && !b.isBesideLabels(g)
}

// isFull reports whether most lines to the left of a rule reach its usual distance from the text, as in prose. The entries of a
// list do not.
func (b bands) isFull(g gutter) bool {
	var blanks []float64
	for band, text := range b.flanked(g.top, g.at) {
		blanks = append(blanks, float64(g.at[band-g.top].from-text.left.to))
	}
	limit, full := quantile(blanks, fullestLines)+shortOfRule*float64(b.height), 0
	for _, blank := range blanks {
		if blank <= limit {
			full++
		}
	}
	return float64(full) >= fullShare*float64(len(blanks))
}

// ruleGutters returns the gutters around vertical rules that hardly any text crosses.
func (b bands) ruleGutters() (found []gutter) {
	for _, m := range b.upright {
		best, fewest := gutter{}, math.MaxInt // a box does not tell to which side its rule leans
		for _, ends := range []span{{m.Min.X, m.Max.X}, {m.Max.X, m.Min.X}} {
			if g, crossed := b.gutterAround(m, ends); crossed < fewest {
				best, fewest = g, crossed
			}
		}
		if best.rows >= minRiverRows && float64(fewest) <= crossedRule*float64(best.rows) {
			found = append(found, best)
		}
	}
	return found
}

// gutterAround returns the gutter around a rule whose upper end is at x.from and whose lower end is at x.to, and the number of
// bands whose text leaves hardly any white around it, not counting those at its ends, which it leaves out: letters in line with
// the rule may look like pieces of it.
func (b bands) gutterAround(m image.Rectangle, x span) (g gutter, crossed int) {
	top, bottom := max(m.Min.Y/b.height, 0), min((m.Max.Y+b.height-1)/b.height, len(b.ink))
	isCrossed := make([]bool, max(bottom-top, 0))
	at := make([]span, len(isCrossed))
	for i := range at {
		here := x.from + (x.to-x.from)*i/max(len(at)-1, 1)
		at[i], isCrossed[i] = span{here, here}, float64(b.whiteAround(top+i, here).width()) < ruledGutter*float64(b.height)
	}
	first, last := 0, len(at)
	for first < last && isCrossed[first] {
		first++
	}
	for last > first && isCrossed[last-1] {
		last--
	}
	g = gutter{top: top + first, bottom: top + last, at: at[first:last], isRule: true}
	for i := first; i < last; i++ {
		if isCrossed[i] {
			crossed++
		}
	}
	for range b.flanked(g.top, g.at) {
		g.rows++
	}
	return g, crossed
}

// whiteAround returns the white around x in a band.
func (b bands) whiteAround(i, x int) span {
	white := b.limits[i]
	for _, s := range b.ink[i] {
		if s.from < x {
			white.from = max(white.from, s.to)
		}
		if s.to > x {
			white.to = min(white.to, s.from)
		}
	}
	return white
}

// isBesideLabels reports whether the text on the left of a gutter consists of single lines, each far from the next, such as the
// names of the speakers in a drama.
func (b bands) isBesideLabels(g gutter) bool {
	hasLeft, hasRight := make([]bool, len(g.at)), 0
	for i, s := range g.at {
		left, right := b.textBeside(g.top+i, s)
		hasLeft[i] = left.width() > 0
		if right.width() > 0 {
			hasRight++
		}
	}
	labels, bands := 0, 0
	for from, to := range imaging.Runs(len(hasLeft), 1, func(i int) bool { return hasLeft[i] }) {
		if to-from > labelBands {
			return false
		}
		labels, bands = labels+1, bands+to-from
	}
	return labels >= minLabels && labelPitch*float64(bands) <= float64(hasRight)
}

// isBesideCells reports whether the text on one side of a gutter consists of cells in most rows: of several short pieces, such
// as pounds, shillings and pence, that are far apart.
func (b bands) isBesideCells(g gutter) bool {
	var lefts, rights int
	for band, text := range b.flanked(g.top, g.at) {
		if b.hasCells(band, text.left) {
			lefts++
		}
		if b.hasCells(band, text.right) {
			rights++
		}
	}
	return float64(max(lefts, rights)) >= cellRows*float64(g.rows)
}

// hasCells reports whether the text of a band within some columns consists of cells.
func (b bands) hasCells(band int, text span) bool {
	gap, widest := int(minCellGap*float64(b.height)), int(widestCell*float64(b.height))
	var cells []span
	for _, s := range b.ink[band] {
		switch n := len(cells); {
		case s.from < text.from || s.to > text.to:
		case n > 0 && s.from-cells[n-1].to < gap:
			cells[n-1].to = s.to
		default:
			cells = append(cells, s)
		}
	}
	return len(cells) > 1 && !slices.ContainsFunc(cells, func(c span) bool { return c.width() > widest })
}

// strips reports on which sides of a gutter there is a strip of a facing page: its text is narrow and touches the edge of the
// image in many rows, while the text on the other side is as wide as a column.
func (b bands) strips(g gutter) (left, right bool) {
	h := float64(b.height)
	var touchingLeft, touchingRight int // rows whose text touches that edge
	for band, text := range b.flanked(g.top, g.at) {
		if limits := b.limits[band]; float64(text.left.from-limits.from) <= stripMargin*h {
			touchingLeft++
		} else if float64(limits.to-text.right.to) <= stripMargin*h {
			touchingRight++
		}
	}
	wl, wr, _ := b.usualWidths(g)
	isStrip := func(rows int, strip, text float64) bool {
		return float64(rows) >= stripShare*float64(g.rows) && strip <= widestStrip*h && text >= minColumn*h
	}
	return isStrip(touchingLeft, wl, wr), isStrip(touchingRight, wr, wl)
}

// newBands returns the bands of a region with these marks.
func newBands(marks []image.Rectangle, r Region) bands {
	n := len(r.left)
	b := bands{height: r.band, ink: make([][]span, n), large: make([][]image.Rectangle, n), limits: make([]span, n), ruled: make([][]span, n)}
	for i := range b.limits {
		b.limits[i] = span{r.left[i], r.right[i]}
	}
	for _, m := range marks {
		for i := max(m.Min.Y/r.band, 0); i <= min((m.Max.Y-1)/r.band, len(b.ink)-1); i++ {
			b.ink[i] = append(b.ink[i], span{m.Min.X, m.Max.X})
		}
		if isLarge(m, r.band) { // its line has ascenders and descenders
			for i := max((m.Min.Y-m.Dy()/2)/r.band, 0); i <= min((m.Max.Y+m.Dy()/2)/r.band, len(b.large)-1); i++ {
				b.large[i] = append(b.large[i], m)
			}
		}
	}
	for _, all := range b.large {
		slices.SortFunc(all, func(x, y image.Rectangle) int { return cmp.Compare(x.Min.X, y.Min.X) })
	}
	for i, all := range b.ink {
		slices.SortFunc(all, func(x, y span) int { return cmp.Compare(x.from, y.from) })
		b.ink[i] = mergeOverlapping(all)
	}
	return b
}

// isLarge reports whether a component has the size and the shape of a letter in large type. height is the usual height of
// letters.
func isLarge(m image.Rectangle, height int) bool {
	return float64(m.Dy()) >= smallestLarge*float64(height) && m.Dy() <= largestLarge*height && float64(m.Dx()) <= widestLarge*float64(m.Dy())
}

// mergeOverlapping joins overlapping spans. all must be sorted by their start.
func mergeOverlapping(all []span) []span {
	var out []span
	for _, s := range all {
		if n := len(out); n > 0 && s.from <= out[n-1].to {
			out[n-1].to = max(out[n-1].to, s.to)
			continue
		}
		out = append(out, s)
	}
	return out
}
