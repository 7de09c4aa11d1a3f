package reading_test

import (
	"context"
	"image"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"uncial/impl/ocr"
	"uncial/impl/ocr/decode"
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
