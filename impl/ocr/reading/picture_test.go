package reading_test

import (
	"bytes"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/image/bmp"

	"uncial/impl/ocr/decode"
	"uncial/impl/ocr/ocrtest"
	"uncial/impl/ocr/reading"
	"uncial/impl/ocr/tesseract"
	"uncial/internal/format/pdf"
)

func TestFile_Picture(t *testing.T) {
	t.Parallel()
	read := func(t *testing.T, file []byte) []byte {
		t.Helper()
		for page, err := range decode.Pages(file, tesseract.Leptonica{}) {
			require.NoError(t, err)
			data, err := reading.PictureOf(page)
			require.NoError(t, err)
			require.NoError(t, pdf.Picture{Data: data}.Check())
			return data
		}
		return nil
	}
	noise := image.NewRGBA(image.Rect(0, 0, 60, 40))
	random := rand.New(rand.NewPCG(1, 2))
	for i := range noise.Pix {
		noise.Pix[i] = uint8(random.UintN(256)) | uint8(255*(i%4/3)) // #nosec G115 -- a byte
	}
	var photo, lossless bytes.Buffer
	require.NoError(t, jpeg.Encode(&photo, noise, nil))
	require.NoError(t, bmp.Encode(&lossless, noise))
	t.Run("is the file itself if a PDF can hold it", func(t *testing.T) {
		t.Parallel()
		require.Equal(t, photo.Bytes(), read(t, photo.Bytes()))
		file := ocrtest.MustPNG(t, image.NewGray(image.Rect(0, 0, 20, 20)))
		require.Equal(t, file, read(t, file))
	})
	t.Run("is a JPEG if a PDF cannot hold the file and it has colours", func(t *testing.T) {
		t.Parallel()
		config, err := jpeg.DecodeConfig(bytes.NewReader(read(t, lossless.Bytes())))
		require.NoError(t, err)
		require.Equal(t, image.Pt(60, 40), image.Pt(config.Width, config.Height))
	})
	t.Run("is lossless if there are few greys", func(t *testing.T) {
		t.Parallel()
		sheet := image.NewPaletted(image.Rect(0, 0, 30, 10), color.Palette{color.White, color.Black})
		sheet.SetColorIndex(3, 4, 1)
		var file bytes.Buffer
		require.NoError(t, bmp.Encode(&file, sheet))
		shown, err := png.Decode(bytes.NewReader(read(t, file.Bytes())))
		require.NoError(t, err)
		for y := range 10 {
			for x := range 30 {
				require.Equal(t, color.GrayModel.Convert(sheet.At(x, y)), color.GrayModel.Convert(shown.At(x, y)))
			}
		}
	})
}

func TestTurned(t *testing.T) {
	t.Parallel()
	require.Equal(t, 6, reading.Turned(0, 1), "an upright picture of a page that lies on its side")
	require.Equal(t, 8, reading.Turned(3, 1))
	require.Equal(t, 1, reading.Turned(8, 1))
	require.Equal(t, 5, reading.Turned(2, 3))
	for o := 1; o <= 8; o++ {
		require.Equal(t, o, reading.Turned(reading.Turned(o, 3), 1))
	}
}
