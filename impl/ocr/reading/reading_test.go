package reading_test

import (
	"context"
	"image"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"uncial/impl/ocr"
	"uncial/impl/ocr/decode"
	"uncial/impl/ocr/imaging"
	"uncial/impl/ocr/models"
	"uncial/impl/ocr/models/own"
	"uncial/impl/ocr/ocrtest"
	"uncial/impl/ocr/reading"
	"uncial/impl/ocr/tesseract"
	"uncial/impl/sample"
	"uncial/internal/accuracy"
	"uncial/internal/document"
)

func MustEngines(tb testing.TB, limit int) *reading.Engines {
	tb.Helper()
	set, err := models.Find(ocrtest.Tessdata)
	require.NoError(tb, err)
	engines := reading.NewEngines(set, limit)
	tb.Cleanup(engines.Close)
	return engines
}

// MustRead reads an image file.
func MustRead(tb testing.TB, src reading.Source, language string, data []byte) *document.Document {
	tb.Helper()
	doc, err := reading.File(tb.Context(), data, reading.Options{Language: language}, src)
	require.NoError(tb, err)
	return doc
}

func TestRead(t *testing.T) {
	t.Parallel()
	engines := MustEngines(t, 1)
	img := ocrtest.Page("Il était une fois", "deux lignes lisibles")
	result, err := reading.Read(t.Context(), decode.Page{Image: img, DPI: 300}, reading.Options{Language: "fr"}, engines)
	require.NoError(t, err)
	page := result.Page
	require.Equal(t, "Il était une fois\ndeux lignes lisibles", page.Text())
	require.Equal(t, []int{img.Rect.Dx(), img.Rect.Dy(), 300}, []int{page.Width, page.Height, page.DPI})
	for i, l := range page.Blocks[0].Lines {
		require.Len(t, l.Baseline, 2)
		require.InDelta(t, ocrtest.Baseline+i*ocrtest.Pitch, l.Baseline[0].Y, 4)
		for _, w := range l.Words {
			require.Equal(t, "fra", w.Model)
			require.Greater(t, w.Confidence, 0.5)
			require.LessOrEqual(t, w.Confidence, 1.0)
			require.Equal(t, l.Box, l.Box.Union(w.Box), "the box of a line includes its words")
		}
	}
}

func TestRead_samplePage(t *testing.T) {
	t.Parallel()
	doc := MustRead(t, MustEngines(t, 1), "en", sample.Image)
	score := accuracy.Compare(sample.Text, doc.Text())
	require.Less(t, score.FoldedCER.Value(), 0.02, doc.Text())
	require.Greater(t, doc.Confidence, 0.85)
}

func TestEngines_Read_widest(t *testing.T) {
	t.Parallel()
	engines := MustEngines(t, 1)
	text := ocrtest.Page("Il était une fois un roi et une reine", "lesquels n'avoient point d'enfans, 1547", "& qui en estoient si fachez")
	img := image.NewGray(image.Rect(0, 0, ocr.MaxSide, 600))
	for i := range img.Pix {
		img.Pix[i] = text.Pix[i/img.Stride%text.Rect.Dy()*text.Stride+i%img.Stride%text.Rect.Dx()]
	}
	blocks, err := engines.Read(t.Context(), img, 300, "fra", tesseract.Auto)
	require.NoError(t, err)
	right := 0
	for _, b := range blocks {
		right = max(right, b.Box.X+b.Box.W)
	}
	require.Greater(t, right, ocr.MaxSide-ocrtest.Width, "boxes are in pixels of the page")
	require.LessOrEqual(t, right, ocr.MaxSide)
}

func TestRead_noText(t *testing.T) {
	t.Parallel()
	engines := MustEngines(t, 1)
	for name, img := range map[string]image.Image{
		"blank":          ocrtest.Page(),
		"one pixel":      image.NewGray(image.Rect(0, 0, 1, 1)),
		"a thread":       image.NewGray(image.Rect(0, 0, 5000, 1)),
		"a long thread":  image.NewGray(image.Rect(0, 0, 1, 32_767)),
		"black":          image.NewGray(image.Rect(0, 0, 700, 700)),
		"black, colours": image.NewRGBA(image.Rect(0, 0, 700, 700)),
	} {
		result, err := reading.Read(t.Context(), decode.Page{Image: img}, reading.Options{Language: "en"}, engines)
		require.NoError(t, err, name)
		require.Empty(t, result.Page.Blocks, name)
		require.Zero(t, result.Page.Confidence, name)
		require.Zero(t, reading.Confidence([]document.Page{result.Page}), name)
	}
}

func TestRead_errors(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), time.Nanosecond)
	defer cancel()
	_, err := reading.Read(ctx, decode.Page{Image: ocrtest.Page("late")}, reading.Options{Language: "en"}, MustEngines(t, 1))
	require.ErrorIs(t, err, context.DeadlineExceeded)
	_, err = reading.Read(t.Context(), decode.Page{Image: ocrtest.Page("what")}, reading.Options{Language: "tlh"}, MustEngines(t, 1))
	require.ErrorContains(t, err, "tlh")
}

func TestEngines_Get(t *testing.T) {
	t.Parallel()
	engines := MustEngines(t, 2)
	get := func(name string) *tesseract.Engine {
		e, err := engines.Get(name)
		require.NoError(t, err)
		require.Equal(t, name, e.Model())
		return e
	}
	closed := func(e *tesseract.Engine) bool { return e.SetVariable("user_defined_dpi", "0") != nil }

	eng, fra := get("eng"), get("fra")
	require.Same(t, eng, get("eng"), "reuses a loaded engine")
	lat := get("lat")
	require.True(t, closed(fra), "closes the least recently used one")
	require.False(t, closed(eng))
	require.NotSame(t, fra, get("fra"))
	require.True(t, closed(eng))
	get(own.EarlyPrint) // from memory
	require.True(t, closed(lat))
	_, err := engines.Get("no_such_model")
	require.ErrorContains(t, err, "no_such_model")
	require.True(t, engines.Has("eng+grc"))
	require.False(t, engines.Has("eng+no_such_model"))
	require.False(t, engines.Has("grc+"+own.EarlyPrint), "models in two folders cannot be used together")
	engines.Close()
	get("eng")
}

func TestConfidence(t *testing.T) {
	t.Parallel()
	page := func(text string, confidence float64) document.Page {
		line := document.Line{Words: []document.Word{{Text: text}}}
		return document.Page{Blocks: []document.Block{{Lines: []document.Line{line}}}, Confidence: confidence}
	}
	require.Zero(t, reading.Confidence(nil))
	require.InDelta(t, 0.75, reading.Confidence([]document.Page{page("ſix", 1), page("I", 0)}), 1e-9, "weighs pages by their characters")
}

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
		{"reads faint print with strong noise", func(ink, _ float64) float64 { return 225 - 70*ink + 25*random.NormFloat64() }, []string{"denoise", "grain", "unsure-print", "doubtful-print"}, 0.3}, // as handwriting it can be read
		{"reads print in a shadow", func(ink, x float64) float64 { return (230 - 200*ink) * (0.25 + 0.75*x) }, []string{"shading"}, 0.3},
		{"reads print in the dark and in a shadow", func(ink, x float64) float64 { return (60 - 50*ink) * (0.3 + 0.7*x) }, []string{"brighten"}, 0.3},
		{"reads print whose greys are rendered as dots", func(ink, _ float64) float64 {
			carry += 210 - 200*ink + 20*random.NormFloat64()
			if carry < 128 {
				return 0
			}
			carry -= 255
			return 255
		}, []string{"descreen"}, 0.04},
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
	for _, angle := range []float64{-38, 20} {
		slanted := decode.Page{Image: imaging.Rotate(page, angle)}
		result, err := reading.Read(t.Context(), slanted, reading.Options{Language: "en"}, engines)
		require.NoError(t, err)
		require.Less(t, accuracy.Compare(strings.Join(lines, "\n"), result.Page.Text()).FoldedCER.Value(), 0.02, "%v degrees", angle)
		result, err = reading.Read(t.Context(), slanted, reading.Options{Language: "en", Without: []string{"level"}}, engines)
		require.NoError(t, err)
		require.Greater(t, accuracy.Compare(strings.Join(lines, "\n"), result.Page.Text()).FoldedCER.Value(), 0.3, "%v degrees, not levelled", angle)
	}
}

func TestEngines_Read_ReturnsTheLinesReadSoFar(t *testing.T) {
	t.Parallel()
	engines := MustEngines(t, 1)
	img := ocrtest.Page("The first line of the page", "and a second line", "and a third line", "and a fourth line")
	whole, err := engines.Read(t.Context(), img, 300, "eng", tesseract.Auto)
	require.NoError(t, err)
	// Whenever the time runs out, the result has no more lines than the whole page, and only words that were read.
	for limit := time.Millisecond; ; limit += limit / 2 {
		ctx, cancel := context.WithTimeout(t.Context(), limit)
		part, err := engines.Read(ctx, img, 300, "eng", tesseract.Auto)
		cancel()
		require.LessOrEqual(t, len(slices.Collect(document.Lines(part))), len(slices.Collect(document.Lines(whole))))
		for w := range document.Words(part) {
			require.NotEmpty(t, w.Text)
		}
		if err == nil {
			require.Equal(t, whole, part)
			return
		}
		require.ErrorIs(t, err, context.DeadlineExceeded)
	}
}
