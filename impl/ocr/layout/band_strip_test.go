package layout_test

import (
	"image"
	"image/color"
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/impl/ocr/layout"
)

func TestCutBand(t *testing.T) {
	t.Parallel()
	// A line that rises from left to right: its upper half is black, its lower half is grey.
	page := image.NewGray(image.Rect(0, 0, 600, 300))
	for x := range 600 {
		for y := range 300 {
			middle := 200 - x/10
			switch {
			case y >= middle-24 && y < middle:
				page.SetGray(x, y, color.Gray{})
			case y >= middle && y < middle+24:
				page.SetGray(x, y, color.Gray{Y: 128})
			default:
				page.SetGray(x, y, color.Gray{Y: 255})
			}
		}
	}
	band := layout.Band{Baseline: []layout.Vertex{{0, 200}, {600, 140}}, X0: 100, X1: 500, Up: 24, Down: 24}
	t.Run("straightens the line", func(t *testing.T) {
		t.Parallel()
		strip, ok := layout.CutBand(page, band)
		require.True(t, ok)
		require.Equal(t, image.Rect(0, 0, 400, layout.Height), strip.Rect)
		for x := range 400 {
			require.Less(t, strip.GrayAt(x, 10).Y, uint8(20), x)
			require.InDelta(t, 128, strip.GrayAt(x, 36).Y, 20, x)
		}
	})
	t.Run("shrinks what is higher than a strip", func(t *testing.T) {
		t.Parallel()
		tall := band
		tall.Up, tall.Down = 96, 96
		strip, ok := layout.CutBand(page, tall)
		require.True(t, ok)
		require.Equal(t, 100, strip.Rect.Dx())
		require.Less(t, strip.GrayAt(50, 21).Y, uint8(60))
		require.Greater(t, strip.GrayAt(50, 3).Y, uint8(240))
	})
	for name, b := range map[string]layout.Band{
		"a band beside the page": {Baseline: band.Baseline, X0: 700, X1: 900, Up: 24, Down: 24},
		"a narrow band":          {Baseline: band.Baseline, X0: 100, X1: 105, Up: 24, Down: 24},
		"a band without height":  {Baseline: band.Baseline, X0: 100, X1: 500},
		"a band without points":  {X0: 100, X1: 500, Up: 24, Down: 24},
	} {
		t.Run("refuses "+name, func(t *testing.T) {
			t.Parallel()
			_, ok := layout.CutBand(page, b)
			require.False(t, ok)
		})
	}
}
