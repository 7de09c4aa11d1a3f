package train_test

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/impl/ocr"
	"uncial/impl/ocr/pipe"
	"uncial/impl/train"
)

// cutterFunc is a Cutter that answers call number call (from 0) with blank strips or an error. It needs no worker.
type cutterFunc func(call int, lines *pipe.Cut) error

// cutter returns the option for a cutter that is f.
func (f cutterFunc) cutter(context.Context) (train.Cutter, func() error, error) {
	return &countingCutter{f: f}, func() error { return nil }, nil
}

type countingCutter struct {
	f     cutterFunc
	calls int
}

func (c *countingCutter) Cut(_ context.Context, _ []byte, lines *pipe.Cut) (*pipe.Strips, error) {
	const width = 400
	c.calls++
	if err := c.f(c.calls-1, lines); err != nil {
		return nil, err
	}
	return &pipe.Strips{Widths: slices.Repeat([]int{width}, len(lines.Lines)), Ink: make([]byte, width*pipe.StripHeight*len(lines.Lines))}, nil
}

// only returns the text of a page of n lines.
func only(n int) func(page, line int) string {
	return func(page, line int) string {
		if line < n {
			return words(page, line)
		}
		return ""
	}
}

// quick returns options for a training that ends at once and does not need a worker.
func quick(tb testing.TB, folder string, f cutterFunc) train.Options {
	tb.Helper()
	o := options(tb, "", folder)
	o.Minutes, o.Cutter, o.Load = 0.001, f.cutter, loaded
	return o
}

// loaded is Options.Load of a machine that reads French.
func loaded(context.Context, string) ([]string, error) { return []string{"fr"}, nil }

func noError(int, *pipe.Cut) error { return nil }

func TestRun_HeldBack(t *testing.T) { //nolint:paralleltest // PyTorch needs the cores
	t.Run("holds back a tenth of the lines of a few short pages", func(t *testing.T) {
		o := quick(t, MustExport(t, 9, only(5)), noError)
		result, err := train.Run(t.Context(), o)
		require.NoError(t, err, o.Progress)
		require.Equal(t, 41, result.Lines, "four of 45 lines are held back")
	})
	t.Run("counts a page only once if two folders have it", func(t *testing.T) {
		o := quick(t, MustExport(t, 9, only(5)), noError)
		o.GroundTruth = []string{filepath.Dir(o.GroundTruth[0]), o.GroundTruth[0]}
		result, err := train.Run(t.Context(), o)
		require.NoError(t, err, o.Progress)
		require.Equal(t, 41, result.Lines)
	})
	t.Run("holds back a page that can be cut", func(t *testing.T) {
		o := quick(t, MustExport(t, 12, only(1)), func(call int, _ *pipe.Cut) error {
			if call == 5 {
				return &ocr.ImageError{Reason: "the image is damaged"}
			}
			return nil
		})
		result, err := train.Run(t.Context(), o)
		require.NoError(t, err, o.Progress)
		require.Equal(t, 10, result.Lines, "one of eleven pages is held back")
	})
	t.Run("reports that no line is left to measure the error on", func(t *testing.T) {
		o := quick(t, MustExport(t, 1, func(page, line int) string {
			if line == 5 {
				return "⟦illegible⟧"
			}
			return words(page, line)
		}), noError)
		_, err := train.Run(t.Context(), o)
		require.ErrorContains(t, err, "none of the lines that were held back to measure the error can be used (no text that can be read: 1)")
	})
	t.Run("reports that no page of --held-back can be cut", func(t *testing.T) {
		o := quick(t, MustExport(t, 1, words), func(call int, _ *pipe.Cut) error {
			if call == 1 {
				return &ocr.ImageError{Reason: "the image is damaged"}
			}
			return nil
		})
		o.HeldBack = []string{MustExport(t, 1, words)}
		_, err := train.Run(t.Context(), o)
		require.ErrorContains(t, err, "--held-back: no line could be cut out of the images")
	})
}

func TestRun_CutsAgainAfterInterruptedRun(t *testing.T) { //nolint:paralleltest // PyTorch needs the cores
	o := quick(t, MustExport(t, 1, words), noError)
	_, err := train.Run(t.Context(), o)
	require.NoError(t, err, o.Progress)
	mustRemove(t, o.Out)

	more := o
	more.GroundTruth = append(slices.Clone(o.GroundTruth), MustExport(t, 1, words))
	more.Cutter = cutterFunc(func(call int, _ *pipe.Cut) error {
		if call == 1 {
			return context.Canceled
		}
		return nil
	}).cutter
	_, err = train.Run(t.Context(), more)
	require.ErrorIs(t, err, context.Canceled)

	o.Cutter = cutterFunc(func(int, *pipe.Cut) error { return ocr.ErrBusy }).cutter
	_, err = train.Run(t.Context(), o)
	require.ErrorIs(t, err, ocr.ErrBusy, "the lines that the interrupted run left behind are not used")
}

func TestRun_LargePage(t *testing.T) { //nolint:paralleltest // PyTorch needs the cores
	var page strings.Builder
	long := strings.Repeat("0,0 ", 60_000)
	for i := range 400 {
		start := ""
		if i >= 398 {
			start = long
		}
		fmt.Fprintf(&page, `<TextLine><Coords points="0,0 400,0 400,40 0,40"/><Baseline points="%s0,30 400,30"/><TextEquiv><Unicode>eine Zeile</Unicode></TextEquiv></TextLine>`, start)
	}
	folder := t.TempDir()
	mustWrite(t, folder, "large.png", []byte("an image"))
	mustWrite(t, folder, "large.xml", fmt.Appendf(nil, `<PcGts><Page imageFilename="large.png">%s</Page></PcGts>`, page.String()))
	var sizes []int
	o := quick(t, folder, func(call int, lines *pipe.Cut) error {
		sizes = append(sizes, len(lines.Lines))
		if call == 3 {
			return ocr.ErrBusy // only the requests matter here
		}
		return nil
	})
	_, err := train.Run(t.Context(), o)
	require.ErrorIs(t, err, ocr.ErrBusy)
	require.Equal(t, []int{150, 150, 99, 1}, sizes, "a request has up to 150 lines and 100,000 points")
}
