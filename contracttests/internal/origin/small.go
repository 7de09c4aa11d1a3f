package origin

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/image/draw"
	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"
)

// smallPrint is a text whose words a reader knows, so that the enhancement can mend some of them.
const smallPrint = `The quick brown fox jumps over the lazy dog and runs away
from the farmer who was reading a letter in the morning
while the river went slowly through the little valley
and nobody could remember the names of the villages
that were mentioned in the account of the journey
which the merchant had written many years before`

// mustSmallPrint is a page in letters so small, blurred and specked that some words are read wrongly, and mended by the
// enhancement of the real service. One of its lines is in doubt between print and a hand.
func mustSmallPrint(tb testing.TB) []byte {
	tb.Helper()
	const size, specks = 18, 2 // pixels, in a hundred
	typeface, err := opentype.Parse(goregular.TTF)
	require.NoError(tb, err)
	face, err := opentype.NewFace(typeface, &opentype.FaceOptions{Size: size, DPI: 72})
	require.NoError(tb, err)
	page := image.NewGray(image.Rect(0, 0, 34*size, 12*size))
	draw.Draw(page, page.Bounds(), image.White, image.Point{}, draw.Src)
	d := font.Drawer{Dst: page, Src: image.NewUniform(color.Black), Face: face}
	for i, line := range strings.Split(smallPrint, "\n") {
		d.Dot = fixed.P(2*size, 2*size+i*size*3/2)
		d.DrawString(line)
	}
	small, blurred := image.NewGray(image.Rect(0, 0, page.Rect.Dx()*6/10, page.Rect.Dy()*6/10)), image.NewGray(page.Rect)
	draw.BiLinear.Scale(small, small.Rect, page, page.Rect, draw.Src, nil)
	draw.BiLinear.Scale(blurred, blurred.Rect, small, small.Rect, draw.Src, nil)
	chance := rand.New(rand.NewPCG(0, specks))
	for i := range blurred.Pix {
		if chance.IntN(100) < specks {
			blurred.Pix[i] = uint8(chance.IntN(256))
		}
	}
	var file bytes.Buffer
	require.NoError(tb, png.Encode(&file, blurred))
	return file.Bytes()
}
