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
	"uncial/impl/ocr/ocrtest"
	"uncial/impl/ocr/tesseract"
	"uncial/internal/document"
)

// reader reads every strip as the same words, with a confidence for each model, and counts the strips.
type reader struct {
	text       string
	confidence map[string]float64
	strips     map[string]int
	err        error
}

func (r *reader) ReadStrips(_ context.Context, model string, strips []*image.Gray, _ tesseract.Detail) ([][]tesseract.Word, error) {
	if r.err != nil {
		return nil, r.err
	}
	out := make([][]tesseract.Word, len(strips))
	r.strips[model] += len(strips)
	for i, s := range strips {
		width := s.Rect.Dx() / 2
		for j, text := range strings.Fields(r.text) {
			out[i] = append(out[i], tesseract.Word{
				Text: text, Confidence: r.confidence[model], Box: image.Rect(j*width, 10, (j+1)*width, 40),
			})
		}
	}
	return out, nil
}

// overlapping reads four words in every strip: the first over the whole width, the last from the third's beginning on.
type overlapping struct{}

func (overlapping) ReadStrips(_ context.Context, model string, strips []*image.Gray, _ tesseract.Detail) ([][]tesseract.Word, error) {
	out := make([][]tesseract.Word, len(strips))
	confidence := map[string]float64{"hand": 50, "print": 20}[model]
	for i, s := range strips {
		w := s.Rect.Dx()
		for _, word := range []struct {
			text     string
			from, to int
		}{{"par", 0, w}, {"devant", w / 4, w / 2}, {"nous", w / 2, w * 3 / 4}, {"maire", w / 2, w}} {
			out[i] = append(out[i], tesseract.Word{Text: word.text, Confidence: confidence, Box: image.Rect(word.from, 10, word.to, 40)})
		}
	}
	return out, nil
}

func newReader(hands, prints float64) *reader {
	return &reader{
		text: "devant nous", confidence: map[string]float64{"hand": hands, "print": prints}, strips: map[string]int{},
	}
}

// scribbled is a page of n lines that look like a hand's.
func scribbled(n int) *image.Gray {
	g := ocrtest.Sheet(1300, 1600)
	for i := range n {
		ocrtest.Scribble(g, 150, 1100, 22, func(float64) float64 { return float64(200 + 80*i) }, uint64(i)) // #nosec G115 -- counts lines
	}
	return g
}

func look(g *image.Gray, native bool) *hand.Page {
	return hand.Look(g, imaging.Letters(g), hand.Models{Hand: "hand", Print: "print", Native: native, InPrint: func(own float64) float64 { return own }})
}

// read reads a page if all of it is written by hand.
func read(tb testing.TB, p *hand.Page, r hand.Reader) (hand.Result, bool, error) {
	tb.Helper()
	_, ok, err := p.Sure(tb.Context(), r)
	if !ok || err != nil {
		return hand.Result{}, ok, err
	}
	result, err := p.Read(tb.Context(), r)
	return result, true, err
}

func TestPage_Read(t *testing.T) {
	t.Parallel()
	t.Run("a hand is read line by line, each line once", func(t *testing.T) {
		t.Parallel()
		r := newReader(50, 20)
		got, ok, err := read(t, look(scribbled(15), true), r)
		require.NoError(t, err)
		require.True(t, ok)
		require.Len(t, got.Blocks, 1)
		lines := got.Blocks[0].Lines
		require.Len(t, lines, 15)
		require.Equal(t, 15, r.strips["hand"])
		for i, l := range lines {
			require.True(t, l.Handwritten)
			require.Equal(t, "devant nous", l.Text())
			require.Equal(t, "hand", l.Words[0].Model)
			require.InDelta(t, 200+80*i, l.Baseline[0].Y, 10)
			require.Less(t, l.Words[0].Box.X, l.Words[1].Box.X)
			require.InDelta(t, 200+80*i, l.Box.Y+l.Box.H/2, 40)
		}
		require.Greater(t, got.Confidence, 0.6)
	})
	t.Run("words have boxes of their own where the recognizer gives one the width of several", func(t *testing.T) {
		t.Parallel()
		got, ok, err := read(t, look(scribbled(15), true), overlapping{})
		require.NoError(t, err)
		require.True(t, ok)
		words := got.Blocks[0].Lines[0].Words
		require.Len(t, words, 4)
		for i, w := range words[1:] {
			require.GreaterOrEqual(t, w.Box.X+1, words[i].Box.X+words[i].Box.W, "%v", words)
			require.Greater(t, w.Box.W, 10)
		}
	})
	t.Run("print is told by its shape, and nothing is read", func(t *testing.T) {
		t.Parallel()
		r := newReader(90, 20)
		_, ok, err := read(t, look(ocrtest.Page(strings.Split(strings.Repeat("Il était une fois un roi et une reine\n", 12), "\n")...), true), r)
		require.NoError(t, err)
		require.False(t, ok)
		require.Empty(t, r.strips)
	})
	t.Run("print on its side is not taken for joined letters", func(t *testing.T) {
		t.Parallel()
		r := newReader(90, 20)
		inPrint := ocrtest.Page(strings.Split(strings.Repeat("Il était une fois un roi et une reine\n", 12), "\n")...)
		_, ok, err := read(t, look(imaging.Turn(inPrint, 1), true), r)
		require.NoError(t, err)
		require.False(t, ok)
		require.Empty(t, r.strips)
	})
	t.Run("what looks like a hand and is surely read as print is print", func(t *testing.T) {
		t.Parallel()
		_, ok, err := read(t, look(scribbled(15), true), newReader(40, 90))
		require.NoError(t, err)
		require.False(t, ok)
	})
	t.Run("blank paper", func(t *testing.T) {
		t.Parallel()
		_, ok, err := read(t, look(ocrtest.Sheet(800, 1000), true), newReader(90, 0))
		require.NoError(t, err)
		require.False(t, ok)
	})
	t.Run("an error of the recognizer is passed on", func(t *testing.T) {
		t.Parallel()
		r := newReader(90, 0)
		r.err = errors.New("gone")
		_, _, err := read(t, look(scribbled(15), true), r)
		require.ErrorIs(t, err, r.err)
	})
}

// form is a page with print above and below, and a reading of it that has the print right and the hand wrong.
func form(confidence float64) (*image.Gray, hand.Result) {
	g := ocrtest.Sheet(1400, 1500)
	above, below := ocrtest.Page("Extrait des registres des actes de naissance", "par devant nous est comparu le sieur"), ocrtest.Page("lequel nous a dit vouloir signer le registre")
	paste(g, above, 0)
	paste(g, below, 1200)
	for i := range 6 {
		ocrtest.Scribble(g, 150, 1100, 22, func(float64) float64 { return float64(400 + 100*i) }, uint64(i)) // #nosec G115 -- counts lines
	}
	block := func(y int, confidence float64, text string) document.Block {
		words := strings.Fields(text)
		var line document.Line
		for i, w := range words {
			x0, x1 := ocrtest.Left+1250*i/len(words), ocrtest.Left+1250*(i+1)/len(words)
			box := document.Box{X: x0, Y: y - 40, W: x1 - x0, H: 55}
			line.Words = append(line.Words, document.Word{Text: w, Box: box, Confidence: confidence})
			line.Box = line.Box.Union(box)
		}
		return document.Block{Box: line.Box, Lines: []document.Line{line}}
	}
	return g, hand.Result{Confidence: 0.9, Blocks: []document.Block{
		block(100, 0.95, "Extrait des registres des actes de naissance"),
		block(180, 0.95, "par devant nous est comparu le sieur"),
		block(400, confidence, "nn mn ww mnw"),
		block(1300, 0.95, "lequel nous a dit vouloir signer le registre"),
	}}
}

func paste(g, part *image.Gray, y int) {
	for i, v := range part.Pix {
		if px, py := i%part.Stride, y+i/part.Stride; v < 128 && px < g.Rect.Dx() && py < g.Rect.Dy() {
			g.Pix[py*g.Stride+px] = v
		}
	}
}

func TestPage_Fill(t *testing.T) {
	t.Parallel()
	t.Run("what was filled in by hand takes the place of what print made of it", func(t *testing.T) {
		t.Parallel()
		g, inPrint := form(0.2)
		filled, ok, err := look(g, true).Fill(t.Context(), newReader(50, 20), inPrint)
		require.NoError(t, err)
		require.True(t, ok)
		var seen []string
		for _, b := range filled.Blocks {
			for _, l := range b.Lines {
				require.Equal(t, b.Lines[0].Handwritten, l.Handwritten, "a block is one or the other")
			}
			kind := "print"
			if b.Lines[0].Handwritten {
				kind = "hand"
				require.Len(t, b.Lines, 6)
			}
			seen = append(seen, kind)
			require.NotContains(t, b.Lines[0].Text(), "mnw")
		}
		require.Equal(t, []string{"print", "print", "hand", "print"}, seen)
		require.Less(t, filled.Confidence, 0.9)
	})
	t.Run("a hand of which hardly anything can be read is left alone", func(t *testing.T) {
		t.Parallel()
		g, inPrint := form(0.2)
		_, ok, err := look(g, true).Fill(t.Context(), newReader(5, 20), inPrint)
		require.NoError(t, err)
		require.False(t, ok)
	})
	t.Run("in a language that the model has not learnt little is claimed of it", func(t *testing.T) {
		t.Parallel()
		g, inPrint := form(0.2)
		filled, ok, err := look(g, false).Fill(t.Context(), newReader(90, 20), inPrint)
		require.NoError(t, err)
		require.True(t, ok)
		written := 0
		for _, b := range filled.Blocks {
			for _, l := range b.Lines {
				if l.Handwritten {
					require.Less(t, l.Words[0].Confidence, 0.4)
					written++
				}
			}
		}
		require.GreaterOrEqual(t, written, 5)
	})
	t.Run("a hand that print is sure of is told by its joined letters", func(t *testing.T) {
		t.Parallel()
		g, inPrint := form(0.95)
		line := &inPrint.Blocks[2].Lines[0]
		line.Words[1].Confidence = 0.8
		filled, ok, err := look(g, true).Fill(t.Context(), newReader(60, 20), inPrint)
		require.NoError(t, err)
		require.True(t, ok)
		require.Len(t, filled.Blocks, 4)
		require.True(t, filled.Blocks[2].Lines[0].Handwritten)
		require.InDelta(t, 0.95, filled.Blocks[0].Lines[0].Words[0].Confidence, 0, "what remains is as sure as it was")
	})
	t.Run("print alone is left alone, in any language", func(t *testing.T) {
		t.Parallel()
		g := ocrtest.Page("Extrait des registres des actes de naissance", "par devant nous est comparu le sieur")
		_, inPrint := form(0.95)
		inPrint.Blocks = inPrint.Blocks[:2]
		for _, native := range []bool{true, false} {
			r := newReader(90, 20)
			_, ok, err := look(g, native).Fill(t.Context(), r, inPrint)
			require.NoError(t, err)
			require.False(t, ok)
			require.Empty(t, r.strips)
		}
	})
}
