package layout

import (
	"cmp"
	"math"
	"slices"

	"uncial/impl/ocr/imaging"
)

// split splits lines where a vertical rule goes through, or the gutter between columns or facing pages.
func split(all []path, ink imaging.Plane, rules []rule, pitch float64) []path {
	var atRules, out []path
	for _, p := range all {
		var cuts []int
		for _, r := range rules {
			y := p.at(float64(r.x))
			if r.x > p.start() && r.x < p.end() && y >= float64(r.top)-pitch/2 && y <= float64(r.bottom)+pitch/2 {
				cuts = append(cuts, r.x)
			}
		}
		atRules = append(atRules, p.cut(cuts)...)
	}
	gutters := gutters(atRules, ink, pitch)
	for i, p := range atRules {
		out = append(out, p.cut(gutters[i])...)
	}
	return out
}

// cut divides the path at the given columns.
func (p path) cut(columns []int) []path {
	slices.Sort(columns)
	var out []path
	for _, x := range columns {
		i, _ := slices.BinarySearch(p.xs, x)
		if i > 1 && i < len(p.xs)-1 {
			out = append(out, p.slice(0, i))
			p = p.slice(i, len(p.xs))
		}
	}
	return append(out, p)
}

// gutters returns, for each line, the columns at which it is interrupted together with the lines above and below it.
func gutters(all []path, ink imaging.Plane, pitch float64) [][]int {
	cell := max(int(gutterCell*pitch), 1)
	columns := ink.W/cell + 1
	order := make([]int, len(all))
	blank := make([][]bool, len(all))    // for each line, the cells that it crosses without ink
	inGutter := make([][]bool, len(all)) // those of them that belong to a gutter
	for i, p := range all {
		order[i] = i
		blank[i] = p.blanks(ink, cell, columns, int(nearInk*pitch))
		inGutter[i] = make([]bool, columns)
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(all[a].mean(), all[b].mean()) })
	for c := range columns {
		markGutter(all, order, blank, inGutter, c, c*cell+cell/2)
	}
	out := make([][]int, len(all))
	least := int(math.Ceil(leastGutter / gutterCell))
	for i := range all {
		for a, b := range imaging.Runs(columns, least, func(c int) bool { return inGutter[i][c] }) {
			out[i] = append(out[i], (a+b)*cell/2)
		}
	}
	return out
}

// blanks returns the cells that the path crosses without touching ink.
func (p path) blanks(ink imaging.Plane, cell, columns, reach int) []bool {
	out := make([]bool, columns)
	for c := p.start()/cell + 1; c < p.end()/cell; c++ {
		y := int(p.at(float64(c*cell + cell/2)))
		sum := float32(0)
		for x := c * cell; x < (c+1)*cell; x++ {
			for d := -reach; d <= reach; d++ {
				sum += ink.At(x, y+d)
			}
		}
		out[c] = sum < blankInk*float32(cell*(2*reach+1))
	}
	return out
}

// markGutter marks cell c, in whose middle x lies, for the lines that are blank there one below the other. Lines that end
// before x do not count.
func markGutter(all []path, order []int, blank, inGutter [][]bool, c, x int) {
	var run []int
	interruptions := 0
	flush := func() {
		if len(run) >= gutterLines {
			for _, i := range run {
				inGutter[i][c] = true
			}
		}
		run, interruptions = run[:0], 0
	}
	for _, i := range order {
		if x <= all[i].start() || x >= all[i].end() {
			continue
		}
		if blank[i][c] {
			run = append(run, i)
			continue
		}
		if interruptions++; interruptions*gutterLines > len(run) {
			flush()
		}
	}
	flush()
}
