package imaging_test

import (
	"image"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/impl/ocr/imaging"
)

// rotatedLetters returns the boxes of letters, 20 pixels high, in lines that slope by an angle in degrees.
func rotatedLetters(lines, letters int, angle float64) []image.Rectangle {
	sin, cos := math.Sincos(angle * math.Pi / 180)
	var boxes []image.Rectangle
	for line := range lines {
		for i := range letters {
			x, y := float64(25*i), float64(50*line)
			at := image.Pt(int(x*cos-y*sin), int(x*sin+y*cos))
			boxes = append(boxes, image.Rectangle{Min: at, Max: at.Add(image.Pt(15, 20))})
		}
	}
	return boxes
}

func TestSlant(t *testing.T) {
	t.Parallel()
	for _, angle := range []float64{-44, -20, -7, 7, 20, 44} {
		require.InDelta(t, angle, imaging.Slant(rotatedLetters(30, 60, angle)), 1, "%v degrees", angle)
		require.InDelta(t, angle, imaging.Slant(rotatedLetters(30, 60, angle+90)), 1, "%v degrees on a page on its side", angle)
	}
	require.InDelta(t, 12, imaging.Slant(rotatedLetters(800, 60, 12)), 1, "more letters than are looked at")
	require.Zero(t, imaging.Slant(rotatedLetters(30, 60, 0)))
	require.Zero(t, imaging.Slant(rotatedLetters(30, 60, 2)), "a small skew is not a slant")
	require.Zero(t, imaging.Slant(nil))

	random := rand.New(rand.NewPCG(1, 2))
	var scattered []image.Rectangle
	for range 2000 {
		at := image.Pt(random.IntN(1500), random.IntN(1500))
		scattered = append(scattered, image.Rectangle{Min: at, Max: at.Add(image.Pt(15, 20))})
	}
	require.Zero(t, imaging.Slant(scattered), "letters that lie in no lines")
}
