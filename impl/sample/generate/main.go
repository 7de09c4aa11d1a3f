// Command generate draws the sample page: it sets the text in a period typeface and ages the paper. The random numbers
// have a fixed seed, so the same font and text always give the same page. The result must stay easy to read: tests of the
// whole service expect its text. Run it with `go generate ./impl/sample`.
package main

import (
	"flag"
	"image"
	"image/color"
	"image/jpeg"
	"log"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"unicode/utf8"

	"golang.org/x/image/font"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"
)

// The layout of the page. The text must fit; nothing checks that.
const (
	width, height = 1500, 2000 // pixels; about 200 dpi for the paper of the time
	margin        = 190        // pixels, left and right
	bodySize      = 54         // pixels per em
	leading       = 65         // pixels from baseline to baseline
)

// main is called by go generate; see package sample for the font.
func main() {
	fontPath := flag.String("font", "", "TrueType or OpenType font file")
	textPath := flag.String("text", "page.txt", "text, one line per line, an empty line ends a paragraph")
	out := flag.String("out", "page.jpg", "image to write")
	flag.Parse()
	if err := run(*fontPath, *textPath, *out); err != nil {
		log.Fatal(err)
	}
}

// run reads font and text and writes the page as a JPEG.
func run(fontPath, textPath, out string) error {
	data, err := os.ReadFile(fontPath)
	if err != nil {
		return err
	}
	face, err := opentype.Parse(data)
	if err != nil {
		return err
	}
	text, err := os.ReadFile(textPath)
	if err != nil {
		return err
	}
	// The ink is drawn white on black, so that a grey level is the amount of ink.
	ink := image.NewGray(image.Rect(0, 0, width, height))
	if err := drawText(ink, face, strings.TrimSpace(string(text))); err != nil {
		return err
	}
	f, err := os.Create(out)
	if err != nil {
		return err
	}
	if err := jpeg.Encode(f, age(ink, rand.New(rand.NewPCG(1776, 1))), &jpeg.Options{Quality: 72}); err != nil {
		return err
	}
	return f.Close()
}

// drawText draws the text in white on black: the headings centred, the last paragraph justified. Lines of more than six
// characters in the first paragraph, the title, are a quarter larger.
func drawText(ink *image.Gray, f *opentype.Font, text string) error {
	paragraphs := strings.Split(text, "\n\n")
	y := margin + bodySize
	for i, p := range paragraphs {
		lines := strings.Split(p, "\n")
		for j, line := range lines {
			size := float64(bodySize)
			if i == 0 && utf8.RuneCountInString(line) > 6 {
				size *= 1.25
			}
			// With 72 DPI, a point is a pixel. Without hinting, letters keep the shapes of the typeface.
			face, err := opentype.NewFace(f, &opentype.FaceOptions{Size: size, DPI: 72, Hinting: font.HintingNone})
			if err != nil {
				return err
			}
			d := &font.Drawer{Dst: ink, Src: image.White, Face: face}
			if i < len(paragraphs)-1 {
				drawCentred(d, line, y)
			} else {
				drawJustified(d, line, y, j == len(lines)-1)
			}
			y += leading
		}
		y += leading / 2
	}
	return nil
}

// drawCentred draws a line in the middle of the page, with its baseline at y.
func drawCentred(d *font.Drawer, line string, y int) {
	w := d.MeasureString(line).Round()
	d.Dot = fixed.P((width-w)/2, y)
	d.DrawString(line)
}

// drawJustified draws a line between the margins, with its baseline at y. The gaps between words share the remaining
// width; the last line of a paragraph keeps the gap of the font.
func drawJustified(d *font.Drawer, line string, y int, last bool) {
	words := strings.Fields(line)
	total := 0
	for _, w := range words {
		total += d.MeasureString(w).Round()
	}
	gap := float64(d.MeasureString(" ").Round())
	if !last && len(words) > 1 {
		gap = float64(width-2*margin-total) / float64(len(words)-1)
	}
	x := float64(margin)
	for _, w := range words {
		d.Dot = fixed.P(int(math.Round(x)), y)
		d.DrawString(w)
		x += float64(d.MeasureString(w).Round()) + gap
	}
}

// age puts the ink on old paper: uneven colour, a shadow at the fold, foxing (brown spots), grain, worn ink and a slight
// rotation. ink is 255 where the page is fully inked. The result is in colour, brownish, on which the reading must not depend.
func age(ink *image.Gray, rng *rand.Rand) image.Image {
	out := image.NewRGBA(ink.Bounds())
	stain, wear := clouds(rng, 9), clouds(rng, 60) // large stains of the paper, fine wear of the ink
	spots := make([][3]float64, 24)                // centre x, centre y and radius in pixels
	for i := range spots {
		spots[i] = [3]float64{rng.Float64() * width, rng.Float64() * height, 3 + 16*rng.Float64()}
	}
	const turn = 0.004 // radians
	for y := range height {
		for x := range width {
			// Brightness from 0 to 255: stains, the shadow at the fold on the left, and darker ends at top and bottom.
			paper := 228 - 26*stain(x, y) - 46*math.Exp(-float64(x)/70) - 8*math.Abs(float64(y)/height-0.5)
			for _, s := range spots {
				dx, dy := float64(x)-s[0], float64(y)-s[1]
				if r := dx*dx + dy*dy; r < 9*s[2]*s[2] {
					paper -= 22 * math.Exp(-r/(s[2]*s[2]))
				}
			}
			// For a small angle, the rotation about the centre of the page is a shear in both directions.
			sx := float64(x) + turn*(float64(y)-height/2)
			sy := float64(y) - turn*(float64(x)-width/2)
			cover := soft(ink, sx, sy) * (0.86 + 0.14*wear(x, y))
			grain := rng.NormFloat64() * 4
			// The tints of paper and ink make the paper yellowish and the ink brownish.
			level := func(tint, inkTint float64) uint8 {
				return uint8(min(255, max(0, (paper*tint)*(1-cover)+inkTint*cover+grain)))
			}
			out.SetRGBA(x, y, color.RGBA{level(1, 52), level(0.93, 44), level(0.78, 36), 255})
		}
	}
	return out
}

// soft samples the ink between pixels by bilinear interpolation, blurred a little like ink on damp paper. It returns 0
// (paper) to 1 (ink).
func soft(ink *image.Gray, x, y float64) float64 {
	x0, y0 := int(math.Floor(x)), int(math.Floor(y))
	fx, fy := x-float64(x0), y-float64(y0)
	at := func(i, j int) float64 {
		return float64(ink.GrayAt(x0+i, y0+j).Y) / 255
	}
	// The blur averages four pixels just outside the square in which the interpolation works.
	sharp := at(0, 0)*(1-fx)*(1-fy) + at(1, 0)*fx*(1-fy) + at(0, 1)*(1-fx)*fy + at(1, 1)*fx*fy
	blur := (at(-1, 0) + at(2, 0) + at(0, -1) + at(0, 2)) / 4
	return 0.8*sharp + 0.2*blur
}

// clouds returns a function of the pixel: smooth value noise from 0 to 1. It interpolates (smoothstep) between random values on
// a grid with this number of cells across the page.
func clouds(rng *rand.Rand, cells int) func(x, y int) float64 {
	grid := make([]float64, (cells+2)*(cells+2))
	for i := range grid {
		grid[i] = rng.Float64()
	}
	ease := func(t float64) float64 { return t * t * (3 - 2*t) }
	return func(x, y int) float64 {
		u, v := float64(x)*float64(cells)/width, float64(y)*float64(cells)/height
		i, j := int(u), int(v)
		a, b := ease(u-float64(i)), ease(v-float64(j))
		g := func(i, j int) float64 { return grid[j*(cells+2)+i] }
		return (g(i, j)*(1-a)+g(i+1, j)*a)*(1-b) + (g(i, j+1)*(1-a)+g(i+1, j+1)*a)*b
	}
}
