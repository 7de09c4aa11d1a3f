package imaging_test

import (
	"image"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/impl/ocr/imaging"
	"uncial/impl/ocr/ocrtest"
)

func TestEraseStrikes(t *testing.T) {
	t.Parallel()
	text := []string{"They crossed the river at night", "and quickly went up to the town"}
	const height, baseline = 26, ocrtest.Baseline
	clean := ocrtest.Page(text...)
	ink := func(g *image.Gray) int { return imaging.InkPixels(g, 127) }
	right := imaging.Union(imaging.Spots(clean)).Max.X

	for name, y := range map[string]int{
		"erases a rule through the middle of letters": baseline - 13,
		"erases a rule on which letters stand":        baseline + 1,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			page := ocrtest.Page(text...)
			ocrtest.Rule(page, 20, y+2, right+40, y-2)
			out := imaging.EraseStrikes(page, height)
			wrong, damaged := differences(clean, out), differences(clean, page)
			require.Greater(t, damaged, ink(clean)/20)
			require.Less(t, wrong, damaged/3)
			require.Len(t, imaging.Letters(out), len(imaging.Letters(clean)), "the letters are apart again, and whole")
		})
	}

	for name, draw := range map[string]func(g *image.Gray){
		"keeps a rule between lines":              func(g *image.Gray) { ocrtest.Rule(g, 20, baseline+30, right, baseline+30) },
		"keeps a rule that only descenders touch": func(g *image.Gray) { ocrtest.Rule(g, 20, baseline+88, right, baseline+88) },
		"keeps a stroke through a word":           func(g *image.Gray) { ocrtest.Rule(g, 50, baseline-13, 50+10*height, baseline-13) },
		"keeps a thick bar":                       func(g *image.Gray) { fill(g, image.Rect(20, baseline-16, right, baseline-6), 0) },
		"keeps a steep line":                      func(g *image.Gray) { ocrtest.Rule(g, 20, baseline-30, right, baseline) },
		"keeps the rules of a table": func(g *image.Gray) {
			ocrtest.Rule(g, 20, baseline+30, right, baseline+30)
			for x := 20; x <= right; x += 30 {
				ocrtest.Rule(g, x, baseline-60, x, baseline+120)
			}
		},
		"keeps the comb of a form": func(g *image.Gray) {
			ocrtest.Rule(g, 20, baseline+30, right, baseline+30)
			for x := 20; x <= right; x += 40 {
				ocrtest.Rule(g, x, baseline+8, x, baseline+30)
			}
		},
		"keeps the edge of a sheet": func(g *image.Gray) {
			ocrtest.Rule(g, 20, baseline+30, right, baseline+30)
			for x := 20; x <= right; x += 30 {
				fill(g, image.Rect(x, baseline+24, x+15, baseline+36), 0)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			page := ocrtest.Page(text...)
			draw(page)
			same := imaging.EraseStrikes(page, height) == page // require.Same would print both
			require.True(t, same)
		})
	}
}

func TestHorizontalRules(t *testing.T) {
	t.Parallel()
	const height = 26
	page := ocrtest.Page("il était une fois un roi et une reine", "qui avaient une fille dans un château")
	require.Empty(t, imaging.HorizontalRules(page, height))
	fill(page, image.Rect(100, 220, 700, 221), 0)
	fill(page, image.Rect(300, 180, 303, 260), 0) // a vertical rule that crosses it
	require.Equal(t, []image.Rectangle{image.Rect(100, 220, 700, 221)}, imaging.HorizontalRules(page, height))
}

func TestEraseScratches(t *testing.T) {
	t.Parallel()
	const height = 26
	clean := denseText(image.Pt(800, 1300), image.Pt(60, 40), 24)
	text := imaging.Union(imaging.Spots(clean))
	scratched := func(top, bottom int) *image.Gray {
		page := imaging.Crop(clean, clean.Rect)
		ocrtest.Rule(page, 400, top, 406, bottom)
		return page
	}

	trembling := imaging.Crop(clean, clean.Rect)
	for y := range trembling.Rect.Dy() {
		x := 400 + y%100/60*(y%10/5) // for 40 rows in 100, it strays by a pixel
		fill(trembling, image.Rect(x, y, x+1, y+1), 0)
	}
	intoPicture := scratched(0, clean.Rect.Dy()-1)
	fill(intoPicture, image.Rect(200, text.Max.Y+10, 600, intoPicture.Rect.Dy()), 0)
	for name, c := range map[string]struct {
		page *image.Gray
		left float64 // the share of the damage that may be left, as some strokes beside the scratch lose an edge
	}{
		"erases a scratch from edge to edge":         {scratched(0, clean.Rect.Dy()-1), 0.25},
		"erases a scratch through some of the lines": {scratched(250, 1050), 0.25},
		"erases a scratch in pieces":                 {trembling, 0.5},
		"erases a scratch that meets a picture":      {intoPicture, 0.25},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out := imaging.EraseScratches(c.page, height)
			require.Equal(t, c.page.Rect, out.Rect)
			inText := func(g *image.Gray) *image.Gray { return imaging.Crop(g, text) }
			wrong, damaged := differences(inText(clean), inText(out)), differences(inText(clean), inText(c.page))
			require.Less(t, float64(wrong), c.left*float64(damaged))
		})
	}

	columns := image.NewGray(image.Rect(0, 0, 2*text.Max.X+40, clean.Rect.Dy()))
	imaging.Copy(columns, columns.Rect, clean, image.Point{})
	imaging.Copy(columns, columns.Rect.Add(image.Pt(text.Max.X+2, 0)), clean, image.Point{})
	touching := imaging.Crop(columns, columns.Rect)
	for i, y := 0, 50; y < 1250; i, y = i+1, y+50 { // each line touches the rule, from the left or from the right
		fill(touching, image.Rect(text.Max.X+25-20*(i%2), y, text.Max.X+46-20*(i%2), y+2), 0)
	}
	for name, c := range map[string]struct {
		page *image.Gray
		x    int
	}{
		"keeps a rule between columns that touch it": {touching, text.Max.X + 25},
		"keeps a rule between columns":               {columns, text.Max.X + 25},
		"keeps a rule that lines touch on its left":  {columns, text.Max.X},
		"keeps a short stroke":                       {clean, -1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			page := imaging.Crop(c.page, c.page.Rect)
			if c.x < 0 {
				ocrtest.Rule(page, 354, 60, 354, 60+10*height)
			} else {
				ocrtest.Rule(page, c.x, 0, c.x, page.Rect.Dy()-1)
			}
			same := imaging.EraseScratches(page, height) == page
			require.True(t, same)
		})
	}
}

// denseText draws lines of text closer to each other than ocrtest.Page does: as close as in a book.
func denseText(size, at image.Point, lines int) *image.Gray {
	page := image.NewGray(image.Rectangle{Max: size})
	fill(page, page.Rect, 255)
	words := strings.Fields(strings.Repeat("They crossed the river at night and quickly went up to the small market town of which nobody had heard anything before ", 2))
	for i := range lines {
		from := ocrtest.Page(strings.Join(words[i%20:i%20+7], " ")) // other letters in each line
		imaging.Copy(page, image.Rect(at.X, at.Y+bookPitch*i, size.X, at.Y+bookPitch*(i+1)), from, image.Pt(ocrtest.Left, ocrtest.Baseline-32))
	}
	return page
}

// bookPitch is the distance between the lines of denseText.
const bookPitch = 48

// differences returns the number of pixels that are ink on only one of two pages.
func differences(a, b *image.Gray) (n int) {
	for i, v := range a.Pix {
		if (v <= 127) != (b.Pix[i] <= 127) {
			n++
		}
	}
	return n
}
