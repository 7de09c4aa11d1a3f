package imaging_test

import (
	"image"
	"image/color"
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/impl/ocr/imaging"
)

// written returns a page of buff paper with one row of strokes for each ink.
func written(inks ...color.RGBA) *image.RGBA {
	img := image.NewRGBA(image.Rect(0, 0, 800, 800))
	for y := range 800 {
		for x := range 800 {
			img.SetRGBA(x, y, color.RGBA{R: 220, G: 200, B: 160, A: 255})
			if y%20 < 8 && x%12 < 3 {
				img.SetRGBA(x, y, inks[y/20%len(inks)])
			}
		}
	}
	return img
}

func TestStrongestChannel(t *testing.T) {
	t.Parallel()
	blue, red := color.RGBA{R: 120, G: 150, B: 170, A: 255}, color.RGBA{R: 210, G: 60, B: 50, A: 255}
	for name, c := range map[string]struct {
		img  *image.RGBA
		want uint8 // of a stroke
	}{
		"returns red for blue pencil on buff paper": {written(blue), 120},
		"returns green for red ink":                 {written(red), 60},
		"returns the luminance for brown ink":       {written(color.RGBA{R: 90, G: 70, B: 50, A: 255}), 74},
	} {
		got := imaging.StrongestChannel(c.img)
		require.Equal(t, c.img.Rect, got.Rect, name)
		require.InDelta(t, c.want, got.GrayAt(1, 1).Y, 1, name)
	}
	both := written(blue)
	copy(both.Pix[600*both.Stride:], written(red).Pix[600*both.Stride:])
	require.NotEqual(t, uint8(120), imaging.StrongestChannel(both).GrayAt(1, 1).Y, "must not return red, in which red ink fades")
	grey := image.NewGray(image.Rect(0, 0, 9, 9))
	require.Same(t, grey, imaging.StrongestChannel(grey))
}
