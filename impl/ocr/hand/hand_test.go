package hand_test

import (
	"context"
	"errors"
	"image"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/impl/ocr/hand"
	"uncial/impl/ocr/imaging"
	"uncial/impl/ocr/layout"
	"uncial/impl/ocr/models/own"
	"uncial/impl/ocr/neural"
	"uncial/impl/ocr/ocrtest"
	"uncial/impl/ocr/tesseract"
)

// reader is a hand.Reader that returns the words of strip i of a call.
type reader func(model string, i int, strip *image.Gray) []tesseract.Word

func (reader) HandwritingModelsFor(string) []string { return []string{"hand"} }

func (r reader) ReadStrips(_ context.Context, model string, strips []*image.Gray) ([][]tesseract.Word, error) {
	out := make([][]tesseract.Word, len(strips))
	for i, s := range strips {
		out[i] = r(model, i, s)
	}
	return out, nil
}

func (r reader) ReadStripsAgain(ctx context.Context, model string, strips []*image.Gray, _ hand.Search) ([]hand.Readings, error) {
	first, err := r.ReadStrips(ctx, model, strips)
	out := make([]hand.Readings, len(first))
	for i, words := range first {
		out[i].First = words
	}
	return out, err
}

func (r reader) FindLines(ctx context.Context, g *image.Gray) (*layout.Page, error) {
	return find(ctx, g)
}

// find finds the lines of a page with the shipped model.
func find(ctx context.Context, g *image.Gray) (*layout.Page, error) {
	model, err := neural.LoadFinder(own.LinesFile())
	if err != nil {
		return nil, err
	}
	return layout.NewFinder(model).Find(ctx, g)
}

// broken is a hand.Reader whose reads fail.
type broken struct{ err error }

func (b broken) FindLines(ctx context.Context, g *image.Gray) (*layout.Page, error) {
	return find(ctx, g)
}

func (broken) HandwritingModelsFor(string) []string { return []string{"hand"} }

func (b broken) ReadStrips(context.Context, string, []*image.Gray) ([][]tesseract.Word, error) {
	return nil, b.err
}

func (b broken) ReadStripsAgain(context.Context, string, []*image.Gray, hand.Search) ([]hand.Readings, error) {
	return nil, b.err
}

// always reads every strip as the same words, with the confidences hands and prints.
func always(text string, hands, prints float64) reader {
	return func(model string, _ int, s *image.Gray) []tesseract.Word {
		confidence := map[string]float64{"hand": hands, "print": prints}[model]
		var words []tesseract.Word
		for j, text := range strings.Fields(text) {
			w := s.Rect.Dx() / 2
			words = append(words, tesseract.Word{Text: text, Confidence: confidence, Box: image.Rect(j*w, 10, (j+1)*w, 40)})
		}
		return words
	}
}

// counted counts the strips that each model reads.
func counted(r reader) (reader, map[string]int) {
	n := map[string]int{}
	return func(model string, i int, s *image.Gray) []tesseract.Word {
		n[model]++
		return r(model, i, s)
	}, n
}

// scribbled returns a page of n lines that look handwritten.
func scribbled(n int) *image.Gray {
	g := ocrtest.BlankPage(1300, 1600)
	scribble(g, n, 150, 1100, 200, 80)
	return g
}

// scribble draws n lines from x0 to x1, the first on height y.
func scribble(g *image.Gray, n, x0, x1, y, pitch int) {
	for i := range n {
		ocrtest.Scribble(g, x0, x1, 22, func(float64) float64 { return float64(y + pitch*i) }, uint64(i)) // #nosec G115 -- counts lines
	}
}

// paste draws the ink of a page on another, y pixels lower.
func paste(g, part *image.Gray, y int) {
	for i, v := range part.Pix {
		if px, py := i%part.Stride, y+i/part.Stride; v < 128 && px < g.Rect.Dx() && py < g.Rect.Dy() {
			g.Pix[py*g.Stride+px] = v
		}
	}
}

// lines returns n lines of print.
func lines(n int) *image.Gray {
	return ocrtest.Page(strings.Split(strings.Repeat("Il était une fois un roi et une reine\n", n), "\n")[:n]...)
}

func look(g *image.Gray, tagged bool) *hand.Page {
	return hand.NewPage(g, imaging.Letters(g), hand.Models{Handwriting: "hand", Print: "print", TaggedFrench: tagged, PrintAccuracy: func(own float64) float64 { return own }})
}

// mustRead reads a page, and checks that it was detected as handwriting.
func mustRead(tb testing.TB, p *hand.Page, r hand.Reader) hand.Result {
	tb.Helper()
	_, ok, err := p.Detect(tb.Context(), r)
	require.NoError(tb, err)
	require.True(tb, ok)
	result, err := p.Read(tb.Context(), r)
	require.NoError(tb, err)
	return result
}

func TestPage_Use(t *testing.T) {
	t.Parallel()
	r := reader(func(model string, i int, s *image.Gray) []tesseract.Word {
		words := always(model, 50, 0)("hand", i, s)
		if model == "trained" {
			words[0].Confidence = 90
		}
		return words
	})
	g := scribbled(6)
	models := hand.Models{Handwriting: "hand", Competing: []string{"hand", "trained"}, Print: "print"}
	page := hand.NewPage(g, imaging.Letters(g), models)
	text, err := page.Text(t.Context(), r, 2)
	require.NoError(t, err)
	require.Contains(t, text, "trained", "the most confident model must read the page")
	models.Competing = []string{"hand"}
	page.Use(models)
	text, err = page.Text(t.Context(), r, 2)
	require.NoError(t, err)
	require.Contains(t, text, "hand")
	require.NotContains(t, text, "trained", "lines read by a model that does not read the page's language must be dropped")
}

func TestPage_Detect(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name          string
		page          *image.Gray
		hands, prints float64 // the confidences of the two models
		want          bool
		unread        bool // no model reads a strip
	}{
		{"accepts a page of handwriting", scribbled(15), 50, 20, true, false},
		{"rejects print by its shape", lines(12), 90, 20, false, true},
		{"rejects print on its side by its shape", imaging.Turn(lines(12), 1), 90, 20, false, true},
		{"rejects blank paper", ocrtest.BlankPage(800, 1000), 90, 0, false, true},
		{"rejects joined letters that the print model is sure of", scribbled(15), 40, 90, false, false},
		{"rejects joined letters in which the print model leads", scribbled(15), 40, 50, false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r, n := counted(always("devant nous", c.hands, c.prints))
			_, ok, err := look(c.page, true).Detect(t.Context(), r)
			require.NoError(t, err)
			require.Equal(t, c.want, ok)
			require.Equal(t, c.unread, len(n) == 0)
		})
	}
	t.Run("returns an error of the recognizer", func(t *testing.T) {
		t.Parallel()
		gone := errors.New("gone")
		_, _, err := look(scribbled(15), true).Detect(t.Context(), broken{gone})
		require.ErrorIs(t, err, gone)
	})
}

func TestPage_Read(t *testing.T) {
	t.Parallel()
	t.Run("reads each line once", func(t *testing.T) {
		t.Parallel()
		r, n := counted(always("devant nous", 50, 20))
		got := mustRead(t, look(scribbled(15), true), r)
		require.Len(t, got.Blocks, 1)
		require.Len(t, got.Blocks[0].Lines, 15)
		require.Equal(t, 15, n["hand"])
		for i, l := range got.Blocks[0].Lines {
			require.True(t, l.Handwritten)
			require.Equal(t, "devant nous", l.Text())
			require.Equal(t, "hand", l.Words[0].Model)
			require.InDelta(t, 200+80*i, l.Baseline[0].Y, 10)
			require.Less(t, l.Words[0].Box.X, l.Words[1].Box.X)
			require.InDelta(t, 200+80*i, l.Box.Y+l.Box.H/2, 40)
		}
		require.Greater(t, got.Confidence, 0.6)
	})
	t.Run("drops the signs that the model reads for struck-out words", func(t *testing.T) {
		t.Parallel()
		require.Equal(t, "devant", mustRead(t, look(scribbled(15), true), always("devant ><><", 50, 20)).Blocks[0].Lines[0].Text())
	})
	t.Run("separates the boxes of words if the recognizer's boxes overlap", func(t *testing.T) {
		t.Parallel()
		words := mustRead(t, look(scribbled(15), true), reader(func(model string, _ int, s *image.Gray) []tesseract.Word {
			confidence, w := map[string]float64{"hand": 50, "print": 20}[model], s.Rect.Dx()
			return []tesseract.Word{
				{Text: "par", Confidence: confidence, Box: image.Rect(0, 10, w, 40)},
				{Text: "devant", Confidence: confidence, Box: image.Rect(w/4, 10, w/2, 40)},
				{Text: "nous", Confidence: confidence, Box: image.Rect(w/2, 10, w*3/4, 40)},
				{Text: "maire", Confidence: confidence, Box: image.Rect(w/2, 10, w, 40)},
			}
		})).Blocks[0].Lines[0].Words
		require.Len(t, words, 4)
		for i, w := range words[1:] {
			require.GreaterOrEqual(t, w.Box.X+1, words[i].Box.X+words[i].Box.W, "%v", words)
			require.Greater(t, w.Box.W, 10)
		}
	})
}

func TestPage_PrintedPart(t *testing.T) {
	t.Parallel()
	part := func(g *image.Gray) image.Rectangle {
		found, err := hand.NewPage(g, imaging.Letters(g), hand.Models{}).PrintedPart(t.Context(), broken{})
		require.NoError(t, err)
		return found
	}
	t.Run("is empty on a page that is all handwriting", func(t *testing.T) {
		t.Parallel()
		require.Empty(t, part(scribbled(15)))
	})
	t.Run("is empty if there is only a printed heading", func(t *testing.T) {
		t.Parallel()
		g := scribbled(15)
		paste(g, ocrtest.Page("Extrait des registres"), 30)
		require.Empty(t, part(g))
	})
	t.Run("covers print above handwriting", func(t *testing.T) {
		t.Parallel()
		g := ocrtest.BlankPage(1300, 1600)
		paste(g, lines(6), 0)
		scribble(g, 10, 150, 1100, 700, 80)
		got := part(g)
		require.InDelta(t, ocrtest.Left, got.Min.X, 15)
		require.InDelta(t, ocrtest.Baseline-40, got.Min.Y, 15)
		require.InDelta(t, ocrtest.Baseline+5*ocrtest.Pitch, got.Max.Y, 20)
	})
}
