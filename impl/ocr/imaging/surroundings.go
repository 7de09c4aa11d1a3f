package imaging

import (
	"image"
	"image/color"
	"slices"
)

// WhitenSurroundings whitens everything around the leaves of a page that was photographed with its surroundings, such as the
// table, the edge of the next leaf, or a colour card. It returns other pages unchanged.
func WhitenSurroundings(g *image.Gray) *image.Gray {
	paper, limit, ok := brightCells(g)
	if !ok {
		return g
	}
	leaves, ok := paper.leaves()
	if !ok {
		return g
	}
	out := image.NewGray(image.Rect(0, 0, g.Rect.Dx(), g.Rect.Dy()))
	for y := range g.Rect.Dy() {
		from, to := row(g, y), row(out, y)
		cells := leaves.Set[y/paperCell*leaves.W : (y/paperCell+1)*leaves.W]
		for x, v := range from {
			if !cells[x/paperCell] {
				v = 255
			}
			to[x] = v
		}
	}
	if leaves.isSurrounded() {
		whitenRims(out, leaves, limit)
	}
	return out
}

// isSurrounded reports whether no cell of the set is at the edge of the page.
func (m Mask) isSurrounded() bool {
	for i, c := range m.Set {
		if x, y := i%m.W, i/m.W; c && (x == 0 || y == 0 || x == m.W-1 || y == m.H-1) {
			return false
		}
	}
	return true
}

// whitenRims whitens the surroundings that reach from outside into the outermost cells of leaves: pixels up to a limit in
// brightness, and the blur between these and the paper. If they remained on all four sides, a layout analysis would take them
// for a frame.
func whitenRims(g *image.Gray, leaves Mask, limit float32) {
	core := leaves.Erode(1)
	isRim := func(at image.Point) bool {
		i := at.Y/paperCell*leaves.W + at.X/paperCell
		return leaves.Set[i] && !core.Set[i]
	}
	type edge struct {
		at   image.Point
		blur int // how many brighter pixels may follow
	}
	var all []edge
	spread := func(from edge) {
		for _, d := range [4]image.Point{{Y: -1}, {Y: 1}, {X: -1}, {X: 1}} {
			at := from.at.Add(d)
			if !at.In(g.Rect) || !isRim(at) {
				continue
			}
			next := edge{at, edgeBlur}
			v := g.GrayAt(at.X, at.Y).Y
			if float32(v) > limit {
				next.blur = from.blur - 1
			}
			if v < 255 && next.blur >= 0 {
				g.SetGray(at.X, at.Y, color.Gray{Y: 255})
				all = append(all, next)
			}
		}
	}
	for y := range g.Rect.Dy() {
		for x := range g.Rect.Dx() {
			if at := image.Pt(x, y); !leaves.Set[y/paperCell*leaves.W+x/paperCell] {
				spread(edge{at, 0})
			}
		}
	}
	for k := 0; k < len(all); k++ {
		spread(all[k])
	}
}

// brightCells returns the cells that show paper, and the maximum brightness that does not count as paper. It reports false if
// hardly any cells are dark or too few show paper.
func brightCells(g *image.Gray) (Mask, float32, bool) {
	brightness := paperCells(g)
	n := len(brightness.Values)
	if n == 0 {
		return Mask{}, 0, false
	}
	limit := surroundingsShare * slices.Sorted(slices.Values(brightness.Values))[n*pageBrightness/10]
	m := NewMask(brightness, func(v float32) bool { return v > limit })
	paper := m.growIntoShadow(brightness.Values)
	return m, limit, float64(n-paper) >= minSurroundings*float64(n) && float64(paper) >= minPaper*float64(n)
}

// growIntoShadow adds the cells of shaded paper, which can be reached from the set without a step in brightness, and returns
// the number of cells in the set.
func (m Mask) growIntoShadow(brightness []float32) int {
	var all []int
	for i, c := range m.Set {
		if c {
			all = append(all, i)
		}
	}
	for k := 0; k < len(all); k++ {
		i := all[k]
		x := i % m.W
		for _, j := range [4]int{i - m.W, i + m.W, i - 1, i + 1} {
			outside := j < 0 || j >= len(m.Set) || j == i-1 && x == 0 || j == i+1 && x == m.W-1
			if !outside && !m.Set[j] && brightness[j] >= darkestPaper && brightness[j] >= shadowStep*brightness[i] {
				m.Set[j] = true
				all = append(all, j)
			}
		}
	}
	return len(all)
}

// leaves returns the connected parts that have at least minLeaf of the area of the largest, and the pictures inside them.
// Narrow bridges do not connect parts. It reports false if no part is wide enough to be a leaf.
func (m Mask) leaves() (Mask, bool) {
	parts := m.Erode(1).components(true)
	if len(parts) == 0 {
		return Mask{}, false
	}
	largest := slices.MaxFunc(parts, func(a, b Component) int { return a.Area - b.Area }).Area
	leaves := Mask{m.W, m.H, make([]bool, len(m.Set))}
	for _, p := range parts {
		if float64(p.Area) >= minLeaf*float64(largest) {
			leaves.add(p)
		}
	}
	leaves = leaves.dilate() // undoes the erosion
	for i, c := range m.Set {
		leaves.Set[i] = leaves.Set[i] && c
	}
	inner := image.Rect(0, 0, m.W, m.H).Inset(1)
	for _, p := range leaves.components(false) {
		if p.Box.In(inner) {
			leaves.add(p)
		}
	}
	return leaves, true
}
