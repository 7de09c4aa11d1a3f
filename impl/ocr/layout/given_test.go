package layout_test

import (
	"image"
	"image/color"
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/impl/ocr/layout"
)

func TestGiven(t *testing.T) {
	t.Parallel()
	page := risingLine()
	band := layout.Band{Baseline: []layout.Vertex{{0, 200}, {600, 140}}, X0: 100, X1: 500, Up: 24, Down: 24}
	t.Run("returns lines that are cut out straight, with paper at both ends", func(t *testing.T) {
		t.Parallel()
		strip, ok := layout.Given(page, []layout.Band{band})[0].Strip()
		require.True(t, ok)
		const padding = layout.Height * 3 / 10
		require.InDelta(t, 400+2*padding, strip.Image.Rect.Dx(), 2)
		for x := range 400 {
			require.Less(t, strip.Image.GrayAt(padding+x, 10).Y, uint8(20), x)
			require.InDelta(t, 128, strip.Image.GrayAt(padding+x, 36).Y, 20, x)
		}
	})
	t.Run("returns lines that are shrunk to the height of a strip", func(t *testing.T) {
		t.Parallel()
		tall := band
		tall.Up, tall.Down = 96, 96
		strip, ok := layout.Given(page, []layout.Band{tall})[0].Strip()
		require.True(t, ok)
		require.InDelta(t, 100+2*0.3*layout.Height, strip.Image.Rect.Dx(), 2)
		require.Less(t, strip.Image.GrayAt(60, 21).Y, uint8(60))
		require.Greater(t, strip.Image.GrayAt(60, 3).Y, uint8(200))
	})
	for name, b := range map[string]layout.Band{
		"beside the page": {Baseline: band.Baseline, X0: 700, X1: 900, Up: 24, Down: 24},
		"below the page":  {Baseline: []layout.Vertex{{0, 900}}, X0: 100, X1: 500, Up: 24, Down: 24},
		"the wrong way":   {Baseline: band.Baseline, X0: 500, X1: 100, Up: 24, Down: 24},
		"without height":  {Baseline: band.Baseline, X0: 100, X1: 500},
		"without points":  {X0: 100, X1: 500, Up: 24, Down: 24},
	} {
		t.Run("returns lines that cannot be cut out for bands that are "+name, func(t *testing.T) {
			t.Parallel()
			lines := layout.Given(page, []layout.Band{band, b})
			require.Len(t, lines, 2)
			_, ok := lines[1].Strip()
			require.False(t, ok)
		})
	}
}

// risingLine returns a page with a line that rises from left to right. The upper half of the line is black, the lower half
// grey.
func risingLine() *image.Gray {
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
	return page
}

func TestGiven_erasesNeighbours(t *testing.T) {
	t.Parallel()
	letters := image.NewGray(image.Rect(0, 0, 300, 100))
	for i := range letters.Pix {
		letters.Pix[i] = 255
	}
	for x := 30; x < 270; x += 10 { // strokes of the line, and feet of the line above
		for y := range 100 {
			if x%30 == 0 && y < 44 || y >= 52 && y < 68 {
				letters.SetGray(x, y, color.Gray{})
				letters.SetGray(x+1, y, color.Gray{})
			}
		}
	}
	strip, ok := layout.Given(letters, []layout.Band{{Baseline: []layout.Vertex{{20, 68}, {280, 68}}, X0: 20, X1: 280, Up: 32, Down: 16}})[0].Strip()
	require.True(t, ok)
	darkest := func(y0, y1 int) uint8 {
		grey := uint8(255)
		for y := y0; y < y1; y++ {
			for x := range strip.Image.Rect.Dx() {
				grey = min(grey, strip.Image.GrayAt(x, y).Y)
			}
		}
		return grey
	}
	require.Greater(t, darkest(0, 12), uint8(200), "the line above")
	require.Less(t, darkest(20, 30), uint8(90), "the line itself")
}
