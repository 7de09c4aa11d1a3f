package hand_test

import (
	"image"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/impl/ocr/layout"
	"uncial/impl/ocr/ocrtest"
	"uncial/impl/ocr/tesseract"
)

// The words that were read say whether a page is French, whatever it is tagged; the confidence follows.
func TestPage_Read_language(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, text string
		tagged     bool // as French
		lines      int
		french     bool
	}{
		{"French tagged French", "par devant nous", true, 15, true},
		{"French tagged something else", "par devant nous", false, 15, true},
		{"English tagged French", "with many thanks", true, 15, false},
		{"English", "with many thanks", false, 15, false},
		{"German that has words of French", "des herrn und ist", false, 15, false},
		{"Spanish that has words of French", "de la villa del rey y su tierra que es", false, 15, false},
		{"a Spanish deed, half in words of both", "de la villa que en su", false, 15, false},
		{"Catalan", "de la vila que les altres amb els", false, 15, false},
		{"Occitan", "de la vila que las autras un lo", false, 15, false},
		{"Romanian", "se de la un ce au în care din nu cu", false, 15, false},
		{"Latin that has words of French", "et dominus est in domo", true, 15, false},
		{"a wavy line that is read as French", "mme une mine nu nue mieux sur un mme", true, 15, false},
		{"names alone, tagged French", "Durand Lefebvre", true, 15, false},
		{"too few words to tell, tagged French", "Durand Lefebvre", true, 9, true},
		{"too few words to tell", "Durand Lefebvre", false, 9, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got := mustRead(t, look(scribbled(c.lines), c.tagged), always(c.text, 50, 20))
			for _, confidence := range []float64{got.Confidence, got.Blocks[0].Lines[0].Words[0].Confidence} {
				require.Equal(t, c.french, confidence > 0.5, confidence)
				require.Equal(t, !c.french, confidence < 0.4, confidence)
			}
		})
	}
}

// A printed heading says nothing about the language of the handwriting below it. The print model is sure of the heading as it
// stands on the page, and the handwriting model reads its narrow strip as French.
func TestPage_Read_printedHeading(t *testing.T) {
	t.Parallel()
	g := scribbled(15)
	paste(g, ocrtest.Page("Extrait des registres"), 30)
	got := mustRead(t, look(g, false), reader(func(model string, i int, s *image.Gray, detail tesseract.Detail) []tesseract.Word {
		switch {
		case model == "print" && s.Rect.Dy() != layout.Height:
			return always("Extrait", 0, 95)(model, i, s, detail)
		case model == "print":
			return always("Extrait", 0, 20)(model, i, s, detail)
		case s.Rect.Dx() < 500:
			return always(strings.Repeat("dans cette ", 40), 50, 0)(model, i, s, detail)
		}
		return always("with many thanks", 50, 0)(model, i, s, detail)
	}))
	require.False(t, got.Blocks[0].Lines[0].Handwritten)
	require.Equal(t, "Extrait", got.Blocks[0].Lines[0].Text())
	require.Less(t, got.Confidence, 0.4)
}
