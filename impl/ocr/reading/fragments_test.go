package reading_test

import (
	"image"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/image/font/gofont/gomono"

	"uncial/impl/ocr/decode"
	"uncial/impl/ocr/imaging"
	"uncial/impl/ocr/ocrtest"
	"uncial/impl/ocr/reading"
)

// roughPage returns a page whose ink covers only that share of the pixels of its letters, as on rough paper that was scanned
// at a high resolution.
func roughPage(ink float64, lines ...string) *image.Gray {
	page := ocrtest.PageIn(gomono.TTF, 11, lines...)
	page = imaging.Resize(page, 2*page.Rect.Dx(), 2*page.Rect.Dy())
	random := rand.New(rand.NewPCG(1, 2)) // #nosec G404 -- the same page in every run
	for i, v := range page.Pix {
		grain := uint8(random.IntN(20))
		if v < 200 && random.Float64() > ink {
			v = 200
		}
		page.Pix[i] = max(v, 90) - grain
	}
	return page
}

func TestRead_fragments(t *testing.T) {
	t.Parallel()
	want := "La salle au rez de chaussée\nde la maison de Jean sur les\nhauteurs, près de la ville.\nIntérieur de paysan aisé."
	var steps []string
	for why, c := range map[string]struct {
		ink    float64
		joined bool
	}{
		"smooths letters that break into fragments": {0.5, true},
		"leaves whole letters as they are":          {1, false},
	} {
		steps = nil
		options := reading.Options{Language: "fr", Changed: func(step string) { steps = append(steps, step) }}
		page := roughPage(c.ink, strings.Split(want, "\n")...)
		result, err := reading.Read(t.Context(), decode.Page{Image: page}, options, MustEngines(t, 1))
		require.NoError(t, err, why)
		require.Equal(t, c.joined, slices.Contains(steps, "fragments"), why)
		text := strings.ToLower(strings.ReplaceAll(result.Page.Text(), "\n\n", "\n")) // in this type, l and L are alike
		require.Equal(t, strings.ToLower(want), text, why)
		box := result.Page.Blocks[0].Lines[0].Box
		require.InDelta(t, 140, box.Y, 25, "%s: boxes are in pixels of the page", why)
	}
}
