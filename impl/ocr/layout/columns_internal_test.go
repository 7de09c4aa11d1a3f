package layout

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFacingPages(t *testing.T) {
	t.Parallel()
	const width, height, lineHeight = 400.0, 250.0, 18.0
	line := func(from, to int) path { return path{xs: []int{from, to}, ys: []float32{0, 0}} }
	rows := func(ends ...int) (lines []path) { // from 10 to each end, and from 202 to 390 less a few pixels
		for i, end := range ends {
			y := float32(20 * i)
			lines = append(lines, path{xs: []int{10, end}, ys: []float32{y, y}}, path{xs: []int{202 + i, 390 - i}, ys: []float32{y, y}})
		}
		return lines
	}
	lines := func(from, to, n int) (all []path) {
		for range n {
			all = append(all, line(from, to))
		}
		return all
	}
	narrowed := func(all []path) []path { // to a quarter of the width on the right
		for i := 1; i < len(all); i += 2 {
			all[i] = line(202, 249)
		}
		return all
	}
	for name, c := range map[string]struct {
		lines       []path
		height      float64
		left, right int // lines
	}{
		"a wide gutter": {[]path{line(10, 180), line(220, 390), line(15, 185)}, height, 2, 1},
		"lines of both pages that reach a narrow gutter": {rows(196, 197, 190, 195, 196, 197, 190, 195), height, 8, 8},
		"cells of a form with an equally narrow gap":     {rows(196, 197, 190, 195), height, 8, 0},
		"one line less than a page has":                  {rows(196, 197, 190, 195, 196, 197, 190), height, 14, 0},
		"a page beside a much longer one":                {append(rows(196, 197, 190, 195, 196, 197, 190, 195), lines(10, 196, 13)...), height, 29, 0},
		"a page beside narrow entries":                   {narrowed(rows(196, 197, 190, 195, 196, 197, 190, 195)), height, 16, 0},
		"a line that crosses the gutter":                 {[]path{line(10, 180), line(220, 390), line(100, 300)}, height, 3, 0},
		"pages that touch":                               {[]path{line(10, 199), line(201, 390)}, height, 2, 0},
		"lines across the fold":                          {append(rows(200, 203, 190, 195, 204, 197, 190, 195, 201, 203), line(10, 390)), height, 11, 11},
		"a heading across the fold":                      {append(rows(200, 203, 190, 195, 204, 197, 190, 195, 201, 203), line(150, 250)), height, 21, 0},
		"many lines across the fold":                     {append(rows(200, 203, 190, 195, 204, 197, 190, 195, 201, 203), lines(10, 390, 4)...), height, 24, 0},
		"few lines, one across the fold":                 {append(rows(200, 203, 190, 195, 204, 197, 190), line(10, 390)), height, 15, 0},
		"an image that is higher than wide":              {[]path{line(10, 180), line(220, 390)}, 500, 2, 0},
		"a gap far from the middle":                      {[]path{line(10, 80), line(120, 390)}, height, 2, 0},
	} {
		left, right := facingPages(c.lines, width, c.height, lineHeight)
		require.Equal(t, [2]int{c.left, c.right}, [2]int{len(left), len(right)}, name)
	}
}

// TestColumns_notes checks the blocks of a page with a note in its left margin, by the number of their lines.
func TestColumns_notes(t *testing.T) {
	t.Parallel()
	const lineHeight = 18.0
	straight := func(from, to, y int) (p path) {
		for x := from; x <= to; x++ {
			p.xs, p.ys = append(p.xs, x), append(p.ys, float32(y))
		}
		return p
	}
	lines := func(from, to, pitch, n int) (all []path) {
		for i := range n {
			all = append(all, straight(from, to+3*(i%4), 40+pitch*i))
		}
		return all
	}
	text := lines(120, 380, 34, 12)
	for name, c := range map[string]struct {
		lines  []path
		blocks []int
	}{
		"a short note follows the text":                    {append(lines(10, 100, 21, 6), text...), []int{12, 6}},
		"a note with more lines than the text is a column": {append(lines(10, 100, 21, 16), text...), []int{16, 12}},
		"entries in rows with the text are no note":        {append(lines(10, 100, 34, 12), text...), []int{24}},
		"a note far longer than the text":                  {append(lines(10, 100, 21, 20), text...), []int{32}},
		"lines found with those of the text are cut":       {append(append(lines(10, 100, 21, 12), text...), straight(10, 380, 450), straight(10, 380, 471), straight(10, 380, 492), straight(10, 380, 513)), []int{16, 16}},
		"a line of the note that runs on stays whole":      {append(append(lines(10, 100, 21, 5), text...), straight(10, 150, 180), straight(12, 150, 201)), []int{12, 7}},
		"too many lines across":                            {append(append(lines(10, 100, 21, 6), text...), lines(10, 380, 34, 10)...), []int{28}},
	} {
		var got []int
		for _, block := range columns(c.lines, lineHeight) {
			got = append(got, len(block))
		}
		require.Equal(t, c.blocks, got, name)
	}
}
