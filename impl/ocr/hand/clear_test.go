package hand_test

import (
	"image"
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/impl/ocr/tesseract"
	"uncial/internal/document"
)

// withPosterior returns a reader whose words have a posterior.
func withPosterior(r reader, share float64) reader {
	return func(model string, i int, s *image.Gray) []tesseract.Word {
		words := r(model, i, s)
		for j := range words {
			words[j].Signals = &document.Signals{Posterior: share}
		}
		return words
	}
}

func TestPage_ReadFilledIn_clear(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name                  string
		tagged                bool // as French
		text                  string
		confidence, posterior float64
		inPrint               float64 // confidence of the print at the first line, 0 for none
		lines                 int
	}{
		{"reads lines of joined letters on an English page", false, "many thanks", 60, 0.9, 0, 6},
		{"reads them where print is unlikely to be right", false, "many thanks", 60, 0.9, 0.3, 6},
		{"drops a line that is likely to be print", false, "many thanks", 60, 0.9, 0.6, 5},
		{"drops lines for which many texts are likely", false, "many thanks", 60, 0.4, 0, 0},
		{"drops lines that the network is not sure of", false, "many thanks", 20, 0.9, 0, 0},
		{"drops lines of few characters", false, "for", 60, 0.9, 0, 0},
		{"reads lines of separate letters too where others prove handwriting", true, "devant nous", 60, 0.9, 0, 12},
		{"drops lines of separate letters for which many texts are likely", true, "devant nous", 60, 0.4, 0, 6},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			g, inPrint := looseForm()
			if c.inPrint > 0 {
				_, other := form(c.inPrint)
				inPrint.Blocks = append(inPrint.Blocks, other.Blocks[2])
			}
			r := withPosterior(always(c.text, c.confidence, 20), c.posterior)
			filled, ok, err := look(g, c.tagged).ReadFilledIn(t.Context(), r, inPrint)
			require.NoError(t, err)
			require.Equal(t, c.lines > 0, ok)
			require.Len(t, handwritten(filled), c.lines)
		})
	}
}
