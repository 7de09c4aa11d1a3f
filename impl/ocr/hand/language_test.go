package hand_test

import (
	"context"
	"image"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/impl/ocr/hand"
	"uncial/impl/ocr/imaging"
	"uncial/impl/ocr/layout"
	"uncial/impl/ocr/lexicon"
	"uncial/impl/ocr/models/own"
	"uncial/impl/ocr/ocrtest"
	"uncial/impl/ocr/tesseract"
)

// TestPage_Read_language: what was read says whether the model has learnt the language, whatever the caller says.
func TestPage_Read_language(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text   string
		named  bool // the caller says that it is French
		learnt bool
	}{
		"French that the caller calls so":             {"par devant nous", true, true},
		"French that the caller calls something else": {"par devant nous", false, true},
		"English that the caller calls French":        {"with many thanks", true, false},
		"English":                                     {"with many thanks", false, false},
		"German that has words of French":             {"des herrn und ist", false, false},
		"Spanish that has words of French":            {"de la villa del rey y su tierra que es", false, false},
		"a Spanish deed, half in words of both":       {"de la villa que en su", false, false},
		"Catalan":                                     {"de la vila que les altres amb els", false, false},
		"Occitan":                                     {"de la vila que las autras un lo", false, false},
		"Romanian":                                    {"se de la un ce au în care din nu cu", false, false},
		"Latin that has words of French":              {"et dominus est in domo", true, false},
		"a wavy line that is read as French":          {"mme une mine nu nue mieux sur un mme", true, false},
		"names alone, called French":                  {"Durand Lefebvre", true, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newReader(50, 20)
			r.text = c.text
			got, ok, err := read(t, look(scribbled(15), c.named), r)
			require.NoError(t, err)
			require.True(t, ok)
			for _, confidence := range []float64{got.Confidence, got.Blocks[0].Lines[0].Words[0].Confidence} {
				require.Equal(t, c.learnt, confidence > 0.5, confidence)
				require.Equal(t, !c.learnt, confidence < 0.4, confidence)
			}
		})
	}
	t.Run("few words tell nothing, the caller is believed", func(t *testing.T) {
		t.Parallel()
		for _, named := range []bool{true, false} {
			r := newReader(50, 20)
			r.text = "Durand Lefebvre"
			got, ok, err := read(t, look(scribbled(9), named), r)
			require.NoError(t, err)
			require.True(t, ok)
			require.Equal(t, named, got.Confidence > 0.5, got.Confidence)
		}
	})
}

// headed reads the narrow strips, of a printed heading, as French, and all others as English. The model for print is sure of
// the heading as it stands on the page.
type headed struct{}

func (h headed) ReadStrips(_ context.Context, model string, strips []*image.Gray, _ tesseract.Detail) ([][]tesseract.Word, error) {
	out := make([][]tesseract.Word, len(strips))
	for i, s := range strips {
		text, confidence := "with many thanks", 50.0
		switch {
		case model == "print":
			text, confidence = "Extrait", 20.0
			if s.Rect.Dy() != layout.Height {
				confidence = 95
			}
		case s.Rect.Dx() < 500:
			text = strings.Repeat("dans cette ", 40)
		}
		for word := range strings.FieldsSeq(text) {
			out[i] = append(out[i], tesseract.Word{Text: word, Confidence: confidence, Box: image.Rect(0, 10, s.Rect.Dx(), 40)})
		}
	}
	return out, nil
}

// TestPage_Read_language_of_the_hand: a printed heading says nothing of the language of the hand below it.
func TestPage_Read_language_of_the_hand(t *testing.T) {
	t.Parallel()
	g := scribbled(15)
	paste(g, ocrtest.Page("Extrait des registres"), 30)
	got, ok, err := read(t, look(g, false), headed{})
	require.NoError(t, err)
	require.True(t, ok)
	require.False(t, got.Blocks[0].Lines[0].Handwritten)
	require.Equal(t, "Extrait", got.Blocks[0].Lines[0].Text())
	require.Less(t, got.Confidence, 0.4)
}

// firstOf reads every strip as a French line whose first word is a doubtful one.
type firstOf struct{ doubtful }

func (f firstOf) ReadStrips(ctx context.Context, model string, strips []*image.Gray, detail tesseract.Detail) ([][]tesseract.Word, error) {
	out, err := f.doubtful.ReadStrips(ctx, model, strips, detail)
	for i := range out {
		for _, text := range []string{"dans", "cette"} {
			out[i] = append(out[i], tesseract.Word{Text: text, Confidence: 50, Box: out[i][0].Box})
		}
	}
	return out, err
}

// TestPage_Read_enhanced_language: the word list is that of the language that was read.
func TestPage_Read_enhanced_language(t *testing.T) {
	t.Parallel()
	words, err := lexicon.Read(own.Models()[own.HandFrench])
	require.NoError(t, err)
	g := scribbled(15)
	models := hand.Models{Hand: "hand", Print: "print", Learnt: words, Enhance: true, InPrint: func(own float64) float64 { return own }}
	page, reader := hand.Look(g, imaging.Letters(g), models), firstOf{doubtful{"moutagne", map[int]tesseract.Choice{2: or("n", 20)}}}
	result, ok, err := read(t, page, reader)
	require.NoError(t, err)
	require.True(t, ok)
	require.Equal(t, "montagne dans cette", result.Blocks[0].Lines[0].Text())
	require.Len(t, result.Edits, 15)
	again, err := page.Read(t.Context(), reader)
	require.NoError(t, err)
	require.Equal(t, result, again, "what was read is kept as it was read")
}
