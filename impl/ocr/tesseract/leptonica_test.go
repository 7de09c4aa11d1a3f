package tesseract_test

import (
	"image"
	"image/color"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"uncial/impl/ocr/ocrtest"
	"uncial/impl/ocr/tesseract"
)

// colours returns an image of 5 x 3 pixels of different colours.
func colours() *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, 5, 3))
	for i := range 15 {
		img.SetNRGBA(i%5, i/5, color.NRGBA{R: uint8(10 * i), G: uint8(200 - 10*i), B: uint8(i), A: 255})
	}
	return img
}

func TestLeptonica_Decode(t *testing.T) {
	t.Parallel()
	t.Run("keeps each colour in its place and channel", func(t *testing.T) {
		t.Parallel()
		img, err := tesseract.Leptonica{}.Decode(ocrtest.MustPNG(t, colours()))
		require.NoError(t, err)
		require.Equal(t, colours().Pix, img.(*image.RGBA).Pix)
	})
	t.Run("composites transparency onto white", func(t *testing.T) {
		t.Parallel()
		img := colours()
		img.SetNRGBA(2, 1, color.NRGBA{R: 10, G: 20, B: 30, A: 0})
		img.SetNRGBA(3, 1, color.NRGBA{R: 0, G: 0, B: 0, A: 128})
		got, err := tesseract.Leptonica{}.Decode(ocrtest.MustPNG(t, img))
		require.NoError(t, err)
		require.Equal(t, color.RGBA{255, 255, 255, 255}, got.At(2, 1))
		require.InDelta(t, 127, got.(*image.RGBA).RGBAAt(3, 1).R, 1)
		require.Equal(t, uint8(255), got.(*image.RGBA).RGBAAt(3, 1).A)
	})
	t.Run("keeps grey images grey", func(t *testing.T) {
		t.Parallel()
		page := ocrtest.Page("Grey")
		img, err := tesseract.Leptonica{}.Decode(ocrtest.MustPNG(t, page))
		require.NoError(t, err)
		require.Equal(t, page.Pix, img.(*image.Gray).Pix)
	})
	for name, data := range map[string][]byte{
		"no bytes":   nil,
		"other data": []byte("this is not an image"),
		"a cut file": ocrtest.MustPNG(t, colours())[:40],
	} {
		t.Run("refuses "+name, func(t *testing.T) {
			t.Parallel()
			_, err := tesseract.Leptonica{}.Decode(data)
			require.ErrorIs(t, err, tesseract.ErrDecode)
			_, err = tesseract.Leptonica{}.DecodeTIFF(data, 8)
			require.ErrorIs(t, err, tesseract.ErrDecode)
		})
	}
}

// Not parallel: it redirects the standard error of the process.
func TestOpen_Quiet(t *testing.T) {
	path := filepath.Join(t.TempDir(), "stderr")
	file, err := os.Create(path)
	require.NoError(t, err)
	defer func() { require.NoError(t, file.Close()) }()
	saved, err := unix.Dup(2)
	require.NoError(t, err)
	require.NoError(t, unix.Dup2(int(file.Fd()), 2))
	func() {
		defer func() { require.NoError(t, unix.Dup2(saved, 2)) }()
		_, _ = tesseract.Leptonica{}.Decode(ocrtest.MustPNG(t, colours())[:60])
		_, _ = tesseract.Open(tesseract.Config{Model: "damaged", Data: []byte("damaged")})
		e := MustOpen(t, "eng")
		require.NoError(t, e.SetImage(ocrtest.Page("Estimating resolution"), 0))
		require.NoError(t, e.Recognize(t.Context()))
	}()
	require.NoError(t, unix.Close(saved))
	written, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Empty(t, string(written))
}
