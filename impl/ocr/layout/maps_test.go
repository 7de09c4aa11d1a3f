package layout_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"uncial/impl/ocr/layout"
	"uncial/impl/ocr/neural"
	"uncial/impl/ocr/ocrtest"
	"uncial/internal/document"
)

// ideal returns the maps that a perfect network would return for drawn lines on a page of that width.
func ideal(all []drawn, pageWidth int) func(ink []float32, w, h int) neural.Maps {
	return func(_ []float32, w, h int) neural.Maps {
		m := blankMaps(w, h)
		step := 2 * float64(pageWidth) / float64(w) // pixels of the page per pixel of the maps
		set := func(to []float32, x, y int, v float64) {
			if x >= 0 && y >= 0 && x < m.W && y < m.H {
				to[y*m.W+x] = float32(v)
			}
		}
		for _, d := range all {
			at := func(x int) int { return int(d.base((float64(x)+0.5)*step) / step) }
			from, to := int(float64(d.x0)/step), int(float64(d.x1)/step)
			for x := from; x <= to; x++ {
				for y := at(x) - 1; y <= at(x)+1; y++ {
					set(m.Baseline, x, y, 1)
					set(m.Up, x, y, 2.2*small*2/step)
					set(m.Down, x, y, 0.8*small*2/step)
				}
			}
			for _, x := range []int{from, to} {
				for dx := -3; dx <= 3; dx++ {
					for dy := -3; dy <= 3; dy++ {
						set(m.End, x+dx, at(x)+dy, 1)
					}
				}
			}
		}
		return m
	}
}

func blankMaps(w, h int) neural.Maps {
	m := neural.Maps{W: (w + 31) / 32 * 16, H: (h + 31) / 32 * 16}
	n := m.W * m.H
	m.Baseline, m.End, m.Up, m.Down = make([]float32, n), make([]float32, n), make([]float32, n), make([]float32, n)
	return m
}

func TestFinder_Find_idealMaps(t *testing.T) {
	t.Parallel()
	cases := findCases()
	var descending, cells []drawn
	for i := range 14 {
		descending = append(descending, drawn{150, 1050, func(x float64) float64 { return float64(200+75*i) + x*x/6000 }})
	}
	for i := range 6 { // narrow cells side by side, 14 pixels apart
		cells = append(cells, drawn{100, 250, level(200 + 80*i)}, drawn{264, 420, level(200 + 80*i)}, drawn{434, 1000, level(200 + 80*i)})
	}
	cases = append(cases,
		findCase{"follows lines that fall more and more", 1200, 1700, descending, 1, nil, false},
		findCase{"separates narrow cells", 1100, 800, cells, 1, nil, false},
	)
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			g := sheet(c.w, c.h, c.lines)
			if c.also != nil {
				c.also(g)
			}
			p := findWith(layout.NewFinderOf(ideal(c.lines, c.w)), g)
			requireLines(t, c.lines, p)
			require.Equal(t, c.blocks, len(p.Blocks)) //nolint:testifylint // the lines themselves would fill pages
		})
	}
}

// TestPage_Only checks the order of the lines of one column beside others at other heights: all of them together look like one
// long row, and no upright line divides them.
func TestPage_Only(t *testing.T) {
	t.Parallel()
	var left, right []drawn
	for i := range 14 {
		indent, gutter := 9*(i*5%4), 20*i
		left = append(left, drawn{100 + indent, 500 + gutter, level(200 + 44*i)})
		right = append(right, drawn{540 + gutter + indent, 1280, level(222 + 44*i)})
	}
	all := slices.Concat(left, right)
	page := findWith(layout.NewFinderOf(ideal(all, 1400)), sheet(1400, 1000, all))
	require.Len(t, page.Lines(), len(all))
	isLeft := func(line document.Box) bool { return line.X < 200 }
	requireLines(t, left, page.Only(isLeft))
	requireLines(t, right, page.Only(func(line document.Box) bool { return !isLeft(line) }))
	require.Empty(t, page.Only(func(document.Box) bool { return false }).Lines())
}

func TestFinder_Find_onlyWriting(t *testing.T) {
	t.Parallel()
	lines := column(8, 200, 1050, 200, 80)
	g := sheet(1600, 1000, lines)
	faint := ocrtest.BlankPage(1600, 1000)
	ocrtest.Scribble(faint, 200, 1050, small, level(900), 9)
	for i, v := range faint.Pix {
		g.Pix[i] = min(g.Pix[i], 235-(235-v)/8) // shines through from the other side
	}
	for y := range 1000 {
		for x := 1200; x < 1600; x++ {
			g.Pix[y*g.Stride+x] = uint8(60 + (x*7+y*13)%40) // a table with a grain
		}
	}
	seen := append(column(1, 200, 1050, 900, 80), column(8, 1250, 1550, 200, 80)...)
	p := findWith(layout.NewFinderOf(ideal(append(seen, lines...), 1600)), g)
	requireLines(t, lines, p)
}

func TestFinder_Find_cutLines(t *testing.T) {
	t.Parallel()
	lines, cut := column(10, 300, 1150, 200, 80), column(8, 4, 70, 230, 80)
	g := sheet(1200, 1400, append(cut, lines...))
	requireLines(t, lines, findWith(layout.NewFinderOf(ideal(append(cut, lines...), 1200)), g))
	few := column(2, 4, 70, 230, 480)
	p := findWith(layout.NewFinderOf(ideal(append(few, lines...), 1200)), sheet(1200, 1400, append(few, lines...)))
	require.Equal(t, 12, len(p.Lines())) //nolint:testifylint // the lines themselves would fill pages
}

func TestFinder_Find_tallLines(t *testing.T) {
	t.Parallel()
	g := ocrtest.BlankPage(1400, 1900)
	for i := range 18 {
		ocrtest.Scribble(g, 100, 1250, 10, level(100+36*i), uint64(i)) // #nosec G115 -- counts lines
	}
	for i := range 6 {
		ocrtest.Scribble(g, 100, 1250, 50, level(950+160*i), uint64(i)) // #nosec G115 -- counts lines
	}
	tall := 0
	for _, l := range find(g).Lines() {
		if l.Box().H > 80 {
			tall++
		}
	}
	require.Equal(t, 6, tall, "a large hand below a small one")
}

// At the scale of the first run, a large hand hides the small one beside it, which most lines are written in.
func TestFinder_Find_smallLinesBesideTallOnes(t *testing.T) {
	t.Parallel()
	g := ocrtest.BlankPage(6400, 2400)
	for i := range 70 {
		ocrtest.Scribble(g, 100, 900, 7, level(120+30*i), uint64(i))   // #nosec G115 -- counts lines
		ocrtest.Scribble(g, 1000, 1800, 7, level(120+30*i), uint64(i)) // #nosec G115 -- counts lines
	}
	for i := range 20 {
		ocrtest.Scribble(g, 2300, 6100, 24, level(200+100*i), uint64(i)) // #nosec G115 -- counts lines
	}
	low, tall := 0, 0
	for _, l := range find(g).Lines() {
		if l.Box().H > 50 {
			tall++
		} else {
			low++
		}
	}
	require.Equal(t, []int{140, 20}, []int{low, tall})
}

// Whatever the maps hold, the time to decode them and the number of lines are bounded.
func TestFinder_Find_noise(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	for name, value := range map[string]func(i int) float32{
		"noise":         func(int) float32 { return random.Float32() },
		"everything":    func(int) float32 { return 1 },
		"every second":  func(i int) float32 { return float32(i % 2) },
		"stripes":       func(i int) float32 { return float32(i / 700 % 2) },
		"not a number":  func(int) float32 { return float32(math.NaN()) },
		"sparse specks": func(i int) float32 { return float32(max(i%97-95, 0)) },
	} {
		f := layout.NewFinderOf(func(_ []float32, w, h int) neural.Maps {
			m := blankMaps(w, h)
			for i := range m.Baseline {
				m.Baseline[i], m.End[i], m.Up[i], m.Down[i] = value(i), value(i+1), 40*value(i+2), 20*value(i+3)
			}
			return m
		})
		start := time.Now()
		findWith(f, sheet(1400, 1900, column(3, 100, 1200, 200, 100)))
		require.Less(t, time.Since(start), 20*time.Second, name)
	}
}
