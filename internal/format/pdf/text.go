package pdf

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/text/unicode/bidi"
	"golang.org/x/text/unicode/norm"

	"uncial/internal/document"
)

// writeText writes the words of a page as invisible text (rendering mode 3), each stretched to its box, and a space into the
// gap between two words of a line. The unit is a pixel of the page, and scale is its length in points; y grows upwards.
func writeText(b *strings.Builder, page *document.Page, scale float64, f *font) {
	if len(page.Blocks) == 0 {
		return
	}
	fmt.Fprintf(b, "q %s 0 0 %[1]s 0 0 cm BT 3 Tr\n", strconv.FormatFloat(scale, 'f', 9, 64))
	t := textWriter{b: b, height: page.Height, font: f}
	for line := range document.Lines(page.Blocks) {
		above, below := reach(line)
		var previous document.Box
		for i, w := range line.Words {
			box := w.Box
			box.Y, box.H = baseline(line, w.Box)-above, above+below
			if i > 0 {
				t.space(previous, box)
			}
			t.run(box, visualOrder(clusters(w.Text)))
			previous = box
		}
	}
	b.WriteString("ET Q\n")
}

// reach returns how far the words of a line reach above and below its baseline, in pixels, at least 1 in all. It is the same
// for all of them, because viewers put words into lines by the size of their font.
func reach(line *document.Line) (above, below int) {
	var up, down []int
	for _, w := range line.Words {
		y := baseline(line, w.Box)
		up, down = append(up, y-w.Box.Y), append(down, w.Box.Y+w.Box.H-y)
	}
	slices.Sort(up)
	slices.Sort(down)
	above, below = up[len(up)/2], down[len(down)/2]
	return above, max(below, 1-above)
}

// belowBaseline is the usual share of a line's height that is below its baseline.
const belowBaseline = 0.2

// baseline returns where the baseline of a line is in the middle of a word.
func baseline(line *document.Line, word document.Box) int {
	x, points := word.X+word.W/2, line.Baseline
	if len(points) == 0 {
		return line.Box.Y + line.Box.H - int(belowBaseline*float64(line.Box.H))
	}
	for i := 1; i < len(points); i++ {
		if a, b := points[i-1], points[i]; x < b.X {
			return a.Y + (b.Y-a.Y)*max(x-a.X, 0)/max(b.X-a.X, 1)
		}
	}
	return points[len(points)-1].Y
}

// textWriter writes runs of characters into boxes.
type textWriter struct {
	b      *strings.Builder
	height int // of the page, in pixels
	font   *font
}

// minStretch is the minimum width of characters, in percent, that does not round to nothing.
const minStretch = 0.01

// run writes characters so that they fill a box.
func (t *textWriter) run(box document.Box, characters []string) {
	size := float64(box.H) * unitsPerEm / ascent
	stretch := 100 * float64(box.W) / (advance * size * float64(len(characters)))
	fmt.Fprintf(t.b, "/T %s Tf %s Tz 1 0 0 1 %d %d Tm <", number(size), number(max(stretch, minStretch)), box.X, t.height-box.Y-box.H)
	for _, c := range characters {
		fmt.Fprintf(t.b, "%04X", t.font.code(c))
	}
	t.b.WriteString("> Tj\n")
}

// space writes a space between two words that follow each other, in whatever direction.
func (t *textWriter) space(before, after document.Box) {
	left, right := before, after
	if after.X < before.X {
		left, right = after, before
	}
	gap := document.Box{X: left.X + left.W, Y: before.Y, W: right.X - left.X - left.W, H: before.H}
	gap.W = max(gap.W, 1) // boxes may touch or overlap
	t.run(gap, []string{" "})
}

// maxCluster is the maximum number of characters that are kept together as one. Writing has at most a few marks on a letter.
const maxCluster = 8

// clusters divides a word into letters with the marks on them, because a mark without its letter has no place of its own.
func clusters(word string) []string {
	var all []string
	for len(word) > 0 {
		n := norm.NFC.NextBoundaryInString(word, true)
		if runes := []rune(word[:n]); len(runes) > maxCluster {
			n = len(string(runes[:maxCluster]))
		}
		all = append(all, word[:n])
		word = word[n:]
	}
	return all
}

// visualOrder puts the characters of a word into the order in which they are seen from left to right. Numbers within words that
// are written from right to left keep their order.
func visualOrder(characters []string) []string {
	if !slices.ContainsFunc(characters, isRightToLeft) {
		return characters
	}
	out := slices.Clone(characters)
	slices.Reverse(out)
	for from := 0; from < len(out); from++ {
		to := from
		for to < len(out) && isNumber(out[to]) {
			to++
		}
		slices.Reverse(out[from:to])
		from = max(from, to-1)
	}
	return out
}

// isRightToLeft reports whether a character is a letter of a script that is written from right to left.
func isRightToLeft(character string) bool {
	p, _ := bidi.LookupString(character)
	return p.Class() == bidi.R || p.Class() == bidi.AL
}

// isNumber reports whether a character is a digit, or Latin and written from left to right for other reasons.
func isNumber(character string) bool {
	p, _ := bidi.LookupString(character)
	return p.Class() == bidi.EN || p.Class() == bidi.AN || p.Class() == bidi.L
}
