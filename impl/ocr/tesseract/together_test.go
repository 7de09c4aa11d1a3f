package tesseract_test

import (
	"context"
	"image"
	"image/draw"
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/impl/ocr/ocrtest"
	"uncial/impl/ocr/tesseract"
)

// twoBlocks returns a page with a heading above two blocks of five lines, side by side.
func twoBlocks() *image.Gray {
	block := ocrtest.Page("the register of the parish", "was kept by the clerk who", "wrote each birth, marriage", "and burial into a book and", "signed it every evening")
	size := block.Rect.Size()
	heading := ocrtest.Page("The heading of the page")
	sheet := ocrtest.BlankPage(2*size.X+150, size.Y+heading.Rect.Dy()+80)
	draw.Draw(sheet, heading.Rect, heading, image.Point{}, draw.Src)
	for i := range 2 {
		draw.Draw(sheet, block.Rect.Add(image.Pt(i*(size.X+150), heading.Rect.Dy()+80)), block, image.Point{}, draw.Src)
	}
	return sheet
}

func TestRecognizeTogether(t *testing.T) {
	t.Parallel()
	engines := []*tesseract.Engine{MustOpen(t, "eng"), MustOpen(t, "eng"), MustOpen(t, "eng")}
	together := func(t *testing.T, img image.Image, n int) []tesseract.Block {
		t.Helper()
		for _, e := range engines {
			require.NoError(t, e.SetImage(img, 300))
		}
		blocks, err := tesseract.RecognizeTogether(t.Context(), engines[:n])
		require.NoError(t, err)
		return blocks
	}
	for name, img := range map[string]image.Image{
		"one block":  ocrtest.Page("The quick brown fox jumps", "over the lazy dog and", "then rests for a while.", "It sleeps until noon"),
		"two blocks": twoBlocks(),
		"one line":   ocrtest.Page("One line"),
		"no line":    ocrtest.Page(),
	} {
		alone := together(t, img, 1)
		for n := 2; n <= 3; n++ {
			shared := together(t, img, n)
			require.Equal(t, linesOf(alone), linesOf(shared), "%s, %d engines", name, n)
		}
	}
	t.Run("shares the lines", func(t *testing.T) {
		require.NotEmpty(t, together(t, twoBlocks(), 2))
		first, second := engines[0].Blocks(), engines[1].Blocks()
		require.NotEmpty(t, lines(first))
		require.NotEmpty(t, lines(second))
		require.Len(t, append(lines(first), lines(second)...), 11)
	})
	t.Run("reads the whole image after parts of it", func(t *testing.T) {
		shared := together(t, twoBlocks(), 3)
		alone, err := tesseract.RecognizeTogether(t.Context(), engines[:1])
		require.NoError(t, err)
		require.Equal(t, linesOf(shared), linesOf(alone))
	})
	t.Run("returns the error of a context that has ended", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, err := tesseract.RecognizeTogether(ctx, engines)
		require.Equal(t, context.Canceled, err)
	})
	t.Run("returns the error of one engine", func(t *testing.T) {
		closed := MustOpen(t, "eng")
		closed.Close()
		blocks, err := tesseract.RecognizeTogether(t.Context(), []*tesseract.Engine{engines[0], closed})
		require.ErrorIs(t, err, tesseract.ErrClosed)
		require.Empty(t, blocks)
	})
}

// linesOf returns the lines of each block.
func linesOf(blocks []tesseract.Block) [][]tesseract.Line {
	var all [][]tesseract.Line
	for _, b := range blocks {
		all = append(all, lines([]tesseract.Block{b}))
	}
	return all
}
