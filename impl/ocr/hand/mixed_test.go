package hand_test

import (
	"context"
	"image"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/image/font/gofont/goregular"

	"uncial/impl/ocr/hand"
	"uncial/impl/ocr/imaging"
	"uncial/impl/ocr/ocrtest"
	"uncial/impl/ocr/tesseract"
	"uncial/internal/document"
)

// handLines are the lines of a result that a hand wrote.
func handLines(r hand.Result) []document.Line {
	var found []document.Line
	for _, b := range r.Blocks {
		for _, l := range b.Lines {
			if l.Handwritten {
				found = append(found, l)
			}
		}
	}
	return found
}

// looseForm is a form that was filled in by hands that join only half of their letters, of which print read nothing.
func looseForm() (*image.Gray, hand.Result) {
	g, inPrint := form(0.2)
	for i := range g.Pix[330*g.Stride : 960*g.Stride] {
		g.Pix[330*g.Stride+i] = 235
	}
	for i := range 6 {
		paste(g, ocrtest.Page("l e t t r e s"), 300+100*i)
		ocrtest.Scribble(g, 450, 1100, 22, func(float64) float64 { return float64(400 + 100*i) }, uint64(i)) // #nosec G115 -- counts lines
	}
	inPrint.Blocks = append(inPrint.Blocks[:2:2], inPrint.Blocks[3])
	return g, inPrint
}

// TestPage_Fill_language: a hand that does not look much like one is told by its words, whatever the caller says.
func TestPage_Fill_language(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text   string
		named  bool // the caller says that it is French
		filled bool
	}{
		"French that the caller calls so":                   {"par devant nous dit", true, true},
		"French that the caller calls something else":       {"par devant nous dit", false, true},
		"what is English, whatever the caller calls French": {"with many thanks for", true, false},
		"English":                         {"with many thanks for", false, false},
		"too few words to tell":           {"Durand", false, false},
		"too few words, the caller knows": {"Durand", true, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g, inPrint := looseForm()
			r := newReader(60, 20)
			r.text = c.text
			filled, ok, err := look(g, c.named).Fill(t.Context(), r, inPrint)
			require.NoError(t, err)
			require.Equal(t, c.filled, ok)
			written := handLines(filled)
			if !c.filled {
				require.Empty(t, written)
				return
			}
			require.Len(t, written, 6)
			require.Greater(t, written[0].Words[0].Confidence, 0.5)
			require.Len(t, filled.Blocks, 4, "print, print, hand, print")
		})
	}
	t.Run("no more lines are read than tell the language", func(t *testing.T) {
		t.Parallel()
		g, inPrint := looseForm()
		for i := range 4 {
			ocrtest.Scribble(g, 450, 1000, 22, func(float64) float64 { return float64(1000 + 60*i) }, uint64(i)) // #nosec G115 -- counts lines
		}
		r := newReader(60, 20)
		r.text = "with many thanks for"
		_, ok, err := look(g, false).Fill(t.Context(), r, inPrint)
		require.NoError(t, err)
		require.False(t, ok)
		require.Equal(t, 6, r.strips["hand"])
	})
}

// uneven is sure of the first strips of each call, and hardly of the others.
type uneven struct{ sure int }

func (u uneven) ReadStrips(_ context.Context, _ string, strips []*image.Gray, _ tesseract.Detail) ([][]tesseract.Word, error) {
	out := make([][]tesseract.Word, len(strips))
	for i := range strips {
		confidence := 60.0
		if i >= u.sure {
			confidence = 8
		}
		out[i] = []tesseract.Word{{Text: "comparution", Confidence: confidence, Box: image.Rect(0, 10, 900, 40)}, {Text: "laboureur", Confidence: confidence, Box: image.Rect(900, 10, 1700, 40)}}
	}
	return out, nil
}

func TestPage_Fill_of_a_hand_that_is_known(t *testing.T) {
	t.Parallel()
	for sure, want := range map[int]int{5: 6, 3: 6, 2: 2, 0: 0} {
		g, inPrint := form(0.2)
		inPrint.Blocks = append(inPrint.Blocks[:2:2], inPrint.Blocks[3])
		filled, _, err := look(g, true).Fill(t.Context(), uneven{sure}, inPrint)
		require.NoError(t, err)
		require.Len(t, handLines(filled), want, "%d lines are sure", sure)
	}
}

// smallPrint is a page with many lines of small print above a hand thrice as large, and the reading of the print.
func smallPrint() (*image.Gray, hand.Result) {
	g := ocrtest.Sheet(1400, 1900)
	var block document.Block
	for i := range 18 {
		text := "many words of a small print stand close above a large hand and are read surely, each of them"
		paste(g, ocrtest.PageIn(goregular.TTF, 6, text), 36*i)
		var line document.Line
		for j, w := range strings.Fields(text) {
			box := document.Box{X: ocrtest.Left + 60*j, Y: 36*i + ocrtest.Baseline - 24, W: 60, H: 34}
			line.Words = append(line.Words, document.Word{Text: w, Box: box, Confidence: 0.98})
			line.Box = line.Box.Union(box)
		}
		block.Lines = append(block.Lines, line)
		block.Box = block.Box.Union(line.Box)
	}
	for i := range 6 {
		ocrtest.Scribble(g, 100, 1250, 50, func(float64) float64 { return float64(950 + 160*i) }, uint64(i)) // #nosec G115 -- counts lines
	}
	return g, hand.Result{Confidence: 0.97, Blocks: []document.Block{block}}
}

func TestPage_Fill_below_small_print(t *testing.T) {
	t.Parallel()
	for _, native := range []bool{true, false} {
		g, inPrint := smallPrint()
		r := newReader(60, 20)
		r.text = "par devant nous dit"
		filled, ok, err := look(g, native).Fill(t.Context(), r, inPrint)
		require.NoError(t, err)
		require.True(t, ok)
		written := handLines(filled)
		require.Len(t, written, 6)
		for i, l := range written {
			require.InDelta(t, 950+160*i, l.Baseline[0].Y, 25)
			require.InDelta(t, 160, l.Box.H, 60, "one line, not several in one")
		}
		require.Equal(t, inPrint.Blocks[0], filled.Blocks[0], "print remains")
	}
}

func TestPage_PrintLike(t *testing.T) {
	t.Parallel()
	at := func(g *image.Gray) image.Rectangle {
		return hand.Look(g, imaging.Letters(g), hand.Models{}).PrintLike()
	}
	t.Run("a hand alone has none", func(t *testing.T) {
		t.Parallel()
		require.Empty(t, at(scribbled(15)))
	})
	t.Run("a heading is too little", func(t *testing.T) {
		t.Parallel()
		g := scribbled(15)
		paste(g, ocrtest.Page("Extrait des registres"), 30)
		require.Empty(t, at(g))
	})
	t.Run("print above a hand", func(t *testing.T) {
		t.Parallel()
		g := ocrtest.Sheet(1300, 1600)
		paste(g, ocrtest.Page(strings.Split(strings.Repeat("Il était une fois un roi et une reine\n", 6), "\n")[:6]...), 0)
		for i := range 10 {
			ocrtest.Scribble(g, 150, 1100, 22, func(float64) float64 { return float64(700 + 80*i) }, uint64(i)) // #nosec G115 -- counts lines
		}
		part := at(g)
		require.InDelta(t, ocrtest.Left, part.Min.X, 15)
		require.InDelta(t, ocrtest.Baseline-40, part.Min.Y, 15)
		require.InDelta(t, ocrtest.Baseline+5*ocrtest.Pitch, part.Max.Y, 20)
	})
}
