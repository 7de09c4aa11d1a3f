package imaging

import (
	"image"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestInkThreshold(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		pixels []uint8
		want   uint8
	}{
		"is in the middle of black and white": {[]uint8{0, 255, 255}, 127},
		"is in the middle of a gap":           {[]uint8{20, 20, 100, 200}, 149},
		"is in the middle without two greys":  {[]uint8{9, 9}, 127},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := InkThreshold(&image.Gray{Pix: c.pixels, Stride: len(c.pixels), Rect: image.Rect(0, 0, len(c.pixels), 1)})
			if got != c.want {
				t.Fatalf("%d, want %d", got, c.want)
			}
		})
	}
}

func TestHistogram(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		w, h := rapid.IntRange(1, 20).Draw(t, "w"), rapid.IntRange(1, 20).Draw(t, "h")
		pixels := rapid.SliceOfN(rapid.Byte(), w*h, w*h).Draw(t, "pixels")
		counted := histogramOf(&image.Gray{Pix: slices.Clone(pixels), Stride: w, Rect: image.Rect(0, 0, w, h)})
		slices.Sort(pixels)
		for rank, v := range pixels {
			if got := counted.AtRank(rank); got != v {
				t.Fatalf("rank %d is %d, want %d", rank, got, v)
			}
		}
		if counted.Total() != w*h || counted.AtRank(w*h) != 255 || counted.quantile(0) != 0 || counted.quantile(1) != int(pixels[w*h-1]) {
			t.Fatal("the total or the ends are wrong")
		}
	})
}
