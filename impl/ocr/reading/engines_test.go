package reading_test

import (
	"image"
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/impl/ocr/ocrtest"
	"uncial/impl/ocr/tesseract"
)

func TestEngines_BoundMemoryOfModels(t *testing.T) {
	t.Parallel()
	line := ocrtest.Page("one line").SubImage(image.Rect(0, 0, 400, 160)).(*image.Gray)
	models := []string{"eng", "deu", "fra", "lat", "ita", "spa"}
	for name, c := range map[string]struct {
		memory int64
		want   int
	}{
		"keeps the models of five languages and more": {100_000_000, len(models)},
		"keeps as many as the memory allows":          {25_000_000, 2},
		"keeps the model in use whatever its size":    {1, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			engines := MustEngines(t, 12)
			engines.SetMemory(c.memory)
			for _, model := range models {
				_, err := engines.Read(t.Context(), line, 300, model, tesseract.SingleLine)
				require.NoError(t, err)
			}
			require.Equal(t, c.want, engines.Warm())
		})
	}
}
