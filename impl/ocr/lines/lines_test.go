package lines_test

import (
	"fmt"
	"image"
	"math"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"uncial/impl/ocr/decode"
	"uncial/impl/ocr/imaging"
	"uncial/impl/ocr/lines"
	"uncial/impl/ocr/ocrtest"
	"uncial/internal/accuracy"
	"uncial/internal/document"
)

// drawn is a line as it was drawn.
type drawn struct {
	x0, x1 int
	base   func(x float64) float64
}

// level is a base at one height.
func level(y int) func(float64) float64 { return func(float64) float64 { return float64(y) } }

// tilted is a base that falls to the right by an angle in degrees.
func tilted(y, degrees float64) func(float64) float64 {
	return func(x float64) float64 { return y + x*math.Tan(degrees*math.Pi/180) }
}

const small = 22 // height of the drawn small letters

func draw(g *image.Gray, all []drawn) {
	for i, d := range all {
		ocrtest.Scribble(g, d.x0, d.x1, small, d.base, uint64(i)) // #nosec G115 -- counts lines
	}
}

// column is n lines one below the other.
func column(n, x0, x1, y, pitch int) []drawn {
	all := make([]drawn, n)
	for i := range all {
		all[i] = drawn{x0, x1, level(y + i*pitch)}
	}
	return all
}

// baselines of the lines found, in reading order.
func baselines(tb testing.TB, p *lines.Page) [][]document.Point {
	tb.Helper()
	var out [][]document.Point
	for _, l := range p.Lines() {
		s, ok := l.Strip(lines.Stretch)
		require.True(tb, ok)
		out = append(out, s.Baseline())
	}
	return out
}

// requireLines checks that just the drawn lines were found, in their order, and where they are.
func requireLines(t *testing.T, want []drawn, p *lines.Page) {
	t.Helper()
	got := baselines(t, p)
	require.Len(t, got, len(want))
	for i, d := range want {
		assert.InDelta(t, d.x0, got[i][0].X, 3.5*small, "line %d begins", i)
		assert.InDelta(t, d.x1, got[i][len(got[i])-1].X, 3.5*small, "line %d ends", i)
		for _, at := range got[i] {
			if at.X >= d.x0 && at.X <= d.x1 {
				assert.InDelta(t, d.base(float64(at.X)), at.Y, 0.45*small, "line %d at %d", i, at.X)
			}
		}
	}
}

func TestFind(t *testing.T) {
	t.Parallel()
	t.Run("a page of level lines", func(t *testing.T) {
		t.Parallel()
		g := ocrtest.Sheet(1200, 1600)
		want := column(18, 150, 1050, 180, 75)
		draw(g, want)
		p := lines.Find(g)
		requireLines(t, want, p)
		require.Len(t, p.Blocks, 1)
		require.InDelta(t, 75, p.Pitch, 3)
		require.Zero(t, p.Skew)
	})
	t.Run("a large page is brought to its size", func(t *testing.T) {
		t.Parallel()
		g := ocrtest.Sheet(2400, 3200)
		want := column(9, 300, 2100, 360, 300)
		for i, d := range want {
			ocrtest.Scribble(g, d.x0, d.x1, 4*small, d.base, uint64(i)) // #nosec G115 -- counts lines
		}
		p := lines.Find(g)
		got := baselines(t, p)
		require.Len(t, got, 9)
		for i, d := range want {
			require.InDelta(t, d.base(0), got[i][1].Y, 2*small, i)
		}
	})
	for _, degrees := range []float64{-10, -6, -1.5, 3, 8, 10} {
		t.Run(fmt.Sprintf("a page that lies %v degrees askew", degrees), func(t *testing.T) {
			t.Parallel()
			g := ocrtest.Sheet(1300, 1700)
			var want []drawn
			for i := range 12 {
				want = append(want, drawn{200, 1050, tilted(float64(350+80*i)-600*math.Tan(degrees*math.Pi/180), degrees)})
			}
			draw(g, want)
			p := lines.Find(g)
			requireLines(t, want, p)
			if math.Abs(degrees) > 2 {
				require.InDelta(t, degrees, p.Skew, 0.8)
			}
		})
	}
	t.Run("lines that wave", func(t *testing.T) {
		t.Parallel()
		g := ocrtest.Sheet(1200, 1600)
		var want []drawn
		for i := range 14 {
			want = append(want, drawn{150, 1050, func(x float64) float64 { return float64(200+85*i) + 15*math.Sin(x/180) }})
		}
		draw(g, want)
		requireLines(t, want, lines.Find(g))
	})
	t.Run("ruled paper with a margin", func(t *testing.T) {
		t.Parallel()
		g := ocrtest.Sheet(1200, 1600)
		want := column(16, 180, 1050, 200, 80)
		draw(g, want)
		for _, d := range want {
			ocrtest.Rule(g, 40, int(d.base(0))+3, 1160, int(d.base(0))+3)
		}
		ocrtest.Rule(g, 130, 20, 130, 1580)
		requireLines(t, want, lines.Find(g))
	})
	t.Run("shaded paper on a dark table", func(t *testing.T) {
		t.Parallel()
		g := ocrtest.Sheet(1400, 1700)
		want := column(14, 250, 1100, 250, 85)
		draw(g, want)
		for i := range g.Pix {
			x, y := i%g.Stride, i/g.Stride
			shade := 0.75 + 0.25*float64(x)/1400
			if x < 100 || x > 1300 || y < 80 || y > 1620 {
				shade = 0.1
			}
			g.Pix[i] = uint8(float64(g.Pix[i]) * shade)
		}
		requireLines(t, want, lines.Find(g))
	})
}

func TestFind_blocks(t *testing.T) {
	t.Parallel()
	t.Run("two columns, the left one first", func(t *testing.T) {
		t.Parallel()
		g := ocrtest.Sheet(1400, 1600)
		want := slices.Concat(column(16, 100, 620, 200, 80), column(16, 740, 1280, 200, 80))
		draw(g, want)
		p := lines.Find(g)
		requireLines(t, want, p)
		require.Len(t, p.Blocks, 2)
	})
	t.Run("columns below a heading that goes across", func(t *testing.T) {
		t.Parallel()
		g := ocrtest.Sheet(1400, 1600)
		want := slices.Concat(column(1, 300, 1100, 120, 80), column(15, 100, 620, 280, 80), column(15, 740, 1280, 280, 80))
		draw(g, want)
		p := lines.Find(g)
		requireLines(t, want, p)
		require.Len(t, p.Blocks, 3)
	})
	t.Run("facing pages, whose lines stand at different heights", func(t *testing.T) {
		t.Parallel()
		g := ocrtest.Sheet(2200, 1500)
		want := slices.Concat(column(14, 120, 980, 200, 85), column(14, 1200, 2080, 235, 85))
		draw(g, want)
		p := lines.Find(g)
		requireLines(t, want, p)
		require.Len(t, p.Blocks, 2)
	})
	t.Run("a table is read row by row", func(t *testing.T) {
		t.Parallel()
		g := ocrtest.Sheet(1400, 1600)
		var want []drawn
		for i := range 14 {
			y := 220 + 90*i
			want = append(want, drawn{70, 180, level(y)}, drawn{250, 900, level(y)}, drawn{980, 1110, level(y)}, drawn{1180, 1310, level(y)})
		}
		draw(g, want)
		for _, x := range []int{30, 215, 940, 1145, 1370} {
			ocrtest.Rule(g, x, 100, x, 1500)
		}
		ocrtest.Rule(g, 30, 100, 1370, 100)
		p := lines.Find(g)
		requireLines(t, want, p)
		require.Len(t, p.Blocks, 1)
	})
	t.Run("a note in the margin is a block of its own", func(t *testing.T) {
		t.Parallel()
		g := ocrtest.Sheet(1400, 1700)
		text, note := column(17, 480, 1300, 200, 80), column(5, 80, 370, 475, 60)
		draw(g, slices.Concat(text, note))
		p := lines.Find(g)
		require.Len(t, p.Blocks, 2)
		require.Equal(t, []int{17, 5}, []int{len(p.Blocks[0]), len(p.Blocks[1])})
	})
}

func TestFind_nothing(t *testing.T) {
	t.Parallel()
	for name, g := range map[string]*image.Gray{
		"blank paper":     ocrtest.Sheet(800, 1000),
		"black":           image.NewGray(image.Rect(0, 0, 700, 900)),
		"one pixel":       image.NewGray(image.Rect(0, 0, 1, 1)),
		"a thread":        ocrtest.Sheet(20, 5000),
		"an empty ledger": MustLedger(),
	} {
		require.Empty(t, lines.Find(g).Lines(), name)
	}
}

// TestFind_wide: a wide page that seems askew is not levelled onto a plane many times as large as itself.
func TestFind_wide(t *testing.T) { //nolint:paralleltest // measures what the process allocates
	g := ocrtest.Sheet(30_000, 100)
	for x := range g.Rect.Dx() {
		y := 4 + int(float64(x)*math.Tan(10*math.Pi/180))%88
		for d := range 4 {
			g.Pix[(y+d)*g.Stride+x] = 10
		}
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	lines.Find(g)
	runtime.ReadMemStats(&after)
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(500<<20))
}

// MustLedger is a ruled page without writing.
func MustLedger() *image.Gray {
	g := ocrtest.Sheet(1000, 1400)
	for y := 100; y < 1350; y += 60 {
		ocrtest.Rule(g, 50, y, 950, y)
	}
	ocrtest.Rule(g, 200, 50, 200, 1380)
	return g
}

func TestStrip(t *testing.T) {
	t.Parallel()
	g := ocrtest.Sheet(1200, 1600)
	want := column(18, 150, 1050, 180, 75)
	draw(g, want)
	found := lines.Find(g).Lines()
	require.Len(t, found, 18)
	for i, l := range found {
		s, ok := l.Strip(lines.Stretch)
		require.True(t, ok)
		require.Equal(t, lines.Height, s.Image.Rect.Dy())
		whole := s.Box(s.Image.Rect)
		require.InDelta(t, want[i].x0, whole.X, 60)
		require.InDelta(t, want[i].x1, whole.X+whole.W, 60)
		require.Less(t, whole.Y, int(want[i].base(0))-small)
		require.Greater(t, whole.Y+whole.H, int(want[i].base(0)))
		left, right := s.Box(image.Rect(0, 10, s.Image.Rect.Dx()/2, 40)), s.Box(image.Rect(s.Image.Rect.Dx()/2, 10, s.Image.Rect.Dx(), 40))
		require.InDelta(t, left.X+left.W, right.X, 1)
		require.InDelta(t, whole.X+whole.W, right.X+right.W, 1)
		natural, ok := l.Strip(1)
		require.True(t, ok)
		require.InDelta(t, lines.Stretch, float64(s.Image.Rect.Dx())/float64(natural.Image.Rect.Dx()), 0.02)
	}
}

// shared is the folder of real pages, which is not part of the project.
const shared = "../../../../shared/pages"

// TestFind_realTables counts the lines found against those of the ground truth.
func TestFind_realTables(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat(shared); err != nil {
		t.Skipf("the real pages are not there: %v", err)
	}
	folder, err := accuracy.OpenFolder(shared)
	require.NoError(t, err)
	defer func() { _ = folder.Close() }()
	for _, p := range folder.Pages {
		if p.Kind != "handwritten" || p.Language != "fr" {
			continue
		}
		data, truth, err := folder.Load(p)
		require.NoError(t, err)
		want := len(strings.Split(strings.TrimSpace(truth), "\n"))
		for page, err := range decode.Pages(data, nil) {
			require.NoError(t, err)
			got := len(lines.Find(imaging.FromImage(page.Image)).Lines())
			assert.GreaterOrEqual(t, float64(got), 0.85*float64(want), p.ID)
			assert.LessOrEqual(t, float64(got), 1.6*float64(want), p.ID)
		}
	}
}

func BenchmarkFind(b *testing.B) {
	g := ocrtest.Sheet(3000, 4000)
	for i := range 40 {
		ocrtest.Scribble(g, 300, 2700, 36, level(250+90*i), uint64(i)) // #nosec G115 -- counts lines
	}
	for b.Loop() {
		if n := len(lines.Find(g).Lines()); n < 38 {
			b.Fatalf("%d lines", n)
		}
	}
}
