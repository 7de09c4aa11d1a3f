package reading_test

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/color"
	"image/png"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

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

// slowAfter is a source whose readings of whole pages never end after the first n. The first ones are in doubt, so that the
// page is read again.
type slowAfter struct {
	reading.Source
	n int
}

func (s *slowAfter) Read(ctx context.Context, img *image.Gray, dpi int, model string, mode tesseract.Mode) ([]document.Block, error) {
	if mode != tesseract.Auto { // a line of the sample
		return s.Source.Read(ctx, img, dpi, model, mode)
	}
	if s.n--; s.n < 0 {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	blocks, err := s.Source.Read(ctx, img, dpi, model, mode)
	for w := range document.Words(blocks) {
		w.Confidence = min(w.Confidence, 0.8)
	}
	return blocks, err
}

// impatient is a source that ends the first reading when the recognizer has read a few of its lines.
type impatient struct{ reading.Source }

func (s impatient) Read(ctx context.Context, img *image.Gray, dpi int, model string, mode tesseract.Mode) ([]document.Block, error) {
	whole, err := s.Source.Read(ctx, img, dpi, model, mode)
	if err != nil {
		return nil, err
	}
	<-ctx.Done()
	return whole[:1], ctx.Err()
}

// readCurtailed reads a page within 20 s. That must not be enough to read it completely, but must leave time for the answer.
func readCurtailed(t *testing.T, o reading.Options, src reading.Source, lines ...string) *document.Document {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	doc, err := reading.File(ctx, ocrtest.MustPNG(t, ocrtest.Page(lines...)), o, src)
	require.NoError(t, err)
	require.LessOrEqual(t, doc.Confidence, 0.3, "the confidence says that the page was not read to the end")
	require.NoError(t, ctx.Err(), "there was time left for the answer")
	return doc
}

func TestFile_KeepsTheLinesOfAFirstReadingThatTimeRanOutOf(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		doc := readCurtailed(t, reading.Options{Language: "en", Enhance: true}, impatient{MustEngines(t, 1)}, "The first lines of this page", "are all that there is time for")
		require.Contains(t, doc.Text(), "first lines")
	})
}

// punctual is a source that records the deadline of each reading of a page.
type punctual struct {
	reading.Source
	ends []time.Time
}

func (s *punctual) Read(ctx context.Context, img *image.Gray, dpi int, model string, mode tesseract.Mode) ([]document.Block, error) {
	if end, ok := ctx.Deadline(); ok && mode == tesseract.Auto {
		s.ends = append(s.ends, end)
	}
	return s.Source.Read(ctx, img, dpi, model, mode)
}

func TestFile_LeavesTimeForTheNextPages(t *testing.T) {
	t.Parallel()
	began := time.Now()
	ctx, cancel := context.WithDeadline(t.Context(), began.Add(time.Hour))
	defer cancel()
	src := &punctual{Source: MustEngines(t, 1)}
	doc, err := reading.File(ctx, tiffOf(ocrtest.Page("The first page of two"), ocrtest.Page("And the second page")), reading.Options{Language: "en"}, src)
	require.NoError(t, err)
	require.Len(t, doc.Pages, 2)
	require.Less(t, src.ends[0].Sub(began), 30*time.Minute, "half of the time is left for the second page")
	require.Greater(t, src.ends[len(src.ends)-1].Sub(began), 45*time.Minute, "the last page may take what is left")
}

func TestFile_KeepsWhatWasReadWhenTimeRunsOut(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		doc := readCurtailed(t, reading.Options{Language: "en", Enhance: true}, &slowAfter{MustEngines(t, 1), 1}, "The first reading of this page", "is all that there is time for")
		require.Contains(t, doc.Text(), "first reading")
	})
}

// hesitant is a source whose readings of single lines never end.
type hesitant struct{ reading.Source }

func (s hesitant) Read(ctx context.Context, img *image.Gray, dpi int, model string, mode tesseract.Mode) ([]document.Block, error) {
	if mode == tesseract.Auto {
		return s.Source.Read(ctx, img, dpi, model, mode)
	}
	<-ctx.Done()
	return nil, ctx.Err()
}

func TestFile_ReadsAPageWhoseLanguageTookTooMuchTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		doc := readCurtailed(t, open, hesitant{MustEngines(t, 1)}, "The language of this page", "is not found in time")
		require.Contains(t, doc.Text(), "language of this page")
	})
}

// leisurely is a Source that takes length to read a page, even if its context ends, and returns only words of low confidence.
type leisurely struct {
	reading.Source
	length time.Duration
	pages  int
}

func (s *leisurely) Read(ctx context.Context, img *image.Gray, dpi int, model string, mode tesseract.Mode) ([]document.Block, error) {
	blocks, err := s.Source.Read(ctx, img, dpi, model, mode)
	if mode == tesseract.Auto {
		s.pages++
		time.Sleep(s.length)
		for w := range document.Words(blocks) {
			w.Confidence = min(w.Confidence, 0.8)
		}
	}
	return blocks, err
}

func TestFile_BeginsNoReadingThatTimeWouldRunOutOf(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		src := &leisurely{Source: MustEngines(t, 1), length: 12 * time.Second}
		doc := readCurtailed(t, reading.Options{Language: "en"}, src, "The first reading of this page", "took more than half of the time")
		require.Equal(t, 1, src.pages)
		require.Contains(t, doc.Text(), "first reading")
	})
}
