package lines

import (
	"cmp"
	"slices"
)

// arrange puts the lines into blocks, in reading order.
func (p *Page) arrange(all []path) [][]Line {
	if len(all) == 0 {
		return nil
	}
	slices.SortStableFunc(all, func(a, b path) int { return cmp.Compare(a.mean(), b.mean()) })
	block := make([]Line, len(all))
	for i, line := range all {
		block[i] = Line{line, p}
	}
	return [][]Line{block}
}
