package tesseract_test

import (
	"context"
	"image"
	"image/color"
	"image/draw"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"uncial/impl/ocr/ocrtest"
	"uncial/impl/ocr/tesseract"
)

func MustOpen(tb testing.TB, model string) *tesseract.Engine {
	tb.Helper()
	e, err := tesseract.Open(tesseract.Config{Model: model, Dir: ocrtest.Tessdata})
	require.NoError(tb, err)
	tb.Cleanup(e.Close)
	e.SetMode(tesseract.Auto)
	return e
}

// read reads the image at 300 dpi.
func read(t *testing.T, e *tesseract.Engine, img image.Image) []tesseract.Block {
	t.Helper()
	require.NoError(t, e.SetImage(img, 300))
	require.NoError(t, e.Recognize(t.Context()))
	return e.Blocks()
}

// text returns the words of all blocks, joined by spaces.
func text(blocks []tesseract.Block) string {
	var words []string
	for _, l := range lines(blocks) {
		for _, w := range l.Words {
			words = append(words, w.Text)
		}
	}
	return strings.Join(words, " ")
}

func lines(blocks []tesseract.Block) []tesseract.Line {
	var all []tesseract.Line
	for _, b := range blocks {
		all = append(all, b.Lines...)
	}
	return all
}

func TestEngine_Recognize(t *testing.T) {
	t.Parallel()
	img := ocrtest.Page("The quick brown fox jumps", "over the lazy dog and", "then rests for a while.")
	e := MustOpen(t, "eng")
	kept := tesseract.LinesKept()
	blocks := read(t, e, img)
	require.GreaterOrEqual(t, tesseract.LinesKept()-kept, int64(3), "lines are not packed as PNG")
	require.Equal(t, "The quick brown fox jumps over the lazy dog and then rests for a while.", text(blocks))
	all := lines(blocks)
	require.Len(t, all, 3)
	for i, l := range all {
		require.InDelta(t, 100+80*i, l.Baseline[0].Y, 4, "the baseline is where the text was drawn")
		for _, w := range l.Words {
			require.True(t, w.Box.In(l.Box), "%v in %v", w.Box, l.Box)
			require.True(t, l.Box.In(img.Rect))
			require.Equal(t, "eng", w.Model)
			require.Greater(t, w.Confidence, 50.0)
			require.InDelta(t, w.Confidence, 100*w.Signals.Letters, 50)
			require.LessOrEqual(t, w.Signals.Letters, 1.0)
		}
	}
}

func TestEngine_SetImage(t *testing.T) {
	t.Parallel()
	grey := ocrtest.Page("Grey and colour agree")
	colour := image.NewRGBA(grey.Rect)
	draw.Draw(colour, colour.Rect, grey, image.Point{}, draw.Src)
	wide := image.NewRGBA(grey.Rect.Inset(-13)) // so that the sub-image does not begin at the start of its buffer
	draw.Draw(wide, wide.Rect, image.NewUniform(color.RGBA{R: 200, A: 255}), image.Point{}, draw.Src)
	draw.Draw(wide, grey.Rect, grey, image.Point{}, draw.Src)
	e := MustOpen(t, "eng")
	for name, img := range map[string]image.Image{"grey": grey, "colour": colour, "sub-image": wide.SubImage(grey.Rect)} {
		require.Equal(t, "Grey and colour agree", text(read(t, e, img)), name)
	}
	require.ErrorIs(t, e.SetImage(image.NewGray16(grey.Rect), 300), tesseract.ErrImage)
	require.ErrorIs(t, e.SetImage(image.NewGray(image.Rect(0, 0, 0, 5)), 300), tesseract.ErrImage)
	require.ErrorIs(t, e.SetImage(image.NewGray(image.Rect(0, 0, 40_000, 1)), 300), tesseract.ErrImage)
}

func TestEngine_Recognize_Context(t *testing.T) {
	t.Parallel()
	var many []string
	for range 60 {
		many = append(many, "Many lines keep the recognizer busy for long")
	}
	e := MustOpen(t, "eng")
	require.NoError(t, e.SetImage(ocrtest.Page(many...), 300))
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	require.ErrorIs(t, e.Recognize(ctx), context.DeadlineExceeded)

	ctx, cancel = context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, e.Recognize(ctx), context.Canceled)

	require.Equal(t, "Alive", text(read(t, e, ocrtest.Page("Alive"))), "the engine can read the next image")
}

// Not parallel, so that no other test starts threads in the meantime. OpenMP keeps the threads of a team, so counting
// afterwards is enough.
func TestEngine_Recognize_OneThread(t *testing.T) {
	threads := func() int {
		tasks, err := os.ReadDir("/proc/self/task")
		require.NoError(t, err)
		return len(tasks)
	}
	e := MustOpen(t, "eng")
	require.NoError(t, e.SetImage(ocrtest.Page("One thread is enough for a page"), 300))
	before := threads()
	require.NoError(t, e.Recognize(t.Context()))
	require.Less(t, threads(), before+3, "a team would have at least four threads; the Go runtime may add one or two")
}

func TestEngine_Blocks(t *testing.T) {
	t.Parallel()
	t.Run("returns no blocks for a blank page", func(t *testing.T) {
		t.Parallel()
		e := MustOpen(t, "eng")
		require.Empty(t, e.Blocks(), "nor does an engine without an image")
		read(t, e, ocrtest.Page())
		require.Empty(t, e.Blocks())
	})
	t.Run("returns the same as for a page that may have words from right to left", func(t *testing.T) {
		t.Parallel()
		e := MustOpen(t, "eng")
		require.NotEmpty(t, read(t, e, twoBlocks()))
		require.Equal(t, e.BlocksAsRightToLeft(), e.Blocks())
	})
	t.Run("returns boxes of a sub-image in its coordinates", func(t *testing.T) {
		t.Parallel()
		e := MustOpen(t, "eng")
		page := ocrtest.Page("First line", "Second line", "Third line")
		blocks := read(t, e, page.SubImage(image.Rect(20, 120, 1300, 220)))
		require.Equal(t, "Second line", text(blocks))
		line := lines(blocks)[0]
		require.InDelta(t, 180, line.Baseline[0].Y, 4)
		require.InDelta(t, 50, line.Words[0].Box.Min.X, 6)
		require.True(t, line.Words[0].Box.In(blocks[0].Box))
	})
}

func TestOpen(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile(filepath.Join(ocrtest.Tessdata, "eng.traineddata"))
	require.NoError(t, err)
	t.Run("loads a model from memory", func(t *testing.T) {
		t.Parallel()
		e, err := tesseract.Open(tesseract.Config{Model: "mine", Data: data})
		require.NoError(t, err)
		defer e.Close()
		e.SetMode(tesseract.Auto)
		blocks := read(t, e, ocrtest.Page("From memory"))
		require.Equal(t, "From memory", text(blocks))
		require.Equal(t, "mine", lines(blocks)[0].Words[0].Model)
	})
	t.Run("loads several models, which are all tried on every word", func(t *testing.T) {
		t.Parallel()
		blocks := read(t, MustOpen(t, "eng+grc"), ocrtest.Page("One of them reads this"))
		require.Equal(t, "One of them reads this", text(blocks))
		require.Equal(t, "eng", lines(blocks)[0].Words[0].Model)
	})
	t.Run("refuses an unknown variable", func(t *testing.T) {
		t.Parallel()
		_, err := tesseract.Open(tesseract.Config{Model: "eng", Dir: ocrtest.Tessdata, Variables: map[string]string{"no_such": "1"}})
		require.ErrorContains(t, err, "no_such")
	})
	for name, cfg := range map[string]tesseract.Config{
		"an absent model":       {Model: "xxx", Dir: ocrtest.Tessdata},
		"one absent of two":     {Model: "eng+xxx", Dir: ocrtest.Tessdata},
		"an absent folder":      {Model: "eng", Dir: "/nowhere"},
		"an empty model":        {Model: "mine", Data: []byte{}},
		"a cut model":           {Model: "mine", Data: data[:len(data)/2]},
		"a model of other data": {Model: "mine", Data: []byte(strings.Repeat("not a model ", 100))},
		"a model of one byte":   {Model: "mine", Data: []byte{7}},
	} {
		t.Run("refuses "+name, func(t *testing.T) {
			t.Parallel()
			_, err := tesseract.Open(cfg)
			require.ErrorIs(t, err, tesseract.ErrModel)
		})
	}
}

// The recognizer reads the word on the left as a right-to-left word, as it does with Hebrew before a number. Words have no
// direction yet while Tesseract looks for paragraphs, so that search is left out.
func TestEngine_Blocks_RightToLeft(t *testing.T) {
	t.Parallel()
	if os.Getenv("LD_PRELOAD") == "" {
		out := runWith(t, "TestEngine_Blocks_RightToLeft", `
			#include <stdbool.h>
			bool box(const void *it, int level, int *l, int *t, int *r, int *b)
				__asm__("_ZNK9tesseract12PageIterator11BoundingBoxENS_17PageIteratorLevelEPiS2_S2_S2_");
			int direction(const void *it) __asm__("_ZNK9tesseract17LTRResultIterator13WordDirectionEv");
			int direction(const void *it) {
				int left = 0, top, right, bottom;
				return box(it, 3, &left, &top, &right, &bottom) && left < 150 ? 2 : 0;
			}
			void _ZN9tesseract11TessBaseAPI16DetectParagraphsEb(void *api, bool in_text) {}`)
		require.Contains(t, out, "--- PASS: TestEngine_Blocks_RightToLeft")
		return
	}
	e := MustOpen(t, "eng")
	require.Equal(t, "1843 lives", text(read(t, e, ocrtest.Page("lives 1843"))), "in reading order")
}

func TestEngine_Close(t *testing.T) {
	t.Parallel()
	e := MustOpen(t, "eng")
	e.Close()
	e.Close()
	require.ErrorIs(t, e.SetImage(ocrtest.Page("x"), 300), tesseract.ErrClosed)
	require.ErrorIs(t, e.Recognize(t.Context()), tesseract.ErrClosed)
	require.ErrorIs(t, e.SetVariable("debug_file", ""), tesseract.ErrClosed)
	require.Empty(t, e.Blocks())
	e.Clear()
	e.SetMode(tesseract.Auto)
}

func TestEngine_Concurrent(t *testing.T) {
	t.Parallel()
	var wg sync.WaitGroup
	for _, model := range []string{"eng", "deu", "lat"} {
		wg.Go(func() {
			e := MustOpen(t, model)
			for range 2 {
				if e.SetImage(ocrtest.Page("et cetera"), 300) != nil || e.Recognize(t.Context()) != nil {
					t.Errorf("%s cannot read", model)
				}
			}
		})
	}
	wg.Wait()
}
