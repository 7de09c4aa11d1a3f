package imaging_test

import (
	"image"
	"image/color"
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

	photograph := rotatedLetters(20, 40, 0)
	for y := range 90 {
		for x := range 90 {
			at := image.Pt(20*x+y%2*10, 1200+10*y)
			photograph = append(photograph, image.Rectangle{Min: at, Max: at.Add(image.Pt(9, 9))})
		}
	}
	require.Zero(t, imaging.Slant(photograph), "the dots of a printed photograph below level lines")

	random := rand.New(rand.NewPCG(1, 2))
	var scattered []image.Rectangle
	for range 2000 {
		at := image.Pt(random.IntN(1500), random.IntN(1500))
		scattered = append(scattered, image.Rectangle{Min: at, Max: at.Add(image.Pt(15, 20))})
	}
	require.Zero(t, imaging.Slant(scattered), "letters that lie in no lines")
}

func TestRotatePart(t *testing.T) {
	t.Parallel()
	page := image.NewGray(image.Rect(0, 0, 300, 200))
	for i := range page.Pix {
		page.Pix[i] = 240
	}
	for x := 20; x < 280; x++ {
		page.SetGray(x, 100, color.Gray{})
	}
	page.SetGray(0, 0, color.Gray{})
	require.Equal(t, uint8(240), imaging.EdgeGrey(page))
	page.SetGray(0, 0, color.Gray{Y: 230})
	part := imaging.RotatedExtent(page, 90)
	require.Equal(t, image.Pt(1, 260), part.Size(), "the line alone, upright")
	require.Negative(t, part.Min.Y, "it reaches beyond the page")
	turned := imaging.RotatePart(page, 90, part.Inset(-2), 240)
	require.Equal(t, image.Pt(5, 264), turned.Rect.Size())
	require.Less(t, turned.GrayAt(2, 130).Y, uint8(130))
	require.Equal(t, uint8(240), turned.GrayAt(2, 0).Y)
	require.Zero(t, imaging.EdgeGrey(image.NewGray(image.Rectangle{})))
	require.Empty(t, imaging.RotatedExtent(image.NewGray(image.Rectangle{}), 20))
	require.Equal(t, image.Pt(1, 1), imaging.RotatedExtent(image.NewGray(image.Rect(0, 0, 1, 1)), 20).Size())
}
