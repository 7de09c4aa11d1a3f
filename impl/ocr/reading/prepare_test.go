package reading_test

import (
	"context"
	"image"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/impl/ocr/decode"
	"uncial/impl/ocr/imaging"
	"uncial/impl/ocr/layout"
	"uncial/impl/ocr/ocrtest"
	"uncial/impl/ocr/reading"
	"uncial/impl/ocr/tesseract"
	"uncial/internal/document"
)

// sized is a Source that records the size of each image that it reads.
type sized struct {
	scripted
	sizes []image.Point
}

func (s *sized) Read(ctx context.Context, img *image.Gray, dpi int, model string, mode tesseract.Mode) ([]document.Block, error) {
	s.sizes = append(s.sizes, img.Rect.Size())
	return s.scripted.Read(ctx, img, dpi, model, mode)
}

// MustShrink scales a page to a share of its size.
func MustShrink(tb testing.TB, g *image.Gray, share float64) *image.Gray {
	tb.Helper()
	return imaging.Resize(g, int(float64(g.Rect.Dx())*share), int(float64(g.Rect.Dy())*share))
}

func TestRead_enlarge(t *testing.T) {
	t.Parallel()
	page := ocrtest.Page(strings.Split(strings.Repeat("Il était une fois un roi et une reine\n", 6), "\n")...)
	for _, c := range []struct {
		why                  string
		img                  *image.Gray
		minFactor, maxFactor float64 // of the image that is read
	}{
		{"does not enlarge large letters", page, 1, 1},
		{"does not enlarge letters of half the size", MustShrink(t, page, 0.5), 1, 1},
		{"enlarges small letters", MustShrink(t, page, 0.3), 1.5, 2.2},
		{"enlarges the smallest letters up to the limit", MustShrink(t, page, 0.18), 2.4, 3},
		{"does not enlarge if there are too few letters to tell", MustShrink(t, ocrtest.Page("few"), 0.3), 1, 1},
	} {
		src := &sized{scripted: scripted{says: map[string]said{"eng": {"clean modern print", 0.97}}}}
		result, err := reading.Read(t.Context(), decode.Page{Image: c.img}, reading.Options{Language: "en"}, src)
		require.NoError(t, err, c.why)
		factor := float64(src.sizes[0].X) / float64(c.img.Rect.Dx())
		require.True(t, factor >= c.minFactor-0.01 && factor <= c.maxFactor, "%s: %v", c.why, factor)
		box := result.Page.Blocks[0].Lines[0].Box
		require.InDelta(t, 40/factor, box.Y, 1, "%s: boxes are in pixels of the page", c.why)
	}
}

func TestRead_enlargeLimits(t *testing.T) {
	t.Parallel()
	page := imaging.Resize(ocrtest.Page(strings.Split(strings.Repeat("Il était une fois un roi et une reine\n", 6), "\n")...), 500, 150)
	wide := image.NewGray(image.Rect(0, 0, 20_000, 800))
	for i := range wide.Pix {
		wide.Pix[i] = 255
	}
	for y := range 150 {
		copy(wide.Pix[y*wide.Stride:], page.Pix[y*page.Stride:y*page.Stride+500])
	}
	src := &sized{scripted: scripted{says: map[string]said{"eng": {"clean modern print", 0.97}}}}
	_, err := reading.Read(t.Context(), decode.Page{Image: wide}, reading.Options{Language: "en"}, src)
	require.NoError(t, err)
	require.Equal(t, wide.Rect.Size(), src.sizes[0])
}

func TestRead_smallLetters(t *testing.T) {
	t.Parallel()
	want := "Il était une fois un roi et une reine\nqui avaient une fille dans un château\nsur la montagne au bord de la forêt"
	small := MustShrink(t, ocrtest.Page(strings.Split(want, "\n")...), 0.22)
	result, err := reading.Read(t.Context(), decode.Page{Image: small}, reading.Options{Language: "fr"}, MustEngines(t, 1))
	require.NoError(t, err)
	require.Equal(t, want, result.Page.Text())
	require.Greater(t, result.Page.Confidence, 0.85)
}

func TestRuleOnSheet(t *testing.T) {
	t.Parallel()
	size := image.Pt(1001, 2001)
	level := layout.Rule{Top: 300, Bottom: 320, Above: 0.2}
	require.InDelta(t, 300, reading.RuleOnSheet(level, size, 0).Top, 1e-6)
	wide := reading.RuleOnSheet(layout.Rule{Top: 100, Bottom: 110}, image.Pt(32_000, 1_000), 5)
	require.InDelta(t, 105, wide.Top, 16_000, "it moves by as much as a rotation moves the edge of the page")
	require.InDelta(t, 10-1_000*math.Tan(5*math.Pi/180), wide.Bottom-wide.Top, 2, "it turns by the angle, although its ends leave the page")
	for _, angle := range []float64{-4, 1.5, 5} {
		moved := reading.RuleOnSheet(level, size, angle)
		require.InDelta(t, 0.2, moved.Above, 1e-9)
		for _, y := range []float64{600, 1000, 1400} {
			x := 300 + 20*y/2001
			at := reading.BoxOnSheet(document.Box{X: int(x), Y: int(y), W: 1, H: 1}, size, angle)
			require.InDelta(t, at.X, moved.Top+(moved.Bottom-moved.Top)*float64(at.Y)/2001, 1.5, "%v degrees, height %v", angle, y)
		}
	}
}

// TestRead_scratch checks that a page with a vertical scratch through its lines is not read as two columns.
func TestRead_scratch(t *testing.T) {
	t.Parallel()
	lines := slices.Repeat([]string{"They crossed the river at night", "and quickly went up to the town", "where the market was already full", "of people from all the villages"}, 6)
	page := ocrtest.Page(lines...)
	ocrtest.Rule(page, 310, 0, 310, page.Rect.Dy())
	engines := MustEngines(t, 1)
	read, err := reading.Read(t.Context(), decode.Page{Image: page, DPI: 300}, reading.Options{Language: "en"}, engines)
	require.NoError(t, err)
	wrong := 0
	for i, line := range strings.Split(read.Page.Text(), "\n") {
		if i >= len(lines) || line != lines[i] {
			wrong++
		}
	}
	require.LessOrEqual(t, wrong, 4, "%s", read.Page.Text())
}

// TestRead_strikes checks that a line through which a rule runs is read, like a line typed over the rule of an index card.
func TestRead_strikes(t *testing.T) {
	t.Parallel()
	lines := []string{"They crossed the river at night", "and quickly went up to the town", "where the market was already full", "of people from all the villages"}
	page := ocrtest.Page(lines...)
	y := ocrtest.Baseline + ocrtest.Pitch - 12
	ocrtest.Rule(page, 0, y+2, ocrtest.Width, y-2)
	engines := MustEngines(t, 1)
	read, err := reading.Read(t.Context(), decode.Page{Image: page, DPI: 300}, reading.Options{Language: "en"}, engines)
	require.NoError(t, err)
	require.Equal(t, strings.Join(lines, "\n"), read.Page.Text())
	read, err = reading.Read(t.Context(), decode.Page{Image: page, DPI: 300}, reading.Options{Language: "en", Without: []string{"strikes"}}, engines)
	require.NoError(t, err)
	require.NotContains(t, read.Page.Text(), lines[1])
}
