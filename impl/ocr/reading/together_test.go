package reading_test

import (
	"image"
	"image/draw"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/impl/ocr/ocrtest"
	"uncial/impl/ocr/reading"
	"uncial/impl/ocr/tesseract"
)

func twoColumns() *image.Gray {
	lines := make([]string, 16)
	for i := range lines {
		lines[i] = "the register of the parish was kept"
	}
	column := ocrtest.Page(lines...)
	size := column.Rect.Size()
	sheet := ocrtest.BlankPage(2*size.X+100, size.Y)
	for i := range 2 {
		draw.Draw(sheet, column.Rect.Add(image.Pt(i*(size.X+100), 0)), column, image.Point{}, draw.Src)
	}
	return sheet
}

func TestFile_readsColumnsAtTheSameTime(t *testing.T) {
	t.Parallel()
	page := ocrtest.MustPNG(t, twoColumns())
	read := func(cores int) (text string, extra int) {
		engines := MustEngines(t, 2)
		engines.SetThreads(cores)
		doc, err := reading.File(t.Context(), page, reading.Options{Language: "en"}, engines)
		require.NoError(t, err)
		return doc.Text(), engines.ExtraEngines()
	}
	alone, extra := read(1)
	require.Zero(t, extra, "never more threads than granted")
	together, extra := read(2)
	require.Equal(t, 1, extra)
	require.Equal(t, alone, together)
}

func TestInTurn(t *testing.T) {
	t.Parallel()
	var done [100]atomic.Int32
	reading.InTurn(4, len(done), func(_, task int) bool { done[task].Add(1); return true })
	for i := range done {
		require.EqualValues(t, 1, done[i].Load())
	}
	t.Run("a panic of any worker reaches the caller", func(t *testing.T) {
		t.Parallel()
		require.Panics(t, func() {
			begun := make(chan bool) // until the other worker has begun, the calling one waits
			reading.InTurn(2, 2, func(worker, _ int) bool {
				if worker == 1 {
					close(begun)
					panic("of a helper")
				}
				<-begun
				return true
			})
		})
	})
}

func TestEngines_Read_sharesLines(t *testing.T) {
	t.Parallel()
	page := ocrtest.Page(slices.Repeat([]string{"the register of the parish was kept by the clerk"}, 24)...)
	alone, err := MustEngines(t, 1).Read(t.Context(), page, 300, "eng", tesseract.Auto)
	require.NoError(t, err)
	engines := MustEngines(t, 1)
	engines.SetThreads(2)
	_, err = engines.Read(t.Context(), page, 300, "eng+fra", tesseract.Auto)
	require.NoError(t, err)
	require.Zero(t, engines.ExtraEngines(), "several models are used by a single engine")
	together, err := engines.Read(t.Context(), page, 300, "eng", tesseract.Auto)
	require.NoError(t, err)
	require.Equal(t, 1, engines.ExtraEngines())
	require.Equal(t, alone, together)
}

func TestFile_countsAdditionalEngines(t *testing.T) {
	t.Parallel()
	page := ocrtest.MustPNG(t, twoColumns())
	for name, c := range map[string]struct {
		memory int64
		extra  int
		warm   int // the model of English, and another
	}{
		"keeps an additional engine beside other models":       {100_000_000, 1, 2},
		"closes another model if memory allows only two":       {25_000_000, 1, 1},
		"reads with one engine if memory allows no second one": {15_000_000, 0, 1},
		"reads with one engine even if memory allows none":     {1, 0, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			engines := MustEngines(t, 12)
			engines.SetMemory(c.memory)
			engines.SetThreads(2)
			line := ocrtest.Page("one line").SubImage(image.Rect(0, 0, 400, 160)).(*image.Gray)
			_, err := engines.Read(t.Context(), line, 300, "deu", tesseract.SingleLine)
			require.NoError(t, err)
			_, err = reading.File(t.Context(), page, reading.Options{Language: "en"}, engines)
			require.NoError(t, err)
			require.Equal(t, c.extra, engines.ExtraEngines())
			require.Equal(t, c.warm, engines.Warm())

			_, err = engines.Read(t.Context(), line, 300, "fra", tesseract.SingleLine)
			require.NoError(t, err)
			if c.memory < 100_000_000 {
				require.Zero(t, engines.ExtraEngines(), "a model in use comes before additional engines")
			}
		})
	}
}

func TestEngines_Read_boundsEngines(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ pixels, want int }{
		"a small image has one":            {1_000_000, 1},
		"a page has one for each core":     {8_000_000, 8},
		"a large scan has fewer":           {30_000_000, 3},
		"the largest image has one":        {100_000_000, 1},
		"an image without pixels has none": {0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, test.want, reading.EnginesFor(test.pixels, 8))
		})
	}
}
