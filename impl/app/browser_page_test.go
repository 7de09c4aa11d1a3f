package app_test

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/draw"
	"image/jpeg"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"

	"uncial/impl/ocr/imaging"
)

// printedWord is a word and the box of its ink, in pixels of the page.
type printedWord struct {
	text string
	ink  image.Rectangle
}

// knownPage draws a page of print at 300 dots per inch, and returns it with the box of each word.
func knownPage(tb testing.TB) (*image.Gray, []printedWord) {
	tb.Helper()
	parsed, err := opentype.Parse(goregular.TTF)
	require.NoError(tb, err)
	face, err := opentype.NewFace(parsed, &opentype.FaceOptions{Size: 12, DPI: 300})
	require.NoError(tb, err)
	page := image.NewGray(image.Rect(0, 0, 1240, 1754))
	draw.Draw(page, page.Rect, image.White, image.Point{}, draw.Src)
	var words []printedWord
	for i, line := range [][]string{
		{"Whan", "that", "Aprille", "with", "his", "shoures"},
		{"the", "droghte", "of", "March", "hath", "perced"},
		{"to", "the", "roote", "and", "bathed", "every"},
		{"veyne", "in", "such", "licour", "of", "which"},
		{"vertu", "engendred", "is", "the", "flour"},
	} {
		pen := font.Drawer{Dst: page, Src: image.Black, Face: face, Dot: fixed.P(120, 200+90*i)}
		for _, text := range line {
			bounds, _ := pen.BoundString(text)
			words = append(words, printedWord{text, image.Rect(bounds.Min.X.Floor(), bounds.Min.Y.Floor(), bounds.Max.X.Ceil(), bounds.Max.Y.Ceil())})
			pen.DrawString(text)
			pen.DrawString(" ")
		}
	}
	return page, words
}

// rotatedJPEG returns the page as a camera held sideways stores it: turned counter-clockwise by a quarter turn, with Exif
// orientation 6.
func rotatedJPEG(tb testing.TB, page *image.Gray) []byte {
	tb.Helper()
	const orientation = 6 // to be turned a quarter clockwise
	var b bytes.Buffer
	require.NoError(tb, jpeg.Encode(&b, imaging.Turn(page, 3), &jpeg.Options{Quality: 95}))
	exif := []byte("Exif\x00\x00MM\x00\x2a\x00\x00\x00\x08\x00\x01")
	for _, v := range []uint16{274, 3, 0, 1, orientation, 0, 0, 0} { // tag, SHORT, count 1, value, no further directory
		exif = binary.BigEndian.AppendUint16(exif, v)
	}
	segment := binary.BigEndian.AppendUint16([]byte{0xff, 0xe1}, uint16(len(exif)+2)) // #nosec G115 -- 32 bytes
	file := b.Bytes()
	return append(append(append([]byte{}, file[:2]...), append(segment, exif...)...), file[2:]...)
}
