package hand_test

import (
	"context"
	"image"
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/impl/ocr/hand"
	"uncial/impl/ocr/imaging"
	"uncial/impl/ocr/lexicon"
	"uncial/impl/ocr/models/own"
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
		"Latin that has words of French":              {"et dominus est in domo", true, false},
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
	result, ok, err := read(t, hand.Look(g, imaging.Letters(g), models), firstOf{doubtful{"moutagne", map[int]tesseract.Choice{2: or("n", 20)}}})
	require.NoError(t, err)
	require.True(t, ok)
	require.Equal(t, "montagne dans cette", result.Blocks[0].Lines[0].Text())
	require.Len(t, result.Edits, 15)
}
