package worker_test

import (
	"context"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/impl/ocr"
	"uncial/impl/ocr/ocrtest"
	"uncial/impl/ocr/pipe"
	"uncial/impl/ocr/worker"
)

// lines returns a request for n copies of a low and wide line, whose strips have the maximum width.
func lines(n int) *pipe.Cut {
	return &pipe.Cut{Lines: slices.Repeat([]pipe.Band{{Baseline: []float64{0, 50, 1000, 50}, X1: 1000, Up: 3, Down: 2}}, n)}
}

func TestCutPage(t *testing.T) {
	t.Parallel()
	sheet := ocrtest.BlankPage(1000, 100)
	t.Run("cuts as many columns as an answer may have", func(t *testing.T) {
		t.Parallel()
		strips, err := worker.CutPage(t.Context(), sheet, lines(2))
		require.NoError(t, err)
		require.Equal(t, []int{8000, 8000}, strips.Widths)
		require.Len(t, strips.Ink, 2*8000*pipe.StripHeight)
	})
	t.Run("refuses more columns", func(t *testing.T) {
		t.Parallel()
		_, err := worker.CutPage(t.Context(), sheet, lines(pipe.MaxColumns/8000+1))
		invalid := (*ocr.ImageError)(nil)
		require.ErrorAs(t, err, &invalid)
		require.Contains(t, invalid.Reason, "1398101 columns")
	})
	t.Run("ends with its context", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, err := worker.CutPage(ctx, sheet, lines(2))
		require.ErrorIs(t, err, context.Canceled)
	})
}
