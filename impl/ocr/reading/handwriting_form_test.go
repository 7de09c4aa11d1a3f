package reading_test

import (
	"image"
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/impl/ocr/decode"
	"uncial/impl/ocr/ocrtest"
	"uncial/impl/ocr/reading"
	"uncial/internal/accuracy"
)

// MustForm draws a printed form with seven handwritten lines between lines of print. small is the x-height of the handwriting
// in pixels.
func MustForm(small int) *image.Gray {
	g := ocrtest.BlankPage(1700, 1700)
	set := func(y int, lines ...string) {
		part := ocrtest.Page(lines...)
		for i, v := range part.Pix {
			if px, py := i%part.Stride, y+i/part.Stride; v < 128 {
				g.Pix[py*g.Stride+px] = v
			}
		}
	}
	set(0, "Extrait des registres des actes de naissance", "de la commune de Saint Martin pour l'année 1847")
	for i := range formLines {
		ocrtest.Write(g, 120, small, func(float64) float64 { return float64(350 + 130*i) }, deed[i%len(deed)], uint64(i)) // #nosec G115 -- counts lines
	}
	set(1250, "Pour copie conforme délivrée par le greffier", "Le maire de la commune et les témoins")
	return g
}

const formLines = 7

// TestRead_SeparatesPrintAndHandwriting checks that the real models separate blocks of print and handwriting, in French and in
// English.
func TestRead_SeparatesPrintAndHandwriting(t *testing.T) {
	t.Parallel()
	engines := MustEngines(t, 4)
	for _, c := range []struct {
		language string
		small    int
	}{{"fr", 26}, {"fr", 32}, {"en", 26}, {"en", 32}} {
		result, err := reading.Read(t.Context(), decode.Page{Image: MustForm(c.small)}, reading.Options{Language: c.language}, engines)
		require.NoError(t, err)
		written, printed := 0, 0
		for _, b := range result.Page.Blocks {
			for _, l := range b.Lines {
				middle := l.Box.Y + l.Box.H/2
				isHandwritten := middle > 250 && middle < 1250
				require.Equal(t, isHandwritten, l.Handwritten, "%s, %d: %s", c.language, c.small, l.Text())
				require.Equal(t, isHandwritten, b.Lines[0].Handwritten, "a block is either print or handwriting")
				if isHandwritten {
					written++
				} else {
					printed++
				}
			}
		}
		require.Equal(t, []int{formLines, 4}, []int{written, printed}, "%s, %d", c.language, c.small)
		text := accuracy.Folded(result.Page.Text())
		require.Contains(t, text, "Extrait des registres des actes de naissance")
		require.Contains(t, text, "sieur martin")
		require.Contains(t, text, "Le maire de la commune et")
	}
}
