package lines

import (
	"cmp"
	"math"
	"slices"
)

const (
	// gutterCell is how finely gutters are sought across, in units of the pitch, and leastGutter how wide they are.
	gutterCell, leastGutter = 0.25, 0.5
	// gutterLines is how many lines a gutter interrupts one below the other: too many for chance to leave a blank
	// between two words in each.
	gutterLines = 8
	// nearInk is how far above and below its path a line is looked at for ink, in units of the pitch.
	nearInk = 0.4
)

// rule is a vertical line of a form or a table.
type rule struct{ x, top, bottom int }

// split cuts lines where a vertical rule or the gutter between columns or facing pages goes through.
func split(all []path, ink plane, rules []rule, pitch float64) []path {
	var out []path
	for _, p := range all {
		var cuts []int
		for _, r := range rules {
			y := p.at(float64(r.x))
			if r.x > p.start() && r.x < p.end() && y >= float64(r.top)-pitch/2 && y <= float64(r.bottom)+pitch/2 {
				cuts = append(cuts, r.x)
			}
		}
		out = append(out, p.cut(cuts)...)
	}
	gutters := gutters(out, ink, pitch)
	var final []path
	for i, p := range out {
		final = append(final, p.cut(gutters[i])...)
	}
	return final
}

// cut divides the path at the columns given.
func (p path) cut(at []int) []path {
	slices.Sort(at)
	var out []path
	for _, x := range at {
		i, _ := slices.BinarySearch(p.xs, x)
		if i > 1 && i < len(p.xs)-1 {
			out = append(out, path{p.xs[:i], p.ys[:i]})
			p = path{p.xs[i:], p.ys[i:]}
		}
	}
	return append(out, p)
}

// gutters are the places at which each line is interrupted together with those above and below it.
func gutters(all []path, ink plane, pitch float64) [][]int {
	cell := max(int(gutterCell*pitch), 1)
	columns := ink.w/cell + 1
	blank := make([][]bool, len(all)) // of each line, the cells that it crosses without ink
	order := make([]int, len(all))
	for i, p := range all {
		order[i] = i
		blank[i] = p.blanks(ink, cell, columns, int(nearInk*pitch))
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(all[a].mean(), all[b].mean()) })
	open := make([][]bool, len(all)) // the cells that belong to a gutter
	for i := range open {
		open[i] = make([]bool, columns)
	}
	for c := range columns {
		markRuns(all, order, blank, open, c, c*cell+cell/2)
	}
	out := make([][]int, len(all))
	least := int(math.Ceil(leastGutter / gutterCell))
	for i := range all {
		for a, b := range runs(columns, least, func(c int) bool { return open[i][c] }) {
			out[i] = append(out[i], (a+b)*cell/2)
		}
	}
	return out
}

// blanks says which cells the path crosses without touching ink.
func (p path) blanks(ink plane, cell, columns, reach int) []bool {
	out := make([]bool, columns)
	for c := p.start()/cell + 1; c < p.end()/cell; c++ {
		y := int(p.at(float64(c*cell + cell/2)))
		sum := float32(0)
		for x := c * cell; x < (c+1)*cell; x++ {
			for d := -reach; d <= reach; d++ {
				sum += ink.at(x, y+d)
			}
		}
		out[c] = sum < 0.02*float32(cell*(2*reach+1))
	}
	return out
}

// markRuns opens a cell for the lines that are blank there one below the other. One line in gutterLines may reach into
// the gutter; lines that end before it do not count.
func markRuns(all []path, order []int, blank, open [][]bool, c, x int) {
	var run []int
	strikes := 0
	flush := func() {
		if len(run) >= gutterLines {
			for _, i := range run {
				open[i][c] = true
			}
		}
		run, strikes = run[:0], 0
	}
	for _, i := range order {
		if x <= all[i].start() || x >= all[i].end() {
			continue
		}
		if blank[i][c] {
			run = append(run, i)
			continue
		}
		if strikes++; strikes*gutterLines > len(run) {
			flush()
		}
	}
	flush()
}
