package imaging_test

import (
	"fmt"
	"image"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/impl/ocr/imaging"
	"uncial/impl/ocr/ocrtest"
)

// bend returns a page that is curved by a function, which says how far down a column lies.
func bend(g *image.Gray, down func(x int) float64) *image.Gray {
	return imaging.ShiftColumns(g, func(_ int, shift []float32) {
		for x := range shift {
			shift[x] = float32(-down(x))
		}
	})
}

func findCurl(page *image.Gray) *imaging.Curl {
	return imaging.FindCurl(page.Rect.Size(), imaging.LetterShaped(imaging.Spots(page)))
}

// rowsOf measures how well lines of text lie in rows: the number of rows without ink between the first and the last line.
func rowsOf(page *image.Gray) (n int) {
	for y := ocrtest.Baseline; y < page.Rect.Dy()-ocrtest.Pitch; y++ {
		if slices.Min(page.Pix[y*page.Stride:][:page.Rect.Dx()]) > 128 {
			n++
		}
	}
	return n
}

func TestFindCurl(t *testing.T) {
	t.Parallel()
	straight := ocrtest.Page(slices.Concat(lines, lines)...)
	require.Nil(t, findCurl(straight))
	require.Nil(t, findCurl(imaging.Rotate(straight, 2)), "a slope is not a curl")
	require.Nil(t, findCurl(bend(straight, func(x int) float64 { return 3 * math.Sin(2*math.Pi*float64(x)/ocrtest.Width) })), "Tesseract follows lines that hardly curve")
	require.Nil(t, findCurl(ocrtest.Page("A page with few letters")))

	for name, down := range map[string]func(x int) float64{
		"a wave": func(x int) float64 { return 40 * math.Sin(2*math.Pi*float64(x)/ocrtest.Width) },
		"a fold": func(x int) float64 { return -60 * math.Exp(-float64(x)/200) },
	} {
		curl := findCurl(bend(straight, down))
		require.NotNil(t, curl, name)
		middle := curl.Down(ocrtest.Width/2, 500) - down(ocrtest.Width/2)
		for _, x := range []float64{60, 300, 700, 1000, 1250} {
			y := curl.Down(x, 500)
			require.InDelta(t, down(int(x)), y-middle, 14, "%s at %v: within half the height of a letter", name, x)
			require.InDelta(t, 500, curl.Up(x, y), 0.1, "%s at %v", name, x)
		}
		again := curl.Straighten(bend(straight, down))
		require.Equal(t, straight.Rect, again.Rect)
		require.Greater(t, rowsOf(again), 2*rowsOf(bend(straight, down)), "%s: rows of the page are text or paper again", name)
	}
}

func TestFindCurl_noPage(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	var noise []image.Rectangle
	for range 100_000 {
		at := image.Pt(random.IntN(4000), random.IntN(4000))
		noise = append(noise, image.Rectangle{Min: at, Max: at.Add(image.Pt(4+random.IntN(4), 4+random.IntN(4)))})
	}
	require.Nil(t, imaging.FindCurl(image.Pt(4000, 4000), noise), "noise")
	for _, size := range []image.Point{{X: 4000, Y: 1}, {X: 1, Y: 4000}} {
		require.NotPanics(t, func() { imaging.FindCurl(size, noise) }, "%v", size)
	}
}

func TestLean(t *testing.T) {
	t.Parallel()
	page := ocrtest.Page(slices.Concat(lines, lines)...)
	for _, angle := range []float64{-3, 0, 2} {
		require.InDelta(t, angle, imaging.Lean(imaging.Rotate(page, angle)), 0.3)
		curved := bend(imaging.Rotate(page, angle), func(x int) float64 { return 40 * math.Sin(2*math.Pi*float64(x)/ocrtest.Width) })
		require.InDelta(t, angle, imaging.Lean(curved), 0.3, "curved")
	}
}

// TestFindCurl_list checks that lines which begin and end alike do not seem to slope: the y of each May is as high as its M,
// but lower.
func TestFindCurl_list(t *testing.T) {
	t.Parallel()
	var entries []string
	for i := range 24 {
		entries = append(entries, fmt.Sprintf("By cash, %d May                                      %d 7 %d", 10+i%20, 110+7*i, i%12))
	}
	require.Nil(t, findCurl(ocrtest.Page(entries...)))
}
