package hand_test

import (
	"image"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/image/font/gofont/goregular"

	"uncial/impl/ocr/hand"
	"uncial/impl/ocr/imaging"
	"uncial/impl/ocr/lexicon"
	"uncial/impl/ocr/models/own"
	"uncial/impl/ocr/ocrtest"
	"uncial/impl/ocr/tesseract"
	"uncial/internal/document"
)

// form returns a page with six lines of handwriting between print, and a reading in which the print is right and the
// handwriting is wrong. confidence is the reading's confidence in the handwriting.
func form(confidence float64) (*image.Gray, hand.Result) {
	g := ocrtest.BlankPage(1400, 1500)
	paste(g, ocrtest.Page("Extrait des registres des actes de naissance", "par devant nous est comparu le sieur"), 0)
	paste(g, ocrtest.Page("lequel nous a dit vouloir signer le registre"), 1200)
	scribble(g, 6, 150, 1100, 400, 100)
	block := func(y int, confidence float64, text string) document.Block {
		words := strings.Fields(text)
		var line document.Line
		for i, w := range words {
			x0, x1 := ocrtest.Left+1250*i/len(words), ocrtest.Left+1250*(i+1)/len(words)
			line.Words = append(line.Words, document.Word{Text: w, Box: document.Box{X: x0, Y: y - 40, W: x1 - x0, H: 55}, Confidence: confidence})
		}
		line.Box = document.WordsBox(line.Words)
		return document.BlockOf([]document.Line{line})
	}
	return g, hand.Result{Confidence: 0.9, Blocks: []document.Block{
		block(100, 0.95, "Extrait des registres des actes de naissance"),
		block(180, 0.95, "par devant nous est comparu le sieur"),
		block(400, confidence, "nn mn ww mnw"),
		block(1300, 0.95, "lequel nous a dit vouloir signer le registre"),
	}}
}

// withoutHandwriting returns the reading of a form without the text of its handwriting.
func withoutHandwriting(inPrint hand.Result) hand.Result {
	inPrint.Blocks = append(inPrint.Blocks[:2:2], inPrint.Blocks[3])
	return inPrint
}

// looseForm returns a form filled in by hands that join only half of their letters, and a reading without any of the
// handwriting.
func looseForm() (*image.Gray, hand.Result) {
	g, inPrint := form(0.2)
	for i := range g.Pix[330*g.Stride : 960*g.Stride] {
		g.Pix[330*g.Stride+i] = 235
	}
	for i := range 6 {
		paste(g, ocrtest.Page("l e t t r e s"), 300+100*i)
	}
	scribble(g, 6, 450, 1100, 400, 100)
	return g, withoutHandwriting(inPrint)
}

func handwritten(r hand.Result) []document.Line {
	var found []document.Line
	for _, b := range r.Blocks {
		found = append(found, slices.DeleteFunc(slices.Clone(b.Lines), func(l document.Line) bool { return !l.Handwritten })...)
	}
	return found
}

func blocksText(blocks []document.Block) string {
	page := document.Page{Blocks: blocks}
	return page.Text()
}

func TestPage_ReadFilledIn(t *testing.T) {
	t.Parallel()
	fill := func(t *testing.T, confidence float64, tagged bool, r hand.Reader) (hand.Result, bool) {
		t.Helper()
		g, inPrint := form(confidence)
		filled, ok, err := look(g, tagged).ReadFilledIn(t.Context(), r, inPrint)
		require.NoError(t, err)
		return filled, ok
	}
	t.Run("replaces the print model's reading of handwriting", func(t *testing.T) {
		t.Parallel()
		filled, ok := fill(t, 0.2, true, always("devant nous", 50, 20))
		require.True(t, ok)
		require.Len(t, filled.Blocks, 4, "print, print, handwriting, print")
		for i, b := range filled.Blocks {
			require.Equal(t, i == 2, b.Lines[0].Handwritten)
			require.NotContains(t, b.Lines[0].Text(), "mnw")
		}
		require.Len(t, filled.Blocks[2].Lines, 6)
		require.Less(t, filled.Confidence, 0.9)
	})
	t.Run("ignores handwriting that is barely legible", func(t *testing.T) {
		t.Parallel()
		_, ok := fill(t, 0.2, true, always("devant nous", 5, 20))
		require.False(t, ok)
	})
	t.Run("recognizes handwriting by its joined letters although the print model is sure of it", func(t *testing.T) {
		t.Parallel()
		g, inPrint := form(0.95)
		inPrint.Blocks[2].Lines[0].Words[1].Confidence = 0.8
		filled, ok, err := look(g, true).ReadFilledIn(t.Context(), always("devant nous", 60, 20), inPrint)
		require.NoError(t, err)
		require.True(t, ok)
		require.Len(t, filled.Blocks, 4)
		require.True(t, filled.Blocks[2].Lines[0].Handwritten)
		require.InDelta(t, 0.95, filled.Blocks[0].Lines[0].Words[0].Confidence, 0, "print that stays keeps its confidence")
	})
	t.Run("leaves the lines of print to later readings", func(t *testing.T) {
		t.Parallel()
		g, inPrint := form(0.2)
		page, r := look(g, true), always("devant nous", 50, 20)
		_, ok, err := page.ReadFilledIn(t.Context(), r, inPrint)
		require.NoError(t, err)
		require.True(t, ok)
		after, err := page.Read(t.Context(), r)
		require.NoError(t, err)
		alone, err := look(g, true).Read(t.Context(), r)
		require.NoError(t, err)
		require.Equal(t, blocksText(alone.Blocks), blocksText(after.Blocks))
	})
}

func TestPage_ReadFilledIn_print(t *testing.T) {
	t.Parallel()
	t.Run("keeps certain, known words whose letters touch, as in Gothic print", func(t *testing.T) {
		t.Parallel()
		list, err := lexicon.Read(own.Models()[own.EarlyPrint])
		require.NoError(t, err)
		for text, replaced := range map[string]bool{"devant nous comparu dans": false, "nn mn ww mnw": true} {
			g, inPrint := form(0.95)
			line := inPrint.Blocks[2].Lines[0]
			for i, word := range strings.Fields(text) {
				line.Words[i].Text = word
			}
			inPrint.Blocks = []document.Block{document.BlockOf([]document.Line{line})}
			page := hand.NewPage(g, imaging.Letters(g), hand.Models{Handwriting: "hand", Print: "print", TaggedFrench: true, PrintLexicon: list})
			filled, found, err := page.ReadFilledIn(t.Context(), always("par lequel", 60, 20), inPrint)
			require.NoError(t, err)
			require.Equal(t, replaced, found && !strings.Contains(blocksText(filled.Blocks), text), text)
		}
	})
	t.Run("reads nothing on a page of print, in any language", func(t *testing.T) {
		t.Parallel()
		g := ocrtest.Page("Extrait des registres des actes de naissance", "par devant nous est comparu le sieur")
		_, inPrint := form(0.95)
		inPrint.Blocks = inPrint.Blocks[:2]
		for _, tagged := range []bool{true, false} {
			r, n := counted(always("devant nous", 90, 20))
			_, ok, err := look(g, tagged).ReadFilledIn(t.Context(), r, inPrint)
			require.NoError(t, err)
			require.False(t, ok)
			require.Empty(t, n)
		}
	})
	t.Run("keeps doubtful lines only where others prove handwriting", func(t *testing.T) {
		t.Parallel()
		for sure, want := range map[int]int{5: 6, 3: 6, 2: 2, 0: 0} {
			g, inPrint := form(0.2)
			filled, _, err := look(g, true).ReadFilledIn(t.Context(), reader(func(_ string, i int, _ *image.Gray) []tesseract.Word {
				confidence := 60.0
				if i >= sure {
					confidence = 8
				}
				return []tesseract.Word{
					{Text: "comparution", Confidence: confidence, Box: image.Rect(0, 10, 900, 40)},
					{Text: "laboureur", Confidence: confidence, Box: image.Rect(900, 10, 1700, 40)},
				}
			}), withoutHandwriting(inPrint))
			require.NoError(t, err)
			require.Len(t, handwritten(filled), want, "%d lines are sure", sure)
		}
	})
}

// The words decide whether ink that looks only slightly like handwriting is handwriting, whatever the language tag.
func TestPage_ReadFilledIn_language(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, text string
		tagged     bool // as French
		filled     bool
	}{
		{"keeps French that is tagged French", "par devant nous dit", true, true},
		{"keeps French that is tagged something else", "par devant nous dit", false, true},
		{"drops English that is tagged French", "with many thanks for", true, false},
		{"drops English", "with many thanks for", false, false},
		{"drops too few words to tell", "Durand", false, false},
		{"keeps too few words to tell on a page tagged French", "Durand", true, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			g, inPrint := looseForm()
			filled, ok, err := look(g, c.tagged).ReadFilledIn(t.Context(), always(c.text, 60, 20), inPrint)
			require.NoError(t, err)
			require.Equal(t, c.filled, ok)
			written := handwritten(filled)
			if !c.filled {
				require.Empty(t, written)
				return
			}
			require.Len(t, written, 6)
			require.Greater(t, written[0].Words[0].Confidence, 0.5)
			require.Len(t, filled.Blocks, 4, "print, print, handwriting, print")
		})
	}
	t.Run("reads only as many lines as are needed to find the language", func(t *testing.T) {
		t.Parallel()
		g, inPrint := looseForm()
		scribble(g, 4, 450, 1000, 1000, 60)
		r, n := counted(always("with many thanks for", 60, 20))
		_, ok, err := look(g, false).ReadFilledIn(t.Context(), r, inPrint)
		require.NoError(t, err)
		require.False(t, ok)
		require.Equal(t, 6, n["hand"])
	})
}

// smallPrint returns a page with many lines of small print above handwriting three times as large, and the reading of the
// print.
func smallPrint() (*image.Gray, hand.Result) {
	g := ocrtest.BlankPage(1400, 1900)
	var lines []document.Line
	for i := range 18 {
		text := "many words of a small print stand close above a large hand and are read surely, each of them"
		paste(g, ocrtest.PageIn(goregular.TTF, 6, text), 36*i)
		var line document.Line
		for j, w := range strings.Fields(text) {
			box := document.Box{X: ocrtest.Left + 60*j, Y: 36*i + ocrtest.Baseline - 24, W: 60, H: 34}
			line.Words = append(line.Words, document.Word{Text: w, Box: box, Confidence: 0.98})
		}
		line.Box = document.WordsBox(line.Words)
		lines = append(lines, line)
	}
	for i := range 6 {
		ocrtest.Scribble(g, 100, 1250, 50, func(float64) float64 { return float64(950 + 160*i) }, uint64(i)) // #nosec G115 -- counts lines
	}
	return g, hand.Result{Confidence: 0.97, Blocks: []document.Block{document.BlockOf(lines)}}
}

func TestPage_ReadFilledIn_smallPrint(t *testing.T) {
	t.Parallel()
	for _, tagged := range []bool{true, false} {
		g, inPrint := smallPrint()
		filled, ok, err := look(g, tagged).ReadFilledIn(t.Context(), always("par devant nous dit", 60, 20), inPrint)
		require.NoError(t, err)
		require.True(t, ok)
		written := handwritten(filled)
		require.Len(t, written, 6)
		for i, l := range written {
			require.InDelta(t, 950+160*i, l.Baseline[0].Y, 25)
			require.InDelta(t, 110, l.Box.H, 50, "one line, not several in one")
		}
		require.Equal(t, inPrint.Blocks[0], filled.Blocks[0], "the print stays")
	}
}

func TestCertainWords(t *testing.T) {
	t.Parallel()
	words, err := lexicon.Read(own.Models()[own.EarlyPrint])
	require.NoError(t, err)
	certain := func(list *lexicon.Lexicon, sure float64, doubtful string) int {
		line := document.Line{Words: []document.Word{{Text: "registre", Confidence: sure}, {Text: doubtful, Confidence: 0.1}}}
		return len(hand.CertainWords(hand.Models{PrintLexicon: list}, []document.Block{document.BlockOf([]document.Line{line})}))
	}
	require.Equal(t, 2, certain(words, 0.9, "naissance"), "a long known word in a certain line")
	require.Equal(t, 1, certain(words, 0.9, "nnissnnce"), "an unknown word")
	require.Equal(t, 1, certain(words, 0.9, "tout"), "a short word")
	require.Equal(t, 1, certain(nil, 0.9, "naissance"), "no word list")
	require.Equal(t, 0, certain(words, 0.3, "naissance"), "a line that may be handwriting as a whole")
}
