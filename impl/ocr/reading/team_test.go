package reading_test

import (
	"image"
	"image/draw"
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/impl/ocr/ocrtest"
	"uncial/impl/ocr/reading"
)

// twoColumns is a page of two columns of print.
func twoColumns() *image.Gray {
	lines := make([]string, 16)
	for i := range lines {
		lines[i] = "the register of the parish was kept"
	}
	column := ocrtest.Page(lines...)
	size := column.Rect.Size()
	sheet := ocrtest.Sheet(2*size.X+100, size.Y)
	for i := range 2 {
		draw.Draw(sheet, column.Rect.Add(image.Pt(i*(size.X+100), 0)), column, image.Point{}, draw.Src)
	}
	return sheet
}

func TestFile_readsColumnsAtTheSameTime(t *testing.T) {
	t.Parallel()
	page := ocrtest.MustPNG(t, twoColumns())
	read := func(cores int) (text string, mates int) {
		engines := MustEngines(t, 2)
		engines.SetThreads(cores)
		doc, err := reading.File(t.Context(), page, reading.Options{Language: "en"}, engines)
		require.NoError(t, err)
		return doc.Text(), engines.Mates()
	}
	alone, mates := read(1)
	require.Zero(t, mates, "never more threads than granted")
	together, mates := read(2)
	require.Equal(t, 1, mates)
	require.Equal(t, alone, together)
}
