package realservice

import (
	"bytes"
	"encoding/binary"
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

	"uncial/contracttests"
)

// smallPrint consists of common words, so that the enhancement can correct some of them.
const smallPrint = `The quick brown fox jumps over the lazy dog and runs away
from the farmer who was reading a letter in the morning
while the river went slowly through the little valley
and nobody could remember the names of the villages
that were mentioned in the account of the journey
which the merchant had written many years before`

// mustSmallPrint draws a page of letters so small, blurred and noisy that the real service misreads some words and its
// enhancement corrects them. One of its lines could be print or handwriting.
func mustSmallPrint(tb testing.TB) []byte {
	tb.Helper()
	const size, noise = 18, 2 // pixels; percent of the pixels
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
	// A constant seed: the page must be the same in every run.
	random := rand.New(rand.NewPCG(0, noise))
	for i := range blurred.Pix {
		if random.IntN(100) < noise {
			blurred.Pix[i] = uint8(random.IntN(256))
		}
	}
	var file bytes.Buffer
	require.NoError(tb, png.Encode(&file, blurred))
	return file.Bytes()
}

// mustTIFF encodes pages with a line of print each: grey, one byte per pixel, uncompressed (TIFF 6.0, section 4). It is
// written by hand because golang.org/x/image encodes single pages only.
func mustTIFF(tb testing.TB, texts ...string) []byte {
	tb.Helper()
	const short, long = 3, 4 // types of fields
	var file bytes.Buffer
	le := binary.LittleEndian
	file.Write([]byte{'I', 'I', 42, 0, 0, 0, 0, 0})
	link := 4 // where the offset of the next directory goes
	for _, text := range texts {
		decoded, err := png.Decode(bytes.NewReader(contracttests.PagePNG(text)))
		require.NoError(tb, err)
		page, ok := decoded.(*image.Gray)
		require.True(tb, ok)
		width, height, strip := uint32(page.Rect.Dx()), uint32(page.Rect.Dy()), uint32(file.Len())
		file.Write(page.Pix)
		le.PutUint32(file.Bytes()[link:], uint32(file.Len()))
		// Width, height, bits per sample, no compression, black is zero, offset, one sample per pixel, rows per
		// strip, bytes.
		entries := [][3]uint32{ // tag, type, value
			{256, long, width},
			{257, long, height},
			{258, short, 8},
			{259, short, 1},
			{262, short, 1},
			{273, long, strip},
			{277, short, 1},
			{278, long, height},
			{279, long, width * height},
		}
		file.Write(le.AppendUint16(nil, uint16(len(entries))))
		for _, e := range entries {
			file.Write(le.AppendUint16(le.AppendUint16(nil, uint16(e[0])), uint16(e[1])))
			file.Write(le.AppendUint32(le.AppendUint32(nil, 1), e[2]))
		}
		link = file.Len()
		file.Write([]byte{0, 0, 0, 0})
	}
	return file.Bytes()
}

// mustLines draws a page with lines of clear print.
func mustLines(tb testing.TB, lines ...string) []byte {
	tb.Helper()
	typeface, err := opentype.Parse(goregular.TTF)
	require.NoError(tb, err)
	face, err := opentype.NewFace(typeface, &opentype.FaceOptions{Size: 14, DPI: 300})
	require.NoError(tb, err)
	page := image.NewGray(image.Rect(0, 0, 1000, 100+90*len(lines)))
	draw.Draw(page, page.Bounds(), image.White, image.Point{}, draw.Src)
	d := font.Drawer{Dst: page, Src: image.NewUniform(color.Black), Face: face}
	for i, line := range lines {
		d.Dot = fixed.P(60, 100+90*i)
		d.DrawString(line)
	}
	var file bytes.Buffer
	require.NoError(tb, png.Encode(&file, page))
	return file.Bytes()
}

// mustIllustrated draws a page of print with a hatched picture in a frame and a staff of music above its text.
func mustIllustrated(tb testing.TB) []byte {
	tb.Helper()
	const width, side, space, thick = 1200, 420, 24, 4 // pixels
	text, err := png.Decode(bytes.NewReader(mustLines(tb, "Here is a picture, and below", "it is a song that nobody", "sings. This is the text of",
		"the page, which has more lines", "than a label would have, so", "that nobody takes the notes", "and the picture for all of it.")))
	require.NoError(tb, err)
	page := image.NewGray(image.Rect(0, 0, width, 1700))
	draw.Draw(page, page.Rect, image.White, image.Point{}, draw.Src)
	draw.Draw(page, text.Bounds().Add(image.Pt(60, 900)), text, image.Point{}, draw.Src)
	frame := image.Rect(100, 80, 100+side, 80+side)
	for y := frame.Min.Y; y < frame.Max.Y; y++ {
		for x := frame.Min.X; x < frame.Max.X; x++ {
			if (x+y)%14 < 5 || !image.Pt(x, y).In(frame.Inset(thick)) {
				page.SetGray(x, y, color.Gray{})
			}
		}
	}
	for i := range 5 {
		draw.Draw(page, image.Rect(100, 640+i*space, width-100, 640+i*space+thick), image.Black, image.Point{}, draw.Src)
	}
	for i := range 8 { // heads and stems of notes
		x, y := 200+i*110, 640+(i%4)*space
		draw.Draw(page, image.Rect(x, y, x+space, y+space), image.Black, image.Point{}, draw.Src)
		draw.Draw(page, image.Rect(x+space-thick, y-2*space, x+space, y), image.Black, image.Point{}, draw.Src)
	}
	var file bytes.Buffer
	require.NoError(tb, png.Encode(&file, page))
	return file.Bytes()
}
