package reading_test

import (
	"image"
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/impl/ocr/decode"
	"uncial/impl/ocr/ocrtest"
	"uncial/impl/ocr/reading"
	"uncial/internal/document"
)

func TestRead_faintPageBesideClearOne(t *testing.T) {
	t.Parallel()
	engines := MustEngines(t, 2)
	strong := ocrtest.Page(tale...)
	// Melville, Moby-Dick (1851).
	faint := ocrtest.Page(
		"Call me Ishmael. Some years ago - never mind how long", "precisely - having little or no money in my purse, and",
		"nothing particular to interest me on shore, I thought I", "would sail about a little and see the watery part of the",
		"world. It is a way I have of driving off the spleen,", "and regulating the circulation.",
	)
	for i, v := range faint.Pix {
		faint.Pix[i] = 235 + v/14 // the darkest ink is 235 on paper of 253
	}
	read := func(left, right *image.Gray, without ...string) *document.Page {
		result, err := reading.Read(t.Context(), decode.Page{Image: sideBySide(left, right)}, reading.Options{Language: "en", Without: without}, engines)
		require.NoError(t, err)
		return &result.Page
	}
	require.NotContains(t, read(strong, faint, "faint").Text(), "watery part")
	right, left := read(strong, faint), read(faint, strong)
	require.Regexp(t, "(?s)age of wisdom.*watery part", right.Text())
	require.Regexp(t, "(?s)watery part.*age of wisdom", left.Text())
	illegible := read(strong, mirrored(faint))
	require.Len(t, illegible.Doubts, 1)
	require.Equal(t, document.UnreadInk, illegible.Doubts[0].Reason)
	require.Greater(t, illegible.Doubts[0].Box.X, strong.Rect.Dx()/2)
	require.Less(t, illegible.Confidence, right.Confidence-0.2)
}
