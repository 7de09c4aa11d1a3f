package text

import "slices"

// Stretch is where two sequences differ: elements From to To of the first stand for FromOther to ToOther of the second. One of
// the two may be empty.
type Stretch struct{ From, To, FromOther, ToOther int }

// Stretches returns where two sequences differ, in their order: the stretches outside their longest common subsequence. Time
// and memory are proportional to the product of the lengths between the common beginning and the common end.
func Stretches[T comparable](a, b []T) []Stretch {
	skip := 0
	for skip < min(len(a), len(b)) && a[skip] == b[skip] {
		skip++
	}
	a, b = trimCommon(a, b)
	common := commonLengths(a, b)
	var out []Stretch
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		fromA, fromB := i, j
		for i < len(a) || j < len(b) {
			if i < len(a) && j < len(b) && a[i] == b[j] {
				break
			}
			if j == len(b) || i < len(a) && common[i+1][j] >= common[i][j+1] {
				i++
			} else {
				j++
			}
		}
		if i > fromA || j > fromB {
			out = append(out, Stretch{skip + fromA, skip + i, skip + fromB, skip + j})
		}
		if i < len(a) && j < len(b) {
			i, j = i+1, j+1
		}
	}
	return out
}

// commonLengths returns the lengths of the longest common subsequences of a[i:] and b[j:].
func commonLengths[T comparable](a, b []T) [][]int {
	common := make([][]int, len(a)+1)
	for i := range common {
		common[i] = make([]int, len(b)+1)
	}
	for i, x := range slices.Backward(a) {
		for j, y := range slices.Backward(b) {
			if common[i][j] = max(common[i+1][j], common[i][j+1]); x == y {
				common[i][j] = common[i+1][j+1] + 1
			}
		}
	}
	return common
}
