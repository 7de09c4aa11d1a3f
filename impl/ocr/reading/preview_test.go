package reading_test

import (
	"bytes"
	"image"
	"image/jpeg"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/impl/ocr/imaging"
	"uncial/impl/ocr/ocrtest"
	"uncial/impl/ocr/reading"
	"uncial/internal/document"
)

func TestFile_Preview(t *testing.T) {
	t.Parallel()
	upright := ocrtest.Page(tale...)
	for name, quarters := range map[string]int{"an upright page": 0, "a page on its side that is read without turning it": 1, "a page that is turned upright": 3} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			data := ocrtest.MustPNG(t, imaging.Turn(upright, quarters))
			doc, err := reading.File(t.Context(), data, reading.Options{Language: "en", Preview: true}, MustEngines(t, 1))
			require.NoError(t, err)
			page := doc.Pages[0]
			img, err := jpeg.Decode(bytes.NewReader(page.Preview))
			require.NoError(t, err)
			size := img.Bounds().Size()
			require.LessOrEqual(t, max(size.X, size.Y), document.MaxPreviewSide)
			require.InDelta(t, float64(page.Width)/float64(page.Height), float64(size.X)/float64(size.Y), 0.01)
			inside, all := ink(imaging.FromImage(img), page)
			require.Greater(t, inside, 0.98*all, "the ink of the preview is in the boxes of the words")
		})
	}
	t.Run("is nil unless requested", func(t *testing.T) {
		t.Parallel()
		doc, err := reading.File(t.Context(), ocrtest.MustPNG(t, upright), reading.Options{Language: "en"}, MustEngines(t, 1))
		require.NoError(t, err)
		require.Nil(t, doc.Pages[0].Preview)
	})
	t.Run("noise stays below the limit", func(t *testing.T) {
		t.Parallel()
		noise := image.NewRGBA(image.Rect(0, 0, document.MaxPreviewSide, document.MaxPreviewSide))
		random := rand.New(rand.NewPCG(1, 2))
		for i := range noise.Pix {
			noise.Pix[i] = byte(random.Uint32())
		}
		preview, err := reading.EncodePreview(noise, 0)
		require.NoError(t, err)
		require.Less(t, len(preview), document.MaxPreviewBytes)
	})
}

// ink returns the darkness inside the boxes of the page's words, with a margin for the blur of JPEG, and in all of the preview.
func ink(preview *image.Gray, page document.Page) (inside, all float64) {
	const margin = 3 // pixels
	size := preview.Rect.Size()
	covered := image.NewGray(preview.Rect)
	for w := range document.Words(page.Blocks) {
		box := image.Rect(w.Box.X*size.X/page.Width, w.Box.Y*size.Y/page.Height,
			(w.Box.X+w.Box.W)*size.X/page.Width, (w.Box.Y+w.Box.H)*size.Y/page.Height).Inset(-margin).Intersect(preview.Rect)
		for y := box.Min.Y; y < box.Max.Y; y++ {
			for x := box.Min.X; x < box.Max.X; x++ {
				covered.Pix[covered.PixOffset(x, y)] = 1
			}
		}
	}
	for y := range size.Y { // rows of a decoded JPEG have padding
		for x := range size.X {
			if preview.GrayAt(x, y).Y <= 128 {
				all++
				inside += float64(covered.GrayAt(x, y).Y)
			}
		}
	}
	return inside, all
}
