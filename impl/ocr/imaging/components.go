package imaging

import (
	"image"
	"iter"
	"slices"
)

// Run is a run of ink in row Y, from Start up to but not including End.
type Run struct{ Y, Start, End int }

// RunSeq yields the start and the end of each run of a row, from left to right.
type RunSeq = iter.Seq2[int, int]

// Runs yields the runs of positions, 0 to n-1, for which in is true and which are at least minLength long.
func Runs(n, minLength int, in func(int) bool) RunSeq {
	return func(yield func(start, end int) bool) {
		start := -1
		for i := 0; i <= n; i++ {
			if i < n && in(i) {
				if start < 0 {
					start = i
				}
				continue
			}
			if start >= 0 && i-start >= minLength && !yield(start, i) {
				return
			}
			start = -1
		}
	}
}

// Connectivity says which pixels count as connected.
type Connectivity int

const (
	// Edges connects pixels that share an edge (4-connectivity).
	Edges Connectivity = 0
	// Corners connects pixels that share an edge or a corner (8-connectivity).
	Corners Connectivity = 1
)

// Component is a connected component.
type Component struct {
	Box  image.Rectangle
	Area int   // pixels
	Runs []Run // from top to bottom, those of a row from left to right
}

// Components returns the connected components of the runs in each of h rows, in the order of their first runs. It keeps all
// runs in memory.
func Components(h int, c Connectivity, runs func(y int) RunSeq) []Component {
	type labelled struct {
		Run
		label int
	}
	var all []labelled
	roots := label(h, c, runs, func(r Run, label int) { all = append(all, labelled{r, label}) })
	var out []Component
	index := make([]int, len(roots)) // of each label's component in out
	for label, root := range roots {
		if index[label] = index[root]; label == root {
			index[label] = len(out)
			out = append(out, Component{})
		}
	}
	for _, r := range all {
		c := &out[index[r.label]]
		c.Box = c.Box.Union(image.Rect(r.Start, r.Y, r.End, r.Y+1))
		c.Area += r.End - r.Start
		c.Runs = append(c.Runs, r.Run)
	}
	return out
}

// ComponentBoxes returns the boxes of the connected components. Its memory grows with the number of components, not with the
// number of runs: a halftone has tens of millions of runs.
func ComponentBoxes(h int, c Connectivity, runs func(y int) RunSeq) []image.Rectangle {
	var boxes []image.Rectangle
	roots := label(h, c, runs, func(r Run, label int) {
		if label == len(boxes) {
			boxes = append(boxes, image.Rectangle{})
		}
		boxes[label] = boxes[label].Union(image.Rect(r.Start, r.Y, r.End, r.Y+1))
	})
	for label, root := range roots {
		if label != root {
			boxes[root] = boxes[root].Union(boxes[label])
			boxes[label] = image.Rectangle{}
		}
	}
	return slices.DeleteFunc(boxes, image.Rectangle.Empty)
}

// label gives each run a label, calls visit with both, and returns for each label the smallest label of the same component (its
// root). A run gets a new label only if it touches no run in the row above.
func label(h int, c Connectivity, runs func(y int) RunSeq, visit func(r Run, label int)) (roots []int) {
	type labelled struct{ start, end, label int }
	var above, here []labelled
	for y := range h {
		above, here = here, above[:0]
		first := 0 // in the row above, the first run that does not end to the left of this one
		for start, end := range runs(y) {
			for first < len(above) && above[first].end+int(c) <= start {
				first++
			}
			label := -1
			for k := first; k < len(above) && above[k].start < end+int(c); k++ {
				root := findRoot(roots, above[k].label)
				if label >= 0 && label != root {
					label, root = min(label, root), max(label, root)
					roots[root] = label
				} else {
					label = root
				}
			}
			if label < 0 {
				label = len(roots)
				roots = append(roots, label)
			}
			here = append(here, labelled{start, end, label})
			visit(Run{y, start, end}, label)
		}
	}
	for i := range roots {
		roots[i] = roots[roots[i]]
	}
	return roots
}

// findRoot follows the roots to the last one, and compresses the path (union-find).
func findRoot(roots []int, i int) int {
	for roots[i] != i {
		roots[i] = roots[roots[i]]
		i = roots[i]
	}
	return i
}
