//go:build !race

package reading_test

import (
	"image"
	"image/draw"
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/impl/ocr/decode"
	"uncial/impl/ocr/imaging"
	"uncial/impl/ocr/ocrtest"
	"uncial/impl/ocr/reading"
)

func TestRead_turnPrint(t *testing.T) {
	t.Parallel()
	engines := MustEngines(t, 4)
	upright := ocrtest.Page(tale...)
	for _, quarters := range []int{1, 2} {
		result, err := reading.Read(t.Context(), decode.Page{Image: imaging.Turn(upright, 4-quarters)}, reading.Options{Language: "en"}, engines)
		require.NoError(t, err)
		require.Contains(t, result.Page.Text(), "it was the age of wisdom", "turned by %d degrees", 90*quarters)
		require.Greater(t, result.Page.Confidence, 0.85)
		require.Equal(t, []int{90 * quarters, ocrtest.Width}, []int{result.Page.Rotation, result.Page.Width})
	}
}

// TestRead_turnFewLines checks pages whose few lines the middle of the page cuts or lacks.
func TestRead_turnFewLines(t *testing.T) {
	t.Parallel()
	engines := MustEngines(t, 4)
	lines := ocrtest.Page(tale[:4]...)
	upright := ocrtest.BlankPage(lines.Rect.Dx(), 2*lines.Rect.Dx())
	draw.Draw(upright, lines.Rect, lines, image.Point{}, draw.Src)
	for _, quarters := range []int{1, 2, 3} {
		result, err := reading.Read(t.Context(), decode.Page{Image: imaging.Turn(upright, 4-quarters)}, reading.Options{Language: "en"}, engines)
		require.NoError(t, err)
		require.Contains(t, result.Page.Text(), "it was the worst of times", "turned by %d degrees", 90*quarters)
		require.Equal(t, 90*quarters, result.Page.Rotation)
	}
}

func TestRead_turnHandwriting(t *testing.T) {
	t.Parallel()
	engines := MustEngines(t, 4)
	upright := written()
	for quarters := range 3 {
		result, err := reading.Read(t.Context(), decode.Page{Image: imaging.Turn(upright, 4-quarters)}, reading.Options{Language: "fr"}, engines)
		require.NoError(t, err)
		require.Equal(t, 90*quarters, result.Page.Rotation)
		require.Contains(t, result.Page.Text(), "maire de la commune", "turned by %d degrees", 90*quarters)
		require.True(t, result.Page.Blocks[0].Lines[0].Handwritten)
	}
}

func TestPage_UprightAsHandwriting(t *testing.T) {
	t.Parallel()
	engines, upright := MustEngines(t, 2), written()
	for quarters := range 4 {
		found, err := reading.UprightAsHandwriting(t.Context(), engines, imaging.Turn(upright, 4-quarters))
		require.NoError(t, err)
		require.Equal(t, quarters, found, "by what is read in the lines, not by the shape of the ink")
	}
}
