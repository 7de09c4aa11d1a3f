package reading_test

import (
	"fmt"
	"image"
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/impl/ocr/imaging"
	"uncial/impl/ocr/models"
	"uncial/impl/ocr/models/own"
	"uncial/impl/ocr/ocrtest"
	"uncial/impl/ocr/reading"
	"uncial/impl/ocr/tesseract"
)

func TestEngines_ReadStrips(t *testing.T) {
	t.Parallel()
	set, err := models.Find()
	require.NoError(t, err)
	var strips []*image.Gray
	for i := range 8 {
		line := imaging.Crop(ocrtest.Page(fmt.Sprintf("le %d mars devant nous", 10+i)), image.Rect(30, 45, 900, 125))
		strips = append(strips, imaging.Resize(line, 48*870/80, 48))
	}
	var before [][]tesseract.Word
	for _, threads := range []int{1, 2, 3} {
		engines := reading.NewEngines(set, 1)
		engines.SetThreads(threads)
		for _, detail := range []tesseract.Detail{tesseract.Words, tesseract.Symbols, tesseract.Words} {
			words, err := engines.ReadStrips(t.Context(), own.Hands, strips, detail)
			require.NoError(t, err)
			require.Len(t, words, len(strips))
			require.Equal(t, detail == tesseract.Symbols, words[0][0].Symbols != nil)
			if detail == tesseract.Symbols {
				continue
			}
			if before != nil {
				require.Equal(t, before, words, "same result on %d threads", threads)
			}
			before = words
		}
		none, err := engines.ReadStrips(t.Context(), own.Hands, nil, tesseract.Words)
		require.NoError(t, err)
		require.Empty(t, none)
		engines.Close()
	}
}
