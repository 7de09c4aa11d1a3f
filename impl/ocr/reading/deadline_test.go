package reading_test

import (
	"context"
	"image"
	"image/draw"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"uncial/impl/ocr/ocrtest"
	"uncial/impl/ocr/reading"
	"uncial/impl/ocr/tesseract"
	"uncial/internal/document"
)

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

// impatient is a source that ends the first reading when the recognizer has read one of its lines.
type impatient struct{ reading.Source }

func (s impatient) Read(ctx context.Context, img *image.Gray, dpi int, model string, mode tesseract.Mode) ([]document.Block, error) {
	whole, err := s.Source.Read(ctx, img, dpi, model, mode)
	if err != nil {
		return nil, err
	}
	<-ctx.Done()
	return []document.Block{document.BlockOf(whole[0].Lines[:1])}, ctx.Err()
}

// readCurtailed reads a page within 20 s. That must not be enough to read it completely, but must leave time for the answer.
func readCurtailed(t *testing.T, o reading.Options, src reading.Source, page *image.Gray) *document.Document {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	doc, err := reading.File(ctx, ocrtest.MustPNG(t, page), o, src)
	require.NoError(t, err)
	require.LessOrEqual(t, doc.Confidence, 0.3, "the confidence says that the page was not read to the end")
	require.NoError(t, ctx.Err(), "there was time left for the answer")
	return doc
}

func TestFile_KeepsLinesReadBeforeTheDeadline(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		doc := readCurtailed(t, reading.Options{Language: "en", Enhance: true}, impatient{MustEngines(t, 1)}, ocrtest.Page("The first lines of this page", "are all that there is time for"))
		require.Contains(t, doc.Text(), "first lines")
		require.NotContains(t, doc.Text(), "time for")
		doubts := doc.Pages[0].Doubts
		require.Len(t, doubts, 1)
		require.Equal(t, document.UnreadInk, doubts[0].Reason)
		require.Greater(t, doubts[0].Box.Y, doc.Pages[0].Blocks[0].Lines[0].Box.Y, "the second line is listed as unread")
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

func TestFile_KeepsFirstReadingWhenTheDeadlinePasses(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		page := ocrtest.Page("The first reading of this page", "is all that there is time for")
		for i := range 5 { // specks in the shape of letters
			draw.Draw(page, image.Rect(20, 20, 32, 34).Add(image.Pt(300*i, 0)), image.Black, image.Point{}, draw.Src)
		}
		doc := readCurtailed(t, reading.Options{Language: "en", Enhance: true}, &slowAfter{MustEngines(t, 1), 1}, page)
		require.Contains(t, doc.Text(), "first reading")
		require.Empty(t, doc.Pages[0].Doubts, "nothing is unread")
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

func TestFile_ReadsPageWhenLanguageDetectionTimesOut(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		doc := readCurtailed(t, open, hesitant{MustEngines(t, 1)}, ocrtest.Page("The language of this page", "is not found in time"))
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

func TestFile_SkipsReadingThatWouldExceedTheDeadline(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		src := &leisurely{Source: MustEngines(t, 1), length: 12 * time.Second}
		doc := readCurtailed(t, reading.Options{Language: "en"}, src, ocrtest.Page("The first reading of this page", "took more than half of the time"))
		require.Equal(t, 1, src.pages)
		require.Contains(t, doc.Text(), "first reading")
	})
}
