package reading_test

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/color"
	"image/png"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/impl/ocr/decode"
	"uncial/impl/ocr/ocrtest"
	"uncial/impl/ocr/reading"
	"uncial/impl/ocr/tesseract"
	"uncial/internal/document"
)

// texture returns a black and white page with ink where isInk is true.
func texture(tb testing.TB, w, h int, isInk func(x, y int) bool) []byte {
	tb.Helper()
	img := image.NewPaletted(image.Rect(0, 0, w, h), color.Palette{color.White, color.Black})
	for i := range img.Pix {
		if isInk(i%w, i/w) {
			img.Pix[i] = 1
		}
	}
	var b bytes.Buffer
	require.NoError(tb, png.Encode(&b, img))
	return b.Bytes()
}

// noModels is a source that must not be used to read.
type noModels struct{ reading.Source }

func (noModels) Read(context.Context, *image.Gray, int, string, tesseract.Mode) ([]document.Block, error) {
	return nil, errors.New("a model was asked")
}

// Without the check, a worker took 4 to 60 s for each of these pages, and found no text.
func TestFile_Textures(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	noise := func(share float64) func(x, y int) bool {
		return func(int, int) bool { return random.Float64() < share }
	}
	// coarse returns noise that consists of black squares.
	coarse := func(share float64, side int) func(x, y int) bool {
		black := map[image.Point]bool{}
		return func(x, y int) bool {
			square := image.Pt(x/side, y/side)
			if _, drawn := black[square]; !drawn {
				black[square] = random.Float64() < share
			}
			return black[square]
		}
	}
	for name, data := range map[string][]byte{
		"a checkerboard of pixels":    texture(t, 2000, 2000, func(x, y int) bool { return (x+y)%2 == 0 }),
		"a checkerboard that touches": texture(t, 1500, 2000, func(x, y int) bool { return (x/12+y/12)%2 == 0 }),
		"a checkerboard with gaps":    texture(t, 2000, 2000, func(x, y int) bool { return (x/10+y/10)%2 == 0 && x%10 < 9 && y%10 < 9 }),
		"short strokes":               texture(t, 2000, 1500, func(x, y int) bool { return y%12 < 8 && x%6 < 2 }),
		"one sign of three strokes": texture(t, 2000, 1500, func(x, y int) bool {
			x, y = x%20, y%26
			return y < 6 && x < 13 || y >= 8 && y < 17 && (x < 5 || x >= 7 && x < 13)
		}),
		"stripes on the slant":       texture(t, 1500, 1500, func(x, y int) bool { return (x+8-y%8)%8 < 4 }),
		"pepper":                     texture(t, 2000, 1500, noise(0.1)),
		"noise":                      texture(t, 2000, 1500, noise(0.5)),
		"noise with 15 % ink":        texture(t, 1000, 1000, noise(0.15)),
		"noise with 33 % ink":        texture(t, 1000, 1000, noise(0.33)),
		"noise with 40 % ink":        texture(t, 1000, 1000, noise(0.4)),
		"coarse noise":               texture(t, 1000, 1000, coarse(0.2, 3)),
		"noise as coarse as letters": texture(t, 1500, 1500, coarse(0.3, 8)),
		"noise in a white margin": texture(t, 2000, 2000, func(x, y int) bool {
			return x > 100 && y > 100 && x < 1900 && y < 1900 && random.Float64() < 0.3
		}),
		"a page that is black":           texture(t, 2480, 3508, func(int, int) bool { return true }),
		"a black page in a white margin": texture(t, 2480, 3508, func(x, y int) bool { return x > 99 && y > 99 && x < 2380 && y < 3400 }),
	} {
		t.Run("finds no text in "+name, func(t *testing.T) {
			t.Parallel()
			doc, err := reading.File(t.Context(), data, reading.Options{Language: "en"}, noModels{MustEngines(t, 1)})
			require.NoError(t, err)
			require.Empty(t, doc.Text())
		})
	}
}

// TestRead_halftone checks that the caption of a picture of dots is read, however the rows of dots run, and that the picture is
// listed.
func TestRead_halftone(t *testing.T) {
	t.Parallel()
	for name, shift := range map[string]int{"rows of dots": 0, "dots in a quincunx": 4} {
		img := ocrtest.Page(append([]string{"The bridge before it was rebuilt"}, make([]string, 24)...)...)
		picture := image.Rect(200, 300, 1000, 1900)
		for y := picture.Min.Y; y+5 < picture.Max.Y; y += 8 {
			for x := picture.Min.X + y/8%2*shift; x+5 < picture.Max.X; x += 8 {
				blot(img, x, y, 5, 5)
			}
		}
		src := &scripted{says: map[string]said{"eng": {"The bridge before it was rebuilt", 0.95}}}
		result, err := reading.Read(t.Context(), decode.Page{Image: img}, reading.Options{Language: "en"}, src)
		require.NoError(t, err, name)
		require.True(t, strings.HasPrefix(result.Page.Text(), "The bridge before it was rebuilt"), "%s: %s", name, result.Page.Text())
		require.Len(t, result.Page.Graphics, 1, name)
		require.True(t, image.Pt(600, 1000).In(result.Page.Graphics[0].Box.Rectangle()), name)
		require.Equal(t, document.Illustration, result.Page.Graphics[0].Kind)
	}
}
