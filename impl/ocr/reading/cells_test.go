package reading_test

import (
	"image"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/impl/ocr/reading"
	"uncial/internal/document"
)

// digitsAt returns the boxes of digits that begin at each x.
func digitsAt(xs ...int) (boxes []image.Rectangle) {
	for _, x := range xs {
		boxes = append(boxes, image.Rect(x, 100, x+20, 130))
	}
	return boxes
}

func TestDivideCells(t *testing.T) {
	t.Parallel()
	const wide = 300 // x of a number after a wide blank
	for _, c := range []struct {
		why, text string
		x         int
		digits    []image.Rectangle
		want      string
	}{
		{"digits in columns of their own", "4100", wide, digitsAt(300, 340, 362, 402), "Spoons 4 10 0"},
		{"a letter read for a nought", "9O", wide, digitsAt(300, 340), "Spoons 9 0"},
		{"a letter in a number", "9O", wide, digitsAt(300, 322), "Spoons 9O"},
		{"a word of letters that look like digits", "lo", wide, digitsAt(300, 340), "Spoons lo"},
		{"a narrow 1 in a number", "11", wide, []image.Rectangle{image.Rect(300, 100, 306, 130), image.Rect(321, 100, 327, 130)}, "Spoons 11"},
		{"specks between the digits", "40", wide, append(digitsAt(300, 340), image.Rect(325, 112, 330, 117)), "Spoons 4 0"},
		{"a number", "4100", wide, digitsAt(300, 322, 344, 366), "Spoons 4100"},
		{"a number beside its word", "4100", 90, digitsAt(90, 130, 152, 192), "Spoons 4100"},
		{"a letter among the digits", "4b00", wide, digitsAt(300, 340, 362, 402), "Spoons 4b00"},
		{"ink with another number of parts", "4100", wide, digitsAt(300, 340, 402), "Spoons 4100"},
	} {
		line := document.Line{Words: []document.Word{
			{Text: "Spoons", Box: document.Box{X: 0, Y: 100, W: 80, H: 30}},
			{Text: c.text, Box: document.Box{X: c.x, Y: 100, W: 130, H: 30}},
		}}
		reading.DivideCells([]*document.Line{&line}, c.digits)
		require.Equal(t, c.want, line.Text(), c.why)
	}
}

// TestDivideCells_wordSpaces checks that numbers are divided at word spaces where the page shows how close its digits are, in
// founts with digits of one width and in others, and not beside a 1 within a number.
func TestDivideCells_wordSpaces(t *testing.T) {
	t.Parallel()
	numbers := []struct{ text, want string }{{"122188", "122 18 8"}, {"67119", "67 11 9"}, {"7154", "7 15 4"}, {"2839", "283 9"}, {"1211", "12 11"}}
	for name, width := range map[string]func(digit rune) int{
		"digits of one width": func(rune) int { return 20 },
		"digits as wide as they are": func(digit rune) int {
			if digit == '1' {
				return 12
			}
			return 20
		},
	} {
		var lines []*document.Line
		var digits []image.Rectangle
		for i, n := range numbers {
			x, y := 300, 100+50*i
			for _, r := range n.want {
				if r == ' ' {
					x += 8
					continue
				}
				ink := image.Rect(x+2, y, x+width(r)-2, y+30)
				if r == '1' {
					ink = image.Rect(x+width(r)/2-4, y, x+width(r)/2+4, y+30)
				}
				digits, x = append(digits, ink), x+width(r)
			}
			lines = append(lines, &document.Line{Words: []document.Word{
				{Text: "Spoons", Box: document.Box{X: 0, Y: y, W: 80, H: 30}},
				{Text: n.text, Box: document.Box{X: 300, Y: y, W: x - 300, H: 30}},
			}})
		}
		reading.DivideCells(lines, digits)
		for i, l := range lines {
			require.Equal(t, "Spoons "+numbers[i].want, l.Text(), name)
		}
	}
}

func TestSeparateWords(t *testing.T) {
	t.Parallel()
	word := func(x, w int) document.Word {
		return document.Word{Text: "a", Box: document.Box{X: x, Y: 10, W: w, H: 20}}
	}
	words := []document.Word{word(0, 90), word(60, 20), word(100, 20), word(95, 10)}
	blocks := []document.Block{{Lines: []document.Line{{Words: words, Box: document.WordsBox(words)}}}}
	edits := []document.Edit{{Box: document.Box{X: 0, Y: 10, W: 90, H: 20}}, {Box: document.Box{X: 100, Y: 10, W: 20, H: 20}}}
	reading.SeparateWords(blocks, edits)
	var got []document.Box
	for w := range document.Words(blocks) {
		got = append(got, w.Box)
	}
	require.Equal(t, []document.Box{{X: 0, Y: 10, W: 60, H: 20}, {X: 60, Y: 10, W: 20, H: 20}, {X: 100, Y: 10, W: 20, H: 20}, {X: 95, Y: 10, W: 10, H: 20}}, got)
	require.Equal(t, document.Box{X: 0, Y: 10, W: 120, H: 20}, blocks[0].Box)
	require.Equal(t, []document.Box{got[0], got[2]}, []document.Box{edits[0].Box, edits[1].Box})
}

// TestSeparateWords_vertical checks that the words of a vertical line, one below the other, keep their boxes.
func TestSeparateWords_vertical(t *testing.T) {
	t.Parallel()
	var words []document.Word
	for i := range 3 {
		words = append(words, document.Word{Text: "shelf", Box: document.Box{X: 30 + i, Y: 100 * i, W: 40, H: 90}})
	}
	blocks := []document.Block{{Lines: []document.Line{{Words: slices.Clone(words), Box: document.WordsBox(words)}}}}
	reading.SeparateWords(blocks)
	require.Equal(t, words, blocks[0].Lines[0].Words)
}
