package decode_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/impl/ocr"
	"uncial/impl/ocr/decode"
)

// FuzzPages reads whatever may be sent. The decoders of Go alone: a library is no subject of this test.
func FuzzPages(f *testing.F) {
	for _, data := range MustSamples(f) {
		f.Add(data)
	}
	f.Add(loop())
	f.Add(jpegOfScans(64, 3))
	f.Fuzz(func(t *testing.T, data []byte) {
		h, err := decode.Inspect(data)
		if err != nil {
			requireFault(t, err)
			return
		}
		pixels := 0
		for _, p := range h.Pages {
			require.Positive(t, min(p.Width, p.Height))
			require.LessOrEqual(t, max(p.Width, p.Height), ocr.MaxSide)
			pixels += p.Width * p.Height
		}
		require.LessOrEqual(t, pixels, ocr.MaxPixels)
		require.LessOrEqual(t, len(h.Pages), ocr.MaxPages)
		if pixels > 1_000_000 {
			return // allowed, but slow to look for faults with
		}
		n := 0
		for page, err := range decode.Pages(data, none{}) {
			if err != nil {
				requireFault(t, err)
				return
			}
			size, want := page.Image.Bounds().Size(), h.Pages[n]
			require.Contains(t, []decode.Size{want, {Width: want.Height, Height: want.Width}}, decode.Size{Width: size.X, Height: size.Y})
			n++
		}
		require.Len(t, h.Pages, n)
	})
}

// requireFault holds an error to be the image's, with a reason fit for a caller.
func requireFault(tb testing.TB, err error) {
	tb.Helper()
	var fault *ocr.ImageError
	require.ErrorAs(tb, err, &fault)
	require.NotEmpty(tb, fault.Reason)
	for _, internal := range []string{"%!", "image.", "decode.", "invalid", "runtime"} {
		require.NotContains(tb, fault.Reason, internal)
	}
}
