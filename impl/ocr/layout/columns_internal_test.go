package layout

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFacingPages(t *testing.T) {
	t.Parallel()
	const width, height, lineHeight = 400.0, 250.0, 18.0
	line := func(from, to int) path { return path{xs: []int{from, to}, ys: []float32{0, 0}} }
	for name, c := range map[string]struct {
		lines       []path
		height      float64
		left, right int // lines
	}{
		"a wide gutter": {[]path{line(10, 180), line(220, 390), line(15, 185)}, height, 2, 1},
		"lines of both pages that reach a narrow gutter": {[]path{line(10, 196), line(202, 390), line(15, 197), line(205, 380)}, height, 2, 2},
		"a line that crosses the gutter":                 {[]path{line(10, 180), line(220, 390), line(100, 300)}, height, 3, 0},
		"pages that touch":                               {[]path{line(10, 199), line(201, 390)}, height, 2, 0},
		"an image that is higher than wide":              {[]path{line(10, 180), line(220, 390)}, 500, 2, 0},
		"a gap far from the middle":                      {[]path{line(10, 80), line(120, 390)}, height, 2, 0},
	} {
		left, right := facingPages(c.lines, width, c.height, lineHeight)
		require.Equal(t, [2]int{c.left, c.right}, [2]int{len(left), len(right)}, name)
	}
}
