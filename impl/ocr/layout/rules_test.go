package layout_test

import (
	"image"
	"image/color"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/impl/ocr/layout"
	"uncial/impl/ocr/ocrtest"
)

// threeColumns returns the lines of three columns on a sheet of 1800 by 1600 pixels.
func threeColumns() []drawn {
	return slices.Concat(column(16, 60, 560, 160, 85), column(16, 660, 1160, 180, 85), column(16, 1260, 1740, 200, 85))
}

// darken paints a part of a page in the grey of a dark table.
func darken(g *image.Gray, x0, y0, x1, y1 int) {
	for y := y0; y < y1; y++ {
		for x := x0; x < x1; x++ {
			g.SetGray(x, y, color.Gray{Y: 25})
		}
	}
}

func TestRules(t *testing.T) {
	t.Parallel()
	thick := func(g *image.Gray, x0, y0, x1, y1 int) {
		for d := range 4 {
			ocrtest.Rule(g, x0+d, y0, x1+d, y1)
		}
	}
	for name, c := range map[string]struct {
		lines []drawn
		draw  func(g *image.Gray)
		want  []float64 // the columns of the rules in the middle of the page
	}{
		"divide three columns": {threeColumns(), func(g *image.Gray) {
			thick(g, 608, 0, 608, 1599)
			thick(g, 1208, 0, 1208, 1599)
		}, []float64{610, 1210}},
		"may be skewed": {slices.Concat(column(16, 60, 840, 160, 85), column(16, 960, 1740, 160, 85)), func(g *image.Gray) {
			thick(g, 875, 60, 925, 1540)
		}, []float64{902}},
		"may have gaps": {slices.Concat(column(16, 60, 840, 160, 85), column(16, 960, 1740, 160, 85)), func(g *image.Gray) {
			for y := 0; y < 1600; y += 400 {
				thick(g, 900, y, 900, y+360)
			}
		}, []float64{902}},
		"may almost touch some lines": {slices.Concat(column(16, 60, 840, 160, 85), column(9, 909, 1740, 160, 85), column(7, 960, 1740, 925, 85)), func(g *image.Gray) {
			thick(g, 900, 0, 900, 1599)
		}, []float64{902}},
		"are found on the dark table between two leaves": {slices.Concat(column(16, 60, 760, 160, 85), column(16, 1040, 1740, 160, 85)), func(g *image.Gray) {
			darken(g, 860, 0, 930, 1600)
		}, []float64{895}},
		"are not the edges of the scan": {column(16, 160, 1640, 160, 85), func(g *image.Gray) {
			darken(g, 0, 0, 40, 1600)
			darken(g, 1770, 0, 1800, 1600)
		}, nil},
		"are not the lines of a table": {column(16, 160, 1640, 160, 85), func(g *image.Gray) {
			for _, x := range []int{100, 400, 1500} {
				thick(g, x, 0, x, 1599)
			}
		}, nil},
		"are not a scratch through the writing": {column(16, 60, 1740, 160, 85), func(g *image.Gray) { thick(g, 900, 0, 900, 1599) }, nil},
		"run the height of the writing":         {threeColumns(), func(g *image.Gray) { thick(g, 608, 0, 608, 900) }, nil},
		"are not hatching": {nil, func(g *image.Gray) {
			for x := 0; x < 1800; x += 6 {
				thick(g, x, 0, x, 1599)
			}
		}, nil},
		"are not on a blank page": {nil, func(*image.Gray) {}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := sheet(1800, 1600, c.lines)
			c.draw(g)
			rules := layout.Rules(g)
			require.Len(t, rules, len(c.want), "%v", rules)
			for i, r := range rules {
				require.InDelta(t, c.want[i], (r.Top+r.Bottom)/2, 8)
			}
		})
	}
}

// TestRules_Above checks that a rule begins below a short stroke of the title above it, but not below a gap of its own.
func TestRules_Above(t *testing.T) {
	t.Parallel()
	lines := slices.Concat(column(16, 60, 840, 160, 85), column(16, 960, 1740, 160, 85))
	for why, c := range map[string]struct {
		parts [][2]int // from the top and to the bottom
		want  float64
	}{
		"from its upper end":          {[][2]int{{160, 1600}}, 0.1},
		"below a stroke of the title": {[][2]int{{100, 140}, {200, 1600}}, 0.125},
		"above a gap":                 {[][2]int{{0, 360}, {400, 1600}}, 0},
	} {
		g := sheet(1800, 1600, lines)
		for _, part := range c.parts {
			for d := range 4 {
				ocrtest.Rule(g, 900+d, part[0], 900+d, part[1]-1)
			}
		}
		rules := layout.Rules(g)
		require.Len(t, rules, 1, why)
		require.InDelta(t, c.want, rules[0].Above, 1.0/64, why)
	}
}

func TestFind_rules(t *testing.T) {
	t.Parallel()
	t.Run("no line crosses a rule", func(t *testing.T) {
		t.Parallel()
		lines := slices.Concat(column(16, 60, 575, 160, 85), column(16, 630, 1175, 160, 85), column(16, 1230, 1780, 160, 85))
		g := sheet(1800, 1600, lines)
		for d := range 3 {
			ocrtest.Rule(g, 605+d, 0, 605+d, 1599)
			ocrtest.Rule(g, 1205+d, 0, 1205+d, 1599)
		}
		require.Len(t, layout.Rules(g), 2)
		p := find(g)
		require.Equal(t, len(lines), len(p.Lines())) //nolint:testifylint // the lines themselves would fill pages
		for i, l := range p.Lines() {
			require.InDelta(t, lines[i].x0, l.Box().X, 2*small, i)
			require.InDelta(t, lines[i].x1, l.Box().X+l.Box().W, 2*small, i)
		}
	})
	t.Run("finds lines of different sizes in different columns", func(t *testing.T) {
		t.Parallel()
		g := sheet(1800, 1600, nil)
		for i := range 5 {
			ocrtest.Scribble(g, 80, 820, 3*small, level(280+270*i), uint64(i)) // #nosec G115 -- counts lines
		}
		for i := range 59 {
			ocrtest.Scribble(g, 1200, 1500, small/4, level(200+22*i), uint64(i)) // #nosec G115 -- counts lines
		}
		for d := range 3 {
			ocrtest.Rule(g, 900+d, 0, 900+d, 1599)
		}
		p := find(g)
		require.Equal(t, 5+59, len(p.Lines())) //nolint:testifylint // the lines themselves would fill pages
		strip, ok := p.Lines()[5].Strip()
		require.True(t, ok)
		require.InDelta(t, 200, strip.Baseline()[0].Y, small/2)
		require.InDelta(t, 1200, p.Lines()[5].Box().X, small)
	})
}

func TestRegions_rules(t *testing.T) {
	t.Parallel()
	marks := paragraph(100, 1300, 300, 20)
	regions := layout.Regions(marks, letter, leaf, []layout.Rule{{Top: 520, Bottom: 480}, {Top: 900, Bottom: 900}})
	require.Len(t, regions, 3, "rules divide letters although there is no gutter")
	for _, m := range marks {
		x := (m.Min.X + m.Max.X) / 2
		limit := 520 - 40*(m.Min.Y+letter/2)/leaf.Y
		want := 0
		if x >= limit {
			want++
		}
		if x >= 900 {
			want++
		}
		if x > limit+2 || x < limit-2 {
			require.True(t, regions[want].Holds(m), "%v", m)
		}
	}
	for lines, want := range map[int]int{2: 0, 3: 0, 4: 2} { // three lines or fewer are not divided
		regions := layout.Regions(paragraph(100, 1300, 300, lines), letter, leaf, []layout.Rule{{Top: 700, Bottom: 700}})
		require.Len(t, regions, want, "%d lines", lines)
	}
}

func TestRegions_titleAboveRules(t *testing.T) {
	t.Parallel()
	columns := join(paragraph(100, 660, 300, 20), paragraph(710, 1300, 300, 20))
	broken := pieces(683, 250, 1300)
	for why, c := range map[string]struct {
		above []image.Rectangle
		begin float64
		want  int // where the title ends, 0 without one
	}{
		"a title across the rule":                        {join(large(300, 1100, 100), paragraph(750, 1000, 200, 1)), 0.11, 220},
		"a blank of the title where the rule would be":   {join(large(300, 670, 100), large(715, 1100, 100)), 0.11, 160},
		"a title in the middle of a column":              {paragraph(200, 500, 100, 1), 0.11, 120},
		"a line across the rule with a wide blank":       {join(paragraph(100, 300, 150, 1), paragraph(500, 900, 150, 1), paragraph(1100, 1300, 150, 1)), 0.11, 170},
		"a divided line above a rule across the page":    {join(paragraph(100, 300, 150, 1), paragraph(1100, 1300, 150, 1), []image.Rectangle{image.Rect(90, 230, 1310, 234)}), 0.11, 170},
		"nothing above the columns":                      {nil, 0.11, 0},
		"first lines higher than the rule":               {join(paragraph(100, 660, 250, 1), paragraph(710, 1300, 250, 1)), 0.11, 0},
		"first lines at different heights":               {join(paragraph(100, 660, 258, 1), paragraph(710, 1300, 246, 1)), 0.11, 0},
		"lines beside pieces of a rule that has its gap": {broken, 0.3, 0},
	} {
		regions := layout.Regions(join(c.above, columns), letter, leaf, []layout.Rule{{Top: 685, Bottom: 685, Above: c.begin}})
		if c.want == 0 {
			require.Len(t, regions, 2, "%s: %v", why, boxes(regions))
			continue
		}
		require.Len(t, regions, 3, "%s: %v", why, boxes(regions))
		require.Equal(t, leaf.X, regions[0].Box.Dx(), why)
		require.InDelta(t, c.want, regions[0].Box.Max.Y, letter, why)
		require.True(t, regions[1].Holds(columns[0]), why)
	}
}
