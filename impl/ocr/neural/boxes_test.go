package neural_test

import (
	"image"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/impl/ocr/ocrtest"
)

// minOverlap is the minimum median overlap (intersection over union) of the boxes of words with their ink.
const minOverlap = 0.7

// drawWords draws the words of a text. For each word it returns the bounding box of the pixels that it darkened.
func drawWords(text string, seed uint64) (*image.Gray, map[string]image.Rectangle) {
	g := ocrtest.BlankPage(1200, 48)
	boxes, x := map[string]image.Rectangle{}, 12
	for word := range strings.FieldsSeq(text) {
		before := slices.Clone(g.Pix)
		x = ocrtest.Write(g, x, 14, func(float64) float64 { return 33 }, word, seed) + 6
		var box image.Rectangle
		for i, v := range g.Pix {
			if v < before[i] {
				box = box.Union(image.Rect(i%g.Stride, i/g.Stride, i%g.Stride+1, i/g.Stride+1))
			}
		}
		boxes[word] = box
	}
	return g.SubImage(image.Rect(0, 0, x, 48)).(*image.Gray), boxes
}

func TestRecognizer_PutsBoxesAroundTheInkOfWords(t *testing.T) {
	t.Parallel()
	for name, grain := range map[string]int{"on clean paper": 1, "on grainy paper": 90} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			testBoxes(t, grain)
		})
	}
}

// TestRecognizer_KeepsStrokesInBoxes checks that the boxes of long words on clean paper hold all of their ink.
func TestRecognizer_KeepsStrokesInBoxes(t *testing.T) {
	t.Parallel()
	r := mustShipped(t)["plain"]
	read := 0
	for i, text := range []string{"une immense consequence", "avec un memoire", "la suppression du partage"} {
		line, ink := drawWords(text, uint64(i)) // #nosec G115 -- counts lines
		for _, w := range r.Read(line) {
			if box, ok := ink[w.Text]; ok {
				read++
				require.GreaterOrEqual(t, overlap(box, w.Box), 0.8, "%q: %v and %v", w.Text, box, w.Box)
			}
		}
	}
	require.GreaterOrEqual(t, read, 6)
}

// overlap returns the intersection of two boxes over their union.
func overlap(a, b image.Rectangle) float64 {
	area := func(r image.Rectangle) float64 { return float64(r.Dx() * r.Dy()) }
	shared := area(a.Intersect(b))
	return shared / (area(a) + area(b) - shared)
}

// testBoxes reads lines on paper whose pixels are up to `grain` levels darker than white.
func testBoxes(t *testing.T, grain int) {
	t.Helper()
	r := mustShipped(t)["plain"]
	var overlaps []float64
	written := 0
	for i, text := range []string{
		"le maire de la commune", "nous avons déclaré que", "les habitants du pays", "une lettre pour vous", "il est parti avec son fils",
		"elle demeure dans cette ville", "par devant nous notaire", "fait et passé ce jour",
	} {
		line, ink := drawWords(text, uint64(i))    // #nosec G115 -- counts lines
		rng := rand.New(rand.NewPCG(1, uint64(i))) // #nosec G115 G404 -- the same grain in each run
		for k, v := range line.Pix {
			line.Pix[k] = uint8(max(int(v)-rng.IntN(grain), 0)) // #nosec G115 -- 0..255
		}
		written += len(ink)
		right := -1
		for _, w := range r.Read(line) {
			require.Greater(t, w.Box.Min.X, right, "the box of %q touches that of the word before it", w.Text)
			right = w.Box.Max.X
			if box, ok := ink[w.Text]; ok {
				overlaps = append(overlaps, overlap(box, w.Box))
			}
		}
	}
	slices.Sort(overlaps)
	median := overlaps[len(overlaps)/2]
	t.Logf("%d of %d words were read; overlap of their boxes: median %.3f, least %.3f", len(overlaps), written, median, overlaps[0])
	require.GreaterOrEqual(t, len(overlaps), written*3/4, "most words must be compared")
	require.GreaterOrEqual(t, median, minOverlap)
}
