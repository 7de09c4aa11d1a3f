package decode_test

import (
	"image"
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/impl/ocr"
	"uncial/impl/ocr/decode"
)

// FuzzPages decodes arbitrary bytes without the library.
func FuzzPages(f *testing.F) {
	for _, data := range MustSamples(f) {
		f.Add(data)
	}
	f.Add(loop())
	f.Add(jpegOfScans(64, 3))
	f.Fuzz(func(t *testing.T, data []byte) {
		_, frames, err := decode.Inspect(data)
		if err != nil {
			requireInvalidImage(t, err)
			return
		}
		pixels := 0
		for _, p := range frames {
			require.Positive(t, min(p.Width, p.Height))
			require.LessOrEqual(t, max(p.Width, p.Height), ocr.MaxSide)
			pixels += p.Width * p.Height
		}
		require.LessOrEqual(t, pixels, ocr.MaxPixels)
		require.LessOrEqual(t, len(frames), ocr.MaxPages)
		if pixels > 1_000_000 {
			return // allowed, but slow
		}
		n := 0
		for page, err := range decode.Pages(data, none{}) {
			if err != nil {
				requireInvalidImage(t, err)
				return
			}
			size, want := page.Image.Bounds().Size(), frames[n].Size
			require.Contains(t, []image.Point{{want.Width, want.Height}, {want.Height, want.Width}}, size)
			n++
		}
		require.Len(t, frames, n)
	})
}

// requireInvalidImage checks that an error is about the image and that its reason contains no internal names.
func requireInvalidImage(tb testing.TB, err error) {
	tb.Helper()
	var invalid *ocr.ImageError
	require.ErrorAs(tb, err, &invalid)
	require.NotEmpty(tb, invalid.Reason)
	for _, internal := range []string{"%!", "image.", "decode.", "invalid", "runtime"} {
		require.NotContains(tb, invalid.Reason, internal)
	}
}
