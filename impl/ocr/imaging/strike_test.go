package imaging_test

import (
	"image"
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
			wrong, damaged := 0, 0
			for i, v := range clean.Pix {
				if (v <= 127) != (out.Pix[i] <= 127) {
					wrong++
				}
				if (v <= 127) != (page.Pix[i] <= 127) {
					damaged++
				}
			}
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
