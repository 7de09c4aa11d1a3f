package layout_test

import (
	"context"
	"fmt"
	"image"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"uncial/impl/ocr/decode"
	"uncial/impl/ocr/imaging"
	"uncial/impl/ocr/layout"
	"uncial/impl/ocr/models/own"
	"uncial/impl/ocr/neural"
	"uncial/impl/ocr/ocrtest"
	"uncial/internal/document"
)

// drawn is a line that a test draws.
type drawn struct {
	x0, x1 int
	base   func(x float64) float64
}

// level returns a level baseline.
func level(y int) func(float64) float64 { return func(float64) float64 { return float64(y) } }

// tilted returns a baseline that slopes down to the right by an angle in degrees.
func tilted(y, degrees float64) func(float64) float64 {
	return func(x float64) float64 { return y + x*math.Tan(degrees*math.Pi/180) }
}

const small = 22 // height of the drawn small letters

// sheet draws lines on blank paper.
func sheet(w, h int, all []drawn) *image.Gray {
	g := ocrtest.BlankPage(w, h)
	for i, d := range all {
		ocrtest.Scribble(g, d.x0, d.x1, small, d.base, uint64(i)) // #nosec G115 -- counts lines
	}
	return g
}

// column returns n lines one below the other.
func column(n, x0, x1, y, pitch int) []drawn {
	all := make([]drawn, n)
	for i := range all {
		all[i] = drawn{x0, x1, level(y + i*pitch)}
	}
	return all
}

// skewed returns 12 lines that slope down to the right by an angle in degrees.
func skewed(degrees float64) []drawn {
	var all []drawn
	for i := range 12 {
		all = append(all, drawn{200, 1050, tilted(float64(350+80*i)-600*math.Tan(degrees*math.Pi/180), degrees)})
	}
	return all
}

// find finds the lines of a page with the shipped model.
func find(g *image.Gray) *layout.Page {
	model, err := neural.LoadFinder(own.LinesFile())
	if err != nil {
		panic(err)
	}
	return findWith(layout.NewFinder(model), g)
}

func findWith(f *layout.Finder, g *image.Gray) *layout.Page {
	p, err := f.Find(context.Background(), g)
	if err != nil {
		panic(err)
	}
	return p
}

// requireLines checks that exactly the drawn lines were found, in the same order and at the same positions.
func requireLines(t *testing.T, want []drawn, p *layout.Page) {
	t.Helper()
	require.Equal(t, len(want), len(p.Lines())) //nolint:testifylint // the lines themselves would fill pages
	for i, l := range p.Lines() {
		s, ok := l.Strip()
		require.True(t, ok)
		got, d := s.Baseline(), want[i]
		assert.InDelta(t, d.x0, got[0].X, 3.5*small, "line %d begins", i)
		assert.InDelta(t, d.x1, got[len(got)-1].X, 3.5*small, "line %d ends", i)
		for _, at := range got {
			if at.X >= d.x0 && at.X <= d.x1 {
				assert.InDelta(t, d.base(float64(at.X)), at.Y, 0.45*small, "line %d at %d", i, at.X)
			}
		}
	}
}

// findCase is a page of drawn lines, given in reading order.
type findCase struct {
	name   string
	w, h   int
	lines  []drawn
	blocks int
	also   func(g *image.Gray) // draws more, and shades the page
	ideal  bool                // so unlike writing, or so skewed, that only ideal maps reliably show all lines
}

func findCases() []findCase {
	var wavy, table, dates []drawn
	for i := range 14 {
		wavy = append(wavy, drawn{150, 1050, func(x float64) float64 { return float64(200+85*i) + 15*math.Sin(x/180) }})
		for _, cell := range [][2]int{{70, 180}, {250, 900}, {980, 1110}, {1180, 1310}} {
			table = append(table, drawn{cell[0], cell[1], level(220 + 90*i)})
		}
	}
	for i := range 15 {
		dates = append(dates, drawn{100, 900 - 40*(i%3), level(200 + 90*i)}, drawn{1060, 1510, level(204 + 90*i)})
	}
	cases := []findCase{
		{"finds level lines", 1200, 1600, column(18, 150, 1050, 180, 75), 1, nil, false},
		{"follows wavy lines", 1200, 1600, wavy, 1, nil, false},
		{"ignores the rules of ruled paper", 1200, 1600, column(16, 180, 1050, 200, 80), 1, func(g *image.Gray) {
			for i := range 16 {
				ocrtest.Rule(g, 40, 203+80*i, 1160, 203+80*i)
			}
			ocrtest.Rule(g, 130, 20, 130, 1580)
		}, false},
		{"ignores shading and a dark table", 1400, 1700, column(14, 250, 1100, 250, 85), 1, func(g *image.Gray) {
			for i := range g.Pix {
				x, y := i%g.Stride, i/g.Stride
				shade := 0.75 + 0.25*float64(x)/1400
				if x < 100 || x > 1300 || y < 80 || y > 1620 {
					shade = 0.1
				}
				g.Pix[i] = uint8(float64(g.Pix[i]) * shade)
			}
		}, false},
		{"reads the left of two columns first", 1400, 1600, slices.Concat(column(16, 100, 620, 200, 80), column(16, 740, 1280, 200, 80)), 2, nil, false},
		{
			"reads a heading before the columns below it", 1400, 1600,
			slices.Concat(column(1, 300, 1100, 120, 80), column(15, 100, 620, 280, 80), column(15, 740, 1280, 280, 80)), 3, nil, false,
		},
		{
			"separates facing pages whose lines stand at different heights", 2200, 1500,
			slices.Concat(column(14, 120, 980, 200, 85), column(14, 1200, 2080, 235, 85)), 2, nil, false,
		},
		{"reads names and their dates row by row", 1600, 1600, dates, 1, nil, false},
		{"reads a table row by row", 1400, 1600, table, 1, func(g *image.Gray) {
			for _, x := range []int{30, 215, 940, 1145, 1370} {
				ocrtest.Rule(g, x, 100, x, 1500)
			}
			ocrtest.Rule(g, 30, 100, 1370, 100)
		}, true},
	}
	for _, degrees := range []float64{-10, -6, -1.5, 3, 8, 10} {
		cases = append(cases, findCase{fmt.Sprintf("finds lines with a skew of %v degrees", degrees), 1300, 1700, skewed(degrees), 1, nil, max(degrees, -degrees) > 6})
	}
	return cases
}

func TestFind(t *testing.T) {
	t.Parallel()
	for _, c := range findCases() {
		if c.ideal {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			g := sheet(c.w, c.h, c.lines)
			if c.also != nil {
				c.also(g)
			}
			p := find(g)
			requireLines(t, c.lines, p)
			require.Equal(t, c.blocks, len(p.Blocks)) //nolint:testifylint // the lines themselves would fill pages
		})
	}
}

func TestPage(t *testing.T) {
	t.Parallel()
	t.Run("returns coordinates of the original page if the page was shrunk", func(t *testing.T) {
		t.Parallel()
		g := ocrtest.BlankPage(2400, 3200)
		for i := range 9 {
			ocrtest.Scribble(g, 300, 2100, 4*small, level(360+300*i), uint64(i)) // #nosec G115 -- counts lines
		}
		all := find(g).Lines()
		require.Len(t, all, 9)
		for i, l := range all {
			s, ok := l.Strip()
			require.True(t, ok)
			require.InDelta(t, 360+300*i, s.Baseline()[1].Y, 2*small, i)
		}
	})
	t.Run("returns a note in the margin as a separate block", func(t *testing.T) {
		t.Parallel()
		p := find(sheet(1400, 1700, slices.Concat(column(17, 480, 1300, 200, 80), column(5, 80, 370, 475, 60))))
		require.Len(t, p.Blocks, 2)
		require.Equal(t, []int{17, 5}, []int{len(p.Blocks[0]), len(p.Blocks[1])})
	})
	t.Run("has no lines if nothing is written", func(t *testing.T) {
		t.Parallel()
		ledger := ocrtest.BlankPage(1000, 1400)
		for y := 100; y < 1350; y += 60 {
			ocrtest.Rule(ledger, 50, y, 950, y)
		}
		ocrtest.Rule(ledger, 200, 50, 200, 1380)
		for name, g := range map[string]*image.Gray{
			"blank paper":     ocrtest.BlankPage(800, 1000),
			"black":           image.NewGray(image.Rect(0, 0, 700, 900)),
			"one pixel":       image.NewGray(image.Rect(0, 0, 1, 1)),
			"a thread":        ocrtest.BlankPage(20, 5000),
			"an empty ledger": ledger,
		} {
			require.Empty(t, find(g).Lines(), name)
		}
	})
}

// A long strip of paper that seems skewed must not be levelled onto a plane many times its size.
func TestFind_memory(t *testing.T) { //nolint:paralleltest // counts what the process allocates
	g := ocrtest.BlankPage(30_000, 100)
	for x := range g.Rect.Dx() {
		y := 4 + int(float64(x)*math.Tan(10*math.Pi/180))%88
		for d := range 4 {
			g.Pix[(y+d)*g.Stride+x] = 10
		}
	}
	require.Less(t, ocrtest.Allocated(func() { find(g) }), uint64(500<<20))
}

func TestLine_Strip(t *testing.T) {
	t.Parallel()
	want := column(18, 150, 1050, 180, 75)
	found := find(sheet(1200, 1600, want)).Lines()
	require.Len(t, found, 18)
	for i, l := range found {
		s, ok := l.Strip()
		require.True(t, ok)
		w := s.Image.Rect.Dx()
		require.Equal(t, layout.Height, s.Image.Rect.Dy())
		whole := s.Box(s.Image.Rect)
		require.InDelta(t, want[i].x0, whole.X, 3.5*small)
		require.InDelta(t, want[i].x1, whole.X+whole.W, 3.5*small)
		require.Less(t, whole.Y, int(want[i].base(0))-small)
		require.Greater(t, whole.Y+whole.H, int(want[i].base(0)))
		left, right := s.Box(image.Rect(0, 10, w/2, 40)), s.Box(image.Rect(w/2, 10, w, 40))
		require.InDelta(t, left.X+left.W, right.X, 1)
		require.InDelta(t, whole.X+whole.W, right.X+right.W, 1)
		require.InEpsilon(t, float64(whole.W)/float64(whole.H), float64(w)/layout.Height, 0.1, "pixels stay square")
	}
}

// tiltedRows returns twelve rows of writing that slope down to the right by an angle in degrees, and the lines found there.
func tiltedRows(t *testing.T, degrees float64) ([]drawn, []layout.Line) {
	t.Helper()
	rows := make([]drawn, 12)
	for i := range rows {
		rows[i] = drawn{200, 1050, tilted(float64(350+80*i), degrees)}
	}
	lines := find(sheet(1300, 1700, rows)).Lines()
	require.Len(t, lines, len(rows))
	return rows, lines
}

func TestLine_Without(t *testing.T) {
	t.Parallel()
	for _, degrees := range []float64{0, 5} {
		want, all := tiltedRows(t, degrees)
		word := func(line, x, w int) document.Box {
			top, bottom := int(want[line].base(float64(x)))-2*small, int(want[line].base(float64(x+w)))+8
			return document.Box{X: x, Y: top, W: w, H: bottom - top}
		}
		ends := func(parts ...layout.Line) (xs []int) {
			for _, p := range parts {
				xs = append(xs, p.Box().X, p.Box().X+p.Box().W)
			}
			return xs
		}
		line := all[4]
		whole := ends(line)
		for _, c := range []struct {
			name  string
			words []document.Box
			want  []int // where each part begins and ends
		}{
			{"no words", nil, whole},
			{"words of other lines", []document.Box{word(3, 300, 400), word(5, 300, 400)}, whole},
			{"a word in the middle", []document.Box{word(4, 500, 200)}, []int{whole[0], 500, 700, whole[1]}},
			{"words at the beginning", []document.Box{word(4, 150, 200), word(4, 300, 300)}, []int{600, whole[1]}},
			{"a gap shorter than a word", []document.Box{word(4, 700, 170), word(4, 900, 200)}, []int{whole[0], 700}},
			{"a word as long as the line", []document.Box{word(4, 100, 1100)}, nil},
		} {
			got := ends(line.Without(c.words)...)
			require.Len(t, got, len(c.want), c.name)
			for i := range c.want {
				require.InDelta(t, c.want[i], got[i], 30, c.name)
			}
		}
	}
}

func TestLine_Share(t *testing.T) {
	t.Parallel()
	for _, degrees := range []float64{0, 4} {
		rows, lines := tiltedRows(t, degrees)
		words := func(line, from, to int) (words []document.Word) {
			for x := from; x < to; x += 50 {
				foot := int(rows[line].base(float64(x + 25)))
				words = append(words, document.Word{Box: document.Box{X: x, Y: foot - 2*small, W: 50, H: 2*small + 8}})
			}
			return words
		}
		for name, c := range map[string]struct {
			words []document.Word
			want  float64
		}{
			"all its words":              {words(4, 250, 1000), 1},
			"words of which half are on": {words(4, 0, 400), 0.5},
			"words beside it":            {words(4, 0, 150), 0},
			"words of the next line":     {words(5, 250, 1000), 0},
			"words of two lines":         {slices.Concat(words(4, 250, 1000), words(5, 250, 1000)), 0.5},
			"no words":                   {nil, 0},
		} {
			require.InDelta(t, c.want, lines[4].Share(c.words), 0.1, "%s, %v degrees", name, degrees)
		}
	}
}

// Whatever a line's length, its box extends as far as the parts that Without returns.
func TestLine_Box(t *testing.T) {
	t.Parallel()
	line := find(sheet(1300, 1700, column(12, 200, 1050, 300, 80))).Lines()[4]
	whole := line.Box()
	for x := range 100 {
		rest := line.Without([]document.Box{{X: 100, Y: whole.Y, W: 300 + x, H: whole.H}})
		require.Len(t, rest, 1)
		require.InDelta(t, whole.X+whole.W, rest[0].Box().X+rest[0].Box().W, 2)
	}
}

func TestSpots(t *testing.T) {
	t.Parallel()
	g := ocrtest.BlankPage(3000, 4000)
	blot := func(r image.Rectangle, grey uint8) {
		for y := r.Min.Y; y < r.Max.Y; y++ {
			for x := r.Min.X; x < r.Max.X; x++ {
				g.Pix[y*g.Stride+x] = grey
			}
		}
	}
	want := []image.Rectangle{image.Rect(300, 400, 360, 460), image.Rect(900, 400, 1100, 450), image.Rect(2000, 3000, 2050, 3100)}
	for i, r := range want {
		blot(r, []uint8{20, 20, 150}[i]) // the last is faint ink, which one threshold for the page would lose
	}
	blot(image.Rect(1500, 800, 1506, 806), 20)   // a speck
	ocrtest.Rule(g, 200, 2000, 2800, 2000)       // a rule across
	ocrtest.Rule(g, 2500, 300, 2500, 3800)       // and one down
	blot(image.Rect(1800, 1200, 2300, 1225), 20) // a dash, longer than a letter can be
	found := layout.Spots(g)
	require.Len(t, found, len(want))
	for _, w := range want {
		require.True(t, slices.ContainsFunc(found, func(f image.Rectangle) bool {
			return f.Intersect(w).Dx()*f.Intersect(w).Dy()*10 >= 8*w.Dx()*w.Dy() && f.Dx() < w.Dx()+20 && f.Dy() < w.Dy()+20
		}), "%v among %v", w, found)
	}
	require.Empty(t, layout.Spots(ocrtest.BlankPage(900, 900)))
	require.Empty(t, layout.Spots(image.NewGray(image.Rect(0, 0, 3, 3))))
}

// TestFind_realPages compares the number of lines found on real pages with that of the ground truth.
func TestFind_realPages(t *testing.T) {
	t.Parallel()
	folder, compared := ocrtest.MustPages(t), 0
	for _, p := range folder.Pages {
		if p.Kind != "handwritten" || p.Language != "fr" {
			continue
		}
		data, truth, err := folder.Load(p)
		require.NoError(t, err)
		want := len(strings.Split(strings.TrimSpace(truth), "\n"))
		for page, err := range decode.Pages(data, nil) {
			require.NoError(t, err)
			got := len(find(imaging.FromImage(page.Image)).Lines())
			assert.GreaterOrEqual(t, float64(got), 0.85*float64(want), p.ID)
			assert.LessOrEqual(t, float64(got), 1.6*float64(want), p.ID)
			compared++
		}
	}
	require.Positive(t, compared, "the folder has no French handwriting")
}

func BenchmarkFind(b *testing.B) {
	g := ocrtest.BlankPage(3000, 4000)
	for i := range 40 {
		ocrtest.Scribble(g, 300, 2700, 36, level(250+90*i), uint64(i)) // #nosec G115 -- counts lines
	}
	for b.Loop() {
		if n := len(find(g).Lines()); n < 38 {
			b.Fatalf("%d lines", n)
		}
	}
}
