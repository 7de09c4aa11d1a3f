package lines

import (
	"cmp"
	"slices"
)

const (
	// quarter is by how much the page shrinks before its paper is sought.
	quarter = 4
	// paperCell and paperReach give the neighbourhood, about 25 pixels wide, in which the paper is sought: cells of
	// paperCell pixels, and paperReach of them on each side.
	paperCell, paperReach = 5, 2
	// paperQuantile of a neighbourhood is its paper: brighter than the ink, darker than specks of glare.
	paperQuantile = 0.8
	// leastPaper is the least value that counts as paper.
	leastPaper = 80
	// darkBorder is the share of the usual paper below which a place is not on the page.
	darkBorder = 0.55
	// margin is how many pixels of the shrunk page along a dark border count as border too.
	margin = 2
	// inkFrom and inkRange say what is ink: nothing at inkFrom of the paper's brightness, all at inkRange less.
	inkFrom, inkRange = 0.88, 0.35
	// solid is the ink from which on a pixel counts as black.
	solid = 0.3
)

// inkMap says how much ink there is at each pixel of a page, 0..1, after its paper and its shading are taken away.
func inkMap(page plane) plane {
	small := page.reduce(quarter)
	paper, usual := small.paper()
	on := onPage(small, paper, darkBorder*usual)
	ink := newPlane(page.w, page.h)
	line := make([]float32, page.w)
	for y := range page.h {
		sy := min(y/quarter, small.h-1)
		paper.stretchRow((float32(y)/quarter+0.5)/paperCell-0.5, quarter*paperCell, line)
		from, to, mask := page.row(y), ink.row(y), on[sy*small.w:(sy+1)*small.w]
		for x, v := range from {
			if mask[min(x/quarter, small.w-1)] {
				to[x] = min(max((inkFrom-v/max(line[x], 20))/inkRange, 0), 1)
			}
		}
	}
	return ink
}

// reduce averages squares of n pixels.
func (p plane) reduce(n int) plane {
	out := newPlane(max(p.w/n, 1), max(p.h/n, 1))
	for y := range out.h {
		to := out.row(y)
		for dy := range min(n, p.h) {
			from := p.row(y*n + dy)
			for x := range to {
				for _, v := range from[x*n : min(x*n+n, p.w)] {
					to[x] += v
				}
			}
		}
		for x := range to {
			to[x] /= float32(min(n, p.h) * min(n, p.w))
		}
	}
	return out
}

// paper is the brightness of the paper in each cell, smoothed, and that of the page's usual paper.
func (p plane) paper() (plane, float32) {
	cells := newPlane((p.w+paperCell-1)/paperCell, (p.h+paperCell-1)/paperCell)
	counts := make([][256]uint16, len(cells.v))
	for y := range p.h {
		for x, v := range p.row(y) {
			counts[y/paperCell*cells.w+x/paperCell][uint8(min(max(v, 0), 255))]++
		}
	}
	for y := range cells.h {
		for x := range cells.w {
			cells.v[y*cells.w+x] = quantileAround(counts, cells, x, y)
		}
	}
	cells = cells.blur(1.2, 1.2)
	bright := slices.DeleteFunc(slices.Clone(cells.v), func(v float32) bool { return v <= leastPaper })
	if len(bright) == 0 {
		return cells, 200
	}
	slices.Sort(bright)
	return cells, bright[len(bright)/2]
}

func quantileAround(counts [][256]uint16, cells plane, x, y int) float32 {
	var sum [256]uint32
	total := uint32(0)
	for cy := max(y-paperReach, 0); cy <= min(y+paperReach, cells.h-1); cy++ {
		for cx := max(x-paperReach, 0); cx <= min(x+paperReach, cells.w-1); cx++ {
			for i, n := range &counts[cy*cells.w+cx] {
				sum[i] += uint32(n)
				total += uint32(n)
			}
		}
	}
	want := uint32(paperQuantile * float64(total))
	for i, n := range sum {
		if want < n {
			return float32(i)
		}
		want -= n
	}
	return 255
}

// stretchRow interpolates a row of the plane, at height y between its rows, to a line whose pixels are n to a cell.
func (p plane) stretchRow(y float32, n int, line []float32) {
	y = min(max(y, 0), float32(p.h-1))
	y0 := int(y)
	a, b, fy := p.row(y0), p.row(min(y0+1, p.h-1)), y-float32(y0)
	for x := range line {
		fx := min(max((float32(x)+0.5)/float32(n)-0.5, 0), float32(p.w-1))
		x0 := int(fx)
		x1 := min(x0+1, p.w-1)
		fx -= float32(x0)
		top, bottom := a[x0]+(a[x1]-a[x0])*fx, b[x0]+(b[x1]-b[x0])*fx
		line[x] = top + (bottom-top)*fy
	}
}

// onPage says which pixels of the shrunk page lie on paper and not within the margin of a dark border.
func onPage(small, paper plane, limit float32) []bool {
	on := make([]bool, len(small.v))
	line := make([]float32, small.w)
	for y := range small.h {
		paper.stretchRow((float32(y)+0.5)/paperCell-0.5, paperCell, line)
		for x, v := range line {
			on[y*small.w+x] = v > limit
		}
	}
	return erode(on, small.w, small.h, margin)
}

// erode takes away what has something other than the set within r pixels, across or down; the edge of the plane does
// not count as other.
func erode(set []bool, w, h, r int) []bool {
	out := make([]bool, len(set))
	for y := range h {
		last := -r - 1 // the last pixel outside the set
		for x := range w {
			if !set[y*w+x] {
				last = x
				for k := max(x-r, 0); k < x; k++ {
					out[y*w+k] = false
				}
			}
			out[y*w+x] = x-last > r
		}
	}
	final := slices.Clone(out)
	for y := range h {
		for x := range w {
			if out[y*w+x] {
				continue
			}
			for k := max(y-r, 0); k <= min(y+r, h-1); k++ {
				final[k*w+x] = false
			}
		}
	}
	return final
}

// dropRules removes long straight runs of ink: ruled paper, the frames of tables, the edges of the page. It returns the
// vertical ones.
func (p plane) dropRules() []rule {
	black := make([]bool, len(p.v))
	for i, v := range p.v {
		black[i] = v > solid
	}
	across := max(40, p.w/10)
	for y := range p.h {
		for start, end := range runs(p.w, across, func(x int) bool { return black[y*p.w+x] }) {
			for k := max(y-1, 0); k <= min(y+1, p.h-1); k++ {
				clear(p.row(k)[start:end])
			}
		}
	}
	down := max(60, p.h/14)
	var found []rule
	length := make([]int, p.w) // of the black run that ends here
	for y := range p.h + 1 {
		for x := range p.w {
			if y < p.h && black[y*p.w+x] {
				length[x]++
				continue
			}
			if length[x] >= down {
				found = append(found, rule{x, y - length[x], y})
				for k := y - length[x]; k < y; k++ {
					clear(p.row(k)[max(x-2, 0):min(x+3, p.w)])
				}
			}
			length[x] = 0
		}
	}
	return mergeRules(found, p.h/ruleShare)
}

// ruleShare is the share of the page's height that the pieces of a vertical rule have at least together: 1 in ruleShare.
const ruleShare = 5

// mergeRules puts together the pieces of each rule, and keeps those that are long together.
func mergeRules(pieces []rule, least int) []rule {
	slices.SortStableFunc(pieces, func(a, b rule) int { return cmp.Compare(a.x, b.x) })
	var out []rule
	for i := 0; i < len(pieces); {
		r := pieces[i]
		j := i + 1
		for ; j < len(pieces) && pieces[j].x-pieces[j-1].x <= 4 && pieces[j].x-pieces[i].x < 24; j++ {
			r.top, r.bottom = min(r.top, pieces[j].top), max(r.bottom, pieces[j].bottom)
		}
		r.x = (pieces[i].x + pieces[j-1].x) / 2
		if r.bottom-r.top >= least {
			out = append(out, r)
		}
		i = j
	}
	return out
}

// runs are the stretches of at least least among n for which in holds, from start up to but not including end.
func runs(n, least int, in func(int) bool) func(yield func(start, end int) bool) {
	return func(yield func(start, end int) bool) {
		start := -1
		for i := 0; i <= n; i++ {
			if i < n && in(i) {
				if start < 0 {
					start = i
				}
				continue
			}
			if start >= 0 && i-start >= least && !yield(start, i) {
				return
			}
			start = -1
		}
	}
}
