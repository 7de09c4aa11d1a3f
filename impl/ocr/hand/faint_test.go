package hand_test

import (
	"errors"
	"image"
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/impl/ocr/hand"
	"uncial/impl/ocr/imaging"
	"uncial/impl/ocr/ocrtest"
	"uncial/impl/ocr/tesseract"
	"uncial/internal/document"
)

// fade divides the contrast of a part of a page by a factor.
func fade(g *image.Gray, part image.Rectangle, by uint8) {
	faded := imaging.Crop(g, part)
	for i, v := range faded.Pix {
		faded.Pix[i] = 235 - (235-min(v, 235))/by
	}
	imaging.Copy(g, part, faded, image.Point{})
}

func TestPage_Read_faint(t *testing.T) {
	t.Parallel()
	const sentence = "quelques mots lisibles"
	lower := image.Rect(0, 792, 1300, 1600)
	half := func(by uint8) *image.Gray {
		g := scribbled(16) // one line in 80 pixels, from y = 200 on
		fade(g, lower, by)
		return g
	}
	upper := scribbled(8)
	corner := ocrtest.BlankPage(1300, 1600)
	scribble(corner, 8, 100, 1200, 150, 80)
	scribble(corner, 8, 100, 560, 900, 80)
	scribble(corner, 8, 700, 1200, 900, 80)
	fade(corner, image.Rect(0, 0, 1300, 840), 3)
	fade(corner, image.Rect(0, 840, 620, 1600), 5)
	legible, calls := always(sentence, 90, 10), 0
	for name, c := range map[string]struct {
		page   *image.Gray
		reader reader
		lines  int
	}{
		"a faint half":              {half(8), legible, 16},
		"a blank half":              {upper, legible, 8},
		"writing as faint as grain": {half(40), legible, 8},
		"two faint parts":           {corner, legible, 24},
		"writing from the back": {half(8), func(model string, i int, s *image.Gray) []tesseract.Word {
			if i == 0 {
				calls++
			}
			if calls == 1 {
				return always(sentence, 5, 5)(model, i, s)
			}
			return legible(model, i, s)
		}, 8},
	} {
		page := hand.NewPage(c.page, imaging.Letters(c.page), hand.Models{Handwriting: "hand", Print: "print", PrintAccuracy: func(own float64) float64 { return own }})
		result, err := page.Read(t.Context(), c.reader)
		require.NoError(t, err, name)
		n := 0
		for range document.Lines(result.Blocks) {
			n++
		}
		require.Equal(t, c.lines, n, name)
	}
	failed := errors.New("failed")
	g := half(5)
	_, err := hand.NewPage(g, imaging.Letters(g), hand.Models{Handwriting: "hand"}).Read(t.Context(), broken{failed})
	require.ErrorIs(t, err, failed)
}
