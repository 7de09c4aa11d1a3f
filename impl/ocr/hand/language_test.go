package hand_test

import (
	"image"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/impl/ocr/hand"
	"uncial/impl/ocr/layout"
	"uncial/impl/ocr/ocrtest"
	"uncial/impl/ocr/tesseract"
	"uncial/internal/document"
)

// The words that were read decide whether a page is French, whatever its tag.
func TestIsFrench(t *testing.T) {
	t.Parallel()
	written := func(text string, n int) []document.Line {
		var line document.Line
		for word := range strings.FieldsSeq(text) {
			line.Words = append(line.Words, document.Word{Text: word})
		}
		line.Handwritten = true
		return slices.Repeat([]document.Line{line}, n)
	}
	printed := func(text string, n int) []document.Line {
		lines := written(text, n)
		for i := range lines {
			lines[i].Handwritten = false
		}
		return lines
	}
	for name, c := range map[string]struct {
		lines  []document.Line
		tagged bool // as French
		want   bool
	}{
		"French tagged French":                    {written("par devant nous", 15), true, true},
		"French tagged something else":            {written("par devant nous", 15), false, true},
		"English tagged French":                   {written("with many thanks", 15), true, false},
		"English":                                 {written("with many thanks", 15), false, false},
		"English under a French heading in print": {slices.Concat(printed("dans cette", 40), written("with many thanks", 15)), false, false},
		"German that has words of French":         {written("des herrn und ist", 15), false, false},
		"Spanish that has words of French":        {written("de la villa del rey y su tierra que es", 15), false, false},
		"a Spanish deed, half in words of both":   {written("de la villa que en su", 15), false, false},
		"Catalan":                                 {written("de la vila que les altres amb els", 15), false, false},
		"Occitan":                                 {written("de la vila que las autras un lo", 15), false, false},
		"Romanian":                                {written("se de la un ce au în care din nu cu", 15), false, false},
		"Latin that has words of French":          {written("et dominus est in domo", 15), true, false},
		"a wavy line that is read as French":      {written("mme une mine nu nue mieux sur un mme", 15), true, false},
		"names alone, tagged French":              {written("Durand Lefebvre", 15), true, false},
		"too few words to tell, tagged French":    {written("Durand Lefebvre", 9), true, true},
		"too few words to tell":                   {written("Durand Lefebvre", 9), false, false},
	} {
		t.Run("recognizes "+name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, c.want, hand.IsFrench(c.lines, c.tagged))
		})
	}
}

// The print model is sure of a printed heading that is cut out unchanged; the handwriting model is sure of the heading as a
// strip.
func TestPage_Read_printedHeading(t *testing.T) {
	t.Parallel()
	g := scribbled(15)
	paste(g, ocrtest.Page("Extrait des registres"), 30)
	got := mustRead(t, look(g, false), reader(func(model string, i int, s *image.Gray) []tesseract.Word {
		switch {
		case model == "print" && s.Rect.Dy() != layout.Height:
			return always("Extrait", 0, 95)(model, i, s)
		case model == "print":
			return always("Extrait", 0, 20)(model, i, s)
		case s.Rect.Dx() < 500:
			return always(strings.Repeat("dans cette ", 40), 50, 0)(model, i, s)
		}
		return always("with many thanks", 50, 0)(model, i, s)
	}))
	require.False(t, got.Blocks[0].Lines[0].Handwritten)
	require.Equal(t, "Extrait", got.Blocks[0].Lines[0].Text())
}
