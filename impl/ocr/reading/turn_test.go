package reading_test

import (
	"image"
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

// tale is from Dickens, A Tale of Two Cities (1859).
var tale = []string{
	"It was the best of times, it was the worst of times,", "it was the age of wisdom, it was the age of foolishness,",
	"it was the epoch of belief, it was the epoch of incredulity,", "it was the season of Light, it was the season of",
	"Darkness, it was the spring of hope, it was the winter of", "despair, we had everything before us, we had nothing",
	"before us, we were all going direct to Heaven, we were", "all going direct the other way - in short, the period was",
	"so far like the present period, that some of its noisiest", "authorities insisted on its being received, for good or",
	"for evil, in the superlative degree of comparison only.",
}

// written returns a page of joined handwriting.
func written() *image.Gray {
	page := ocrtest.BlankPage(1700, 1500)
	for i, line := range deed {
		for j := range 2 {
			ocrtest.Write(page, 120, 30, func(float64) float64 { return float64(150 + 130*(i+j*len(deed))) }, line, uint64(i+j)) // #nosec G115 -- counts lines
		}
	}
	return page
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
