//go:build !race

package reading_test

import (
	"image"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/impl/ocr/decode"
	"uncial/impl/ocr/imaging"
	"uncial/impl/ocr/ocrtest"
	"uncial/impl/ocr/reading"
	"uncial/internal/accuracy"
	"uncial/internal/document"
)

// TestRead_poorPictures reads pictures that plain Tesseract reads badly or not at all.
func TestRead_poorPictures(t *testing.T) {
	t.Parallel()
	want := "Il était une fois un roi et une reine\nqui avaient une fille dans un château\nsur la montagne au bord de la forêt"
	random := rand.New(rand.NewPCG(1, 2))
	engines := MustEngines(t, 1)
	var carry float64 // the part of the greys that no white dot has shown yet
	for _, c := range []struct {
		name    string
		picture func(ink, x float64) float64 // grey value; x is 0 at the left and 1 at the right
		steps   []string                     // if these are omitted, the page is read worse
		worse   float64                      // minimum CER without these steps
	}{
		{"reads faint print with strong noise", func(ink, _ float64) float64 { return 225 - 70*ink + 25*random.NormFloat64() }, []string{"denoise", "grain", "unsure-print", "doubtful-print", "fragments", "found-lines"}, 0.3}, // as handwriting it can be read
		{"reads print in a shadow", func(ink, x float64) float64 { return (230 - 200*ink) * (0.25 + 0.75*x) }, []string{"shading"}, 0.3},
		{"reads print in the dark and in a shadow", func(ink, x float64) float64 { return (60 - 50*ink) * (0.3 + 0.7*x) }, []string{"brighten"}, 0.3},
		{"reads print whose greys are rendered as dots", func(ink, _ float64) float64 {
			carry += 210 - 200*ink + 20*random.NormFloat64()
			if carry < 128 {
				return 0
			}
			carry -= 255
			return 255
		}, []string{"descreen", "found-lines"}, 0.04},
		{"reads a negative", func(ink, _ float64) float64 { return 20 + 200*ink }, []string{"negative"}, 0.3},
	} {
		g := ocrtest.Page(strings.Split(want, "\n")...)
		for i, v := range g.Pix {
			g.Pix[i] = uint8(min(max(c.picture(1-float64(v)/255, float64(i%g.Stride)/float64(g.Stride)), 0), 255))
		}
		result, err := reading.Read(t.Context(), decode.Page{Image: g}, reading.Options{Language: "fr"}, engines)
		require.NoError(t, err)
		require.Equal(t, want, result.Page.Text(), c.name)
		require.Greater(t, result.Page.Confidence, 0.8, c.name)
		result, err = reading.Read(t.Context(), decode.Page{Image: g}, reading.Options{Language: "fr", Without: c.steps}, engines)
		require.NoError(t, err)
		require.Greater(t, accuracy.Compare(want, result.Page.Text()).FoldedCER.Value(), c.worse, "%s, but not without %v", c.name, c.steps)
	}
}

func TestRead_slantedPage(t *testing.T) {
	t.Parallel()
	lines := wrapped(strings.Fields(cleanTexts[0].text), 24)
	level := ocrtest.Page(lines...)
	side := level.Rect.Dx() + level.Rect.Dy()
	page := image.NewGray(image.Rect(0, 0, side, side))
	for i := range page.Pix {
		page.Pix[i] = 255
	}
	imaging.Copy(page, level.Rect.Add(image.Pt(side, side).Sub(level.Rect.Size()).Div(2)), level, image.Point{})
	engines := MustEngines(t, 1)
	upright, err := reading.Read(t.Context(), decode.Page{Image: page}, reading.Options{Language: "en"}, engines)
	require.NoError(t, err)
	for _, angle := range []float64{-38, 8, 20} {
		slanted := imaging.Rotate(page, angle)
		for _, quarters := range []int{0, 1, 3} {
			result, err := reading.Read(t.Context(), decode.Page{Image: imaging.Turn(slanted, quarters)}, reading.Options{Language: "en"}, engines)
			require.NoError(t, err)
			require.Equal(t, upright.Page.Text(), result.Page.Text(), "%v degrees and %d quarter turns", angle, quarters)
			require.Equal(t, (360-90*quarters)%360, result.Page.Rotation)
			require.Equal(t, image.Pt(side, side), image.Pt(result.Page.Width, result.Page.Height))
			requireRotated(t, upright.Page.Blocks, result.Page.Blocks, side, angle)
		}
	}
	slanted := decode.Page{Image: imaging.Rotate(page, 20)}
	result, err := reading.Read(t.Context(), slanted, reading.Options{Language: "en", Without: []string{"slant"}}, engines)
	require.NoError(t, err)
	require.Greater(t, accuracy.Compare(strings.Join(lines, "\n"), result.Page.Text()).FoldedCER.Value(), 0.3, "not levelled")
}

// The faint lower half of a slanted page is not cut off.
func TestRead_slantedFaintPage(t *testing.T) {
	t.Parallel()
	lines := wrapped(strings.Fields(cleanTexts[0].text), 40)
	text := ocrtest.Page(lines...)
	side := 3 * text.Rect.Dy()
	page := image.NewGray(image.Rect(0, 0, max(side, 2*text.Rect.Dx()), max(side, 2*text.Rect.Dx())))
	for i := range page.Pix {
		page.Pix[i] = 235
	}
	for y := range text.Rect.Dy() {
		for x := range text.Rect.Dx() {
			ink := 255 - int(text.GrayAt(x, y).Y)
			at := image.Pt(x+page.Rect.Dx()/4, y+page.Rect.Dy()/6)
			page.Pix[page.PixOffset(at.X, at.Y)] = uint8(235 - ink*215/255)
			page.Pix[page.PixOffset(at.X, at.Y+text.Rect.Dy())] = uint8(235 - ink*65/255)
		}
	}
	slanted := imaging.RotatePart(page, 20, page.Rect, 235)
	result, err := reading.Read(t.Context(), decode.Page{Image: slanted}, reading.Options{Language: "en"}, MustEngines(t, 1))
	require.NoError(t, err)
	want := strings.Join(slices.Concat(lines, lines), "\n")
	require.Less(t, accuracy.Compare(want, result.Page.Text()).FoldedCER.Value(), 0.05, result.Page.Text())
}

// requireRotated requires the middles of words, and the ends of baselines, to be where a rotation by an angle in degrees around
// the middle of a square page moves those of the upright page.
func requireRotated(t *testing.T, upright, rotated []document.Block, side int, angle float64) {
	t.Helper()
	sin, cos := math.Sincos(angle * math.Pi / 180)
	requireAt := func(from, to document.Point) {
		t.Helper()
		x, y := float64(from.X-side/2), float64(from.Y-side/2)
		require.InDelta(t, x*cos-y*sin, float64(to.X-side/2), 8)
		require.InDelta(t, x*sin+y*cos, float64(to.Y-side/2), 8)
	}
	middle := func(b document.Box) document.Point { return document.Point{X: b.X + b.W/2, Y: b.Y + b.H/2} }
	before, after := slices.Collect(document.Lines(upright)), slices.Collect(document.Lines(rotated))
	require.Len(t, after, len(before))
	for i, line := range before {
		for j, w := range line.Words {
			requireAt(middle(w.Box), middle(after[i].Words[j].Box))
		}
		requireAt(line.Baseline[0], after[i].Baseline[0])
		requireAt(line.Baseline[len(line.Baseline)-1], after[i].Baseline[len(after[i].Baseline)-1])
	}
}

func TestRead_mirroredPrint(t *testing.T) {
	t.Parallel()
	page := mirrored(ocrtest.Page(tale...))
	engines := MustEngines(t, 2)
	for _, options := range []reading.Options{{Language: "en"}, {Language: "fr", Enhance: true}} {
		result, err := reading.Read(t.Context(), decode.Page{Image: page}, options, engines)
		require.NoError(t, err)
		require.NotEmpty(t, result.Page.Blocks)
		require.Less(t, result.Page.Confidence, 0.4, result.Page.Text())
		for w := range document.Words(result.Page.Blocks) {
			require.Less(t, w.CorrectShare(), 0.4, w.Text)
		}
		require.Empty(t, result.Edits, "gibberish is not corrected")
	}
}

func TestRead_curvedLines(t *testing.T) {
	t.Parallel()
	lines := wrapped(strings.Fields(cleanTexts[0].text), 44)
	straight := ocrtest.Page(lines...)
	down := func(x int) float64 { return 45 * math.Sin(2*math.Pi*float64(x)/ocrtest.Width) }
	curved := imaging.ShiftColumns(straight, func(_ int, shift []float32) {
		for x := range shift {
			shift[x] = float32(-down(x))
		}
	})
	page := decode.Page{Image: curved}
	engines := MustEngines(t, 1)
	result, err := reading.Read(t.Context(), page, reading.Options{Language: "en"}, engines)
	require.NoError(t, err)
	require.Less(t, accuracy.Compare(strings.Join(lines, "\n"), result.Page.Text()).FoldedCER.Value(), 0.02)
	found := slices.Collect(document.Lines(result.Page.Blocks))
	require.Len(t, found, len(lines))
	for i, l := range found {
		y := float64(ocrtest.Baseline + i*ocrtest.Pitch)
		require.Greater(t, len(l.Baseline), 1+l.Box.W/400, "points of the baseline of line %d", i)
		for _, p := range l.Baseline {
			require.InDelta(t, y+down(p.X), p.Y, 20, "the baseline of line %d follows the curve at %d", i, p.X)
		}
		for _, w := range l.Words {
			require.InDelta(t, y+down(w.Box.X+w.Box.W/2)-15, w.Box.Y+w.Box.H/2, 20, "the box of %q", w.Text)
		}
	}
	rotated := decode.Page{Image: imaging.Rotate(curved, 1.5)}
	result, err = reading.Read(t.Context(), rotated, reading.Options{Language: "en"}, engines)
	require.NoError(t, err)
	require.Less(t, accuracy.Compare(strings.Join(lines, "\n"), result.Page.Text()).FoldedCER.Value(), 0.02, "rotated, too")
	result, err = reading.Read(t.Context(), page, reading.Options{Language: "en", Without: []string{"dewarp", "found-lines"}}, engines)
	require.NoError(t, err)
	require.Greater(t, accuracy.Compare(strings.Join(lines, "\n"), result.Page.Text()).FoldedCER.Value(), 0.1, "not dewarped")
}
