package reading_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/impl/ocr/decode"
	"uncial/impl/ocr/imaging"
	"uncial/impl/ocr/ocrtest"
	"uncial/impl/ocr/reading"
)

func TestRead_turns_a_page_upright(t *testing.T) {
	t.Parallel()
	engines := MustEngines(t, 4)
	upright := ocrtest.Page(cleanPages[0]...)
	for _, quarters := range []int{1, 2} {
		result, err := reading.Read(t.Context(), decode.Page{Image: imaging.Turn(upright, 4-quarters)}, reading.Options{Language: "en"}, engines)
		require.NoError(t, err)
		require.Contains(t, result.Page.Text(), "it was the age of wisdom", "turned by %d degrees", 90*quarters)
		require.Greater(t, result.Confidence, 0.85)
		require.Equal(t, []int{90 * quarters, ocrtest.Width}, []int{result.Page.Rotation, result.Page.Width})
	}
}
