package reading

import (
	"image"
	"math"
	"slices"
	"unicode"

	"uncial/internal/document"
)

// wordBoxes are the boxes of the words.
func wordBoxes(blocks []document.Block) []image.Rectangle {
	var all []image.Rectangle
	for _, b := range blocks {
		for _, l := range b.Lines {
			for _, w := range l.Words {
				all = append(all, rectOf(w.Box))
			}
		}
	}
	return all
}

// claims are the parts of the page that words hold, given the height of letters. A word holds its row of the line, and as
// much on either side as its characters need and the words beside it leave: the recognizer often gives it the box of one of
// its letters or of a point.
func claims(blocks []document.Block, height int) []image.Rectangle {
	var all []image.Rectangle
	for _, b := range blocks {
		for _, l := range b.Lines {
			for i, w := range l.Words {
				from, to := math.MinInt, math.MaxInt
				if i > 0 {
					from = right(l.Words[i-1].Box)
				}
				if i+1 < len(l.Words) {
					to = l.Words[i+1].Box.X
				}
				all = append(all, claim(w, l.Box, height, from, to))
			}
		}
	}
	return all
}

// claim is what a word of a line holds, between the words beside it. A point or a dash holds its box alone.
func claim(w document.Word, line document.Box, height, from, to int) image.Rectangle {
	r := rectOf(w.Box)
	n := lettersAndDigits(w.Text)
	if n == 0 {
		return r
	}
	lacking := max(n*height-w.Box.W, 0)
	return image.Rect(
		min(r.Min.X, max(r.Min.X-lacking, from)), line.Y,
		max(r.Max.X, min(r.Max.X+lacking, to)), line.Y+line.H,
	)
}

func lettersAndDigits(text string) int {
	n := 0
	for _, r := range text {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			n++
		}
	}
	return n
}

func middleOf(r image.Rectangle) image.Point {
	return image.Pt((r.Min.X+r.Max.X)/2, (r.Min.Y+r.Max.Y)/2)
}

func rectOf(b document.Box) image.Rectangle { return image.Rect(b.X, b.Y, b.X+b.W, b.Y+b.H) }

// bandHeight is the height in pixels of the bands in which boxes are looked up.
const bandHeight = 64

// bands are boxes by the bands of the page that they are in.
type bands map[int][]image.Rectangle

func newBands(boxes []image.Rectangle) bands {
	b := bands{}
	for _, r := range boxes {
		for y := r.Min.Y / bandHeight; y <= r.Max.Y/bandHeight; y++ {
			b[y] = append(b[y], r)
		}
	}
	return b
}

// near calls f for the boxes in the bands of r, each once.
func (b bands) near(r image.Rectangle, f func(image.Rectangle)) {
	first := r.Min.Y / bandHeight
	for y := first; y <= r.Max.Y/bandHeight; y++ {
		for _, box := range b[y] {
			if y == max(first, box.Min.Y/bandHeight) {
				f(box)
			}
		}
	}
}

// holds says whether the middle of a spot is in one of the boxes.
func (b bands) holds(s image.Rectangle) bool {
	middle := middleOf(s)
	return slices.ContainsFunc(b[middle.Y/bandHeight], func(box image.Rectangle) bool { return middle.In(box) })
}
