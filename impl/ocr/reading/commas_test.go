package reading_test

import (
	"cmp"
	"image"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/impl/ocr/imaging"
	"uncial/impl/ocr/ocrtest"
	"uncial/impl/ocr/reading"
	"uncial/internal/document"
)

// TestWithoutFalseMarks checks that a comma that the network added stays only where the page has ink.
func TestWithoutFalseMarks(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ page, had, read, want string }{
		{"mounnon    mun", "mounnon", "mounnon,", "mounnon"},
		{"mounnon,   mun", "mounnon", "mounnon,", "mounnon,"},
		{"mounnon ,  mun", "mounnon", "mounnon,", "mounnon,"},
		{"mounnon    mun", "mounnon,", "mounnon,", "mounnon,"},
		{"mounnon    mun", "mounnom", "mounnon,", "mounnon,"},
		{"mounnon    mun", "mounnon", "mounnon.", "mounnon."},
	} {
		img := ocrtest.Page(c.page, "", "mun nun mon non mun nun mon non mun nun")
		letters := slices.SortedFunc(slices.Values(imaging.Letters(imaging.Crop(img, image.Rect(0, 0, img.Rect.Dx(), ocrtest.Baseline+ocrtest.Pitch)))), func(a, b image.Rectangle) int { return cmp.Compare(a.Min.X, b.Min.X) })
		box := document.BoxOf(imaging.Union(letters[:7]))
		words := func(text string) []document.Word { return []document.Word{{Text: text, Box: box}} }
		require.Equal(t, c.want, reading.WithoutFalseMarks(img, document.Line{Box: box, Words: words(c.read)}, words(c.had)), "%+v", c)
	}
}
