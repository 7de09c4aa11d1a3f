package imaging_test

import (
	"image"
	"image/color"
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/impl/ocr/imaging"
)

func TestShrink(t *testing.T) {
	t.Parallel()
	t.Run("makes each pixel the mean of those it replaces", func(t *testing.T) {
		t.Parallel()
		g := image.NewGray(image.Rect(0, 0, 4, 2))
		copy(g.Pix, []byte{0, 100, 10, 10, 100, 200, 10, 30})
		got := imaging.Shrink(g, 2).(*image.Gray)
		require.Equal(t, image.Rect(0, 0, 2, 1), got.Rect)
		require.Equal(t, []byte{100, 15}, got.Pix)
	})
	t.Run("keeps colours", func(t *testing.T) {
		t.Parallel()
		c := image.NewRGBA(image.Rect(0, 0, 3, 9))
		for i := range 27 {
			c.SetRGBA(i%3, i/3, color.RGBA{R: 200, G: 50, B: 7, A: 255})
		}
		got := imaging.Shrink(c, 5).(*image.RGBA)
		require.Equal(t, image.Rect(0, 0, 1, 5), got.Rect)
		require.Equal(t, color.RGBA{R: 200, G: 50, B: 7, A: 255}, got.RGBAAt(0, 4))
	})
	t.Run("does not change small images, and keeps at least one pixel of the shorter side", func(t *testing.T) {
		t.Parallel()
		g := image.NewGray(image.Rect(0, 0, 4, 2))
		require.Same(t, g, imaging.Shrink(g, 4))
		require.Equal(t, image.Rect(0, 0, 1, 1600), imaging.Shrink(image.NewGray(image.Rect(0, 0, 1, 32_767)), 1600).Bounds())
	})
}
