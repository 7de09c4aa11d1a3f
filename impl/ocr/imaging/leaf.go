package imaging

import (
	"image"
	"slices"
)

const (
	// surroundings is the share of the page's brightness below which a cell is not paper but what lies around it.
	surroundings = 0.5
	// shading is the least share of a cell's brightness that the next cell of the same paper has: a shadow falls off
	// gradually, while the leaf ends from one cell to the next.
	shading = 0.92
	// leastSurroundings is the share of such cells from which on a page counts as photographed with its surroundings.
	leastSurroundings = 0.04
	// leastLeaf is the share of the largest bright part that another one has at least to be a leaf as well. The two
	// leaves of an open book are alike; a colour card or the edge of the next leaf is smaller.
	leastLeaf = 0.5
	// leastPaper is the share of all cells that the leaves have at least. Below it the picture is something else.
	leastPaper = 0.2
)

// Leaves makes everything white that is not on a leaf of paper, where a page was photographed with its surroundings:
// the table, the edge of the next leaf, a colour card. Other pages are returned as they are.
func Leaves(g *image.Gray) *image.Gray {
	bright, ok := brightCells(g)
	if !ok {
		return g
	}
	keep, ok := bright.leaves()
	if !ok {
		return g
	}
	out := image.NewGray(image.Rect(0, 0, g.Rect.Dx(), g.Rect.Dy()))
	for y := range g.Rect.Dy() {
		from, to := row(g, y), row(out, y)
		cells := keep[y/cell*bright.w : (y/cell+1)*bright.w]
		for x, v := range from {
			if !cells[x/cell] {
				v = 255
			}
			to[x] = v
		}
	}
	return out
}

// mask is a set of cells of a page.
type mask struct {
	w, h  int
	cells []bool
}

// brightCells are the cells with paper in them. It is false where hardly any other are there, or too few.
func brightCells(g *image.Gray) (mask, bool) {
	b := rawBackground(g)
	if len(b.values) == 0 {
		return mask{}, false
	}
	sorted := slices.Sorted(slices.Values(b.values))
	limit := surroundings * sorted[len(sorted)*9/10]
	m := mask{b.w, b.h, make([]bool, len(b.values))}
	for i, v := range b.values {
		m.cells[i] = v > limit
	}
	n := m.growInto(b.values)
	total := float64(len(b.values))
	dark := total - float64(n)
	return m, dark >= leastSurroundings*total && float64(n) >= leastPaper*total
}

// growInto adds the cells that are paper in a shadow, which are those that can be reached without a step in brightness, and
// returns how many cells there are then.
func (m mask) growInto(brightness []float32) int {
	var all []int
	for i, c := range m.cells {
		if c {
			all = append(all, i)
		}
	}
	for k := 0; k < len(all); k++ {
		m.beside(all[k], func(j int) {
			if v := brightness[j]; !m.cells[j] && v >= darkest && v >= shading*brightness[all[k]] {
				m.cells[j] = true
				all = append(all, j)
			}
		})
	}
	return len(all)
}

// leaves are the cells of the connected parts that are at least leastLeaf of the largest, with the pictures inside
// them. Narrow bridges between parts do not connect. It is false where all parts are narrow: none is a leaf.
func (m mask) leaves() ([]bool, bool) {
	core := m.shrink()
	part, sizes := core.parts()
	if len(sizes) == 1 {
		return nil, false
	}
	least := leastLeaf * float64(slices.Max(sizes))
	leaves := mask{m.w, m.h, make([]bool, len(m.cells))}
	for i := range m.cells {
		leaves.cells[i] = m.cells[i] && core.near(i, func(j int) bool { return part[j] > 0 && float64(sizes[part[j]]) >= least })
	}
	outside, sizes := leaves.inverse().parts()
	border := make([]bool, len(sizes))
	for i, p := range outside {
		x, y := i%m.w, i/m.w
		if x == 0 || y == 0 || x == m.w-1 || y == m.h-1 {
			border[p] = true
		}
	}
	for i, p := range outside {
		leaves.cells[i] = leaves.cells[i] || !border[p]
	}
	return leaves.cells, true
}

// shrink takes away the cells at the edge of the set; those at the edge of the page stay.
func (m mask) shrink() mask {
	out := mask{m.w, m.h, make([]bool, len(m.cells))}
	for i := range m.cells {
		out.cells[i] = m.cells[i] && !m.near(i, func(j int) bool { return !m.cells[j] })
	}
	return out
}

func (m mask) inverse() mask {
	out := mask{m.w, m.h, make([]bool, len(m.cells))}
	for i, c := range m.cells {
		out.cells[i] = !c
	}
	return out
}

// near says whether a cell or one of the eight around it satisfies f.
func (m mask) near(i int, f func(int) bool) bool {
	x, y := i%m.w, i/m.w
	for ny := max(y-1, 0); ny <= min(y+1, m.h-1); ny++ {
		for nx := max(x-1, 0); nx <= min(x+1, m.w-1); nx++ {
			if f(ny*m.w + nx) {
				return true
			}
		}
	}
	return false
}

// beside calls f for the cells above, below and on either side of a cell.
func (m mask) beside(i int, f func(int)) {
	x := i % m.w
	for _, j := range [4]int{i - m.w, i + m.w, i - 1, i + 1} {
		if j >= 0 && j < len(m.cells) && (j != i-1 || x > 0) && (j != i+1 || x < m.w-1) {
			f(j)
		}
	}
}

// parts numbers the connected parts from 1; sizes[0] is 0, for the cells outside the set.
func (m mask) parts() (part, sizes []int) {
	part = make([]int, len(m.cells))
	sizes = []int{0}
	for i := range m.cells {
		if m.cells[i] && part[i] == 0 {
			sizes = append(sizes, m.fill(part, i, len(sizes)))
		}
	}
	return part, sizes
}

// fill gives the number to all cells that hang together with cell i, and returns how many there are.
func (m mask) fill(part []int, i, number int) int {
	stack := []int{i}
	part[i] = number
	n := 0
	for len(stack) > 0 {
		i := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		n++
		m.beside(i, func(j int) {
			if m.cells[j] && part[j] == 0 {
				part[j] = number
				stack = append(stack, j)
			}
		})
	}
	return n
}
