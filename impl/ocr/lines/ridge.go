package lines

import (
	"math"
	"slices"
)

const (
	// blurs in units of the pitch: of the ink, and of the ridges across and down.
	blurAcross, blurDown, ridgeDown = 0.9, 0.16, 0.24
	// ridgeLevel is the share of the strongest ridges from which on one counts.
	ridgeLevel = 0.22
	// leastPiece is the shortest piece of a ridge in units of the pitch.
	leastPiece = 0.8
)

// path is the middle of a line's small letters: a height for each of its columns, the columns rising.
type path struct {
	xs []int
	ys []float32
}

func (p path) start() int { return p.xs[0] }

func (p path) end() int { return p.xs[len(p.xs)-1] }

// at is the height at a column, between the path's columns and beyond its ends.
func (p path) at(x float64) float64 {
	i, _ := slices.BinarySearch(p.xs, int(math.Floor(x)))
	switch {
	case i == 0 && x <= float64(p.xs[0]):
		return float64(p.ys[0])
	case i >= len(p.xs):
		return float64(p.ys[len(p.ys)-1])
	case p.xs[i] > int(math.Floor(x)):
		i--
	}
	if i+1 >= len(p.xs) {
		return float64(p.ys[i])
	}
	f := (x - float64(p.xs[i])) / float64(p.xs[i+1]-p.xs[i])
	return float64(p.ys[i]) + f*float64(p.ys[i+1]-p.ys[i])
}

// mean is the mean height.
func (p path) mean() float64 {
	var sum float64
	for _, y := range p.ys {
		sum += float64(y)
	}
	return sum / float64(len(p.ys))
}

// ridges are the pieces of lines: where the ink, blurred along the lines, is darker than above and below.
func ridges(ink plane, pitch float64) []path {
	across := ink.blur(blurAcross*pitch, 0)
	soft := across.blur(0, blurDown*pitch)
	curved := across.blur(0, ridgeDown*pitch).curvature()
	limit := ridgeLevel * strongest(curved, soft)
	return pieces(curved, limit, leastPiece*pitch)
}

// curvature is minus the second derivative down the plane.
func (p plane) curvature() plane {
	out := newPlane(p.w, p.h)
	for y := 1; y+1 < p.h; y++ {
		a, b, c, to := p.row(y-1), p.row(y), p.row(y+1), out.row(y)
		for x := range to {
			to[x] = 2*b[x] - a[x] - c[x]
		}
	}
	return out
}

// strongest is the curvature that 95 of 100 places with ink do not exceed.
func strongest(curved, soft plane) float32 {
	var values []float32
	for i := 0; i < len(curved.v); i += 3 {
		if soft.v[i] > 0.02 {
			values = append(values, curved.v[i])
		}
	}
	if len(values) == 0 {
		return math.MaxFloat32
	}
	slices.Sort(values)
	return values[len(values)*95/100]
}

// segment is a run of a row, from x0 up to but not including x1.
type segment struct{ y, x0, x1, piece int }

// pieces follows the connected regions above the limit and returns the middle of each that is wide enough.
func pieces(curved plane, limit float32, least float64) []path {
	segments, parent := connect(curved, limit)
	groups := map[int][]segment{}
	for _, s := range segments {
		root := find(parent, s.piece)
		groups[root] = append(groups[root], s)
	}
	var out []path
	for root := range parent {
		if group := groups[root]; len(group) > 0 {
			if p, ok := middle(curved, group, least); ok {
				out = append(out, p)
			}
		}
	}
	return out
}

func connect(curved plane, limit float32) ([]segment, []int) {
	var all []segment
	var parent []int
	above, here := 0, 0 // where the segments of the row above and of this row begin
	for y := range curved.h {
		above, here = here, len(all)
		row := curved.row(y)
		j := above
		for x0, x1 := range runs(curved.w, 1, func(x int) bool { return row[x] > limit }) {
			s := segment{y, x0, x1, len(parent)}
			parent = append(parent, s.piece)
			for j < here && all[j].x1 <= x0 {
				j++
			}
			for k := j; k < here && all[k].x0 < x1; k++ {
				a, b := find(parent, all[k].piece), find(parent, s.piece)
				parent[max(a, b)] = min(a, b)
			}
			all = append(all, s)
		}
	}
	return all, parent
}

func find(parent []int, i int) int {
	for parent[i] != i {
		parent[i] = parent[parent[i]]
		i = parent[i]
	}
	return i
}

// middle is the path through a region, weighted by the curvature. It is false where the region is too narrow.
func middle(curved plane, region []segment, least float64) (path, bool) {
	x0, x1 := math.MaxInt, 0
	for _, s := range region {
		x0, x1 = min(x0, s.x0), max(x1, s.x1)
	}
	if float64(x1-x0) < least {
		return path{}, false
	}
	weight, height := make([]float64, x1-x0), make([]float64, x1-x0)
	for _, s := range region {
		for i, v := range curved.row(s.y)[s.x0:s.x1] {
			weight[s.x0-x0+i] += float64(v)
			height[s.x0-x0+i] += float64(v) * float64(s.y)
		}
	}
	p := path{xs: make([]int, x1-x0), ys: make([]float32, x1-x0)}
	for i := range weight {
		p.xs[i] = x0 + i
		p.ys[i] = float32(height[i] / weight[i])
	}
	return p, true
}
