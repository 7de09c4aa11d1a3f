package reading_test

import (
	"cmp"
	"image"
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/impl/ocr/ocrtest"
	"uncial/impl/ocr/reading"
	"uncial/internal/document"
)

// TestContinued joins lines of letters 20 pixels high.
func TestContinued(t *testing.T) {
	t.Parallel()
	const letterHeight = 20
	// blocks returns a block with a line in each row, from a column to another; a row from 0 to 0 has no line.
	blocks := func(word string, rows ...[2]int) []document.Block {
		var lines []document.Line
		for i, r := range rows {
			if r[1] > 0 {
				box := document.Box{X: r[0], Y: 50 * i, W: r[1] - r[0], H: 30}
				lines = append(lines, document.Line{Box: box, Words: []document.Word{{Text: word, Box: box}}})
			}
		}
		return []document.Block{document.BlockOf(lines)}
	}
	blank, cutLetters := ocrtest.BlankPage(400, 300), ocrtest.BlankPage(400, 300)
	for y := range 5 {
		for row := range 15 {
			copy(cutLetters.Pix[(50*y+row)*cutLetters.Stride+204:], []uint8{230, 230, 230, 230, 230, 230, 230, 230})
		}
	}
	left := blocks("left", [2]int{0, 190}, [2]int{0, 200}, [2]int{0, 185}, [2]int{0, 195}, [2]int{0, 165})
	for name, c := range map[string]struct {
		left, right []document.Block
		want        []string    // nil if nothing is joined
		sheet       *image.Gray // blank if nil
	}{
		"a page whose right half is faint": {
			left, blocks("right", [2]int{200, 400}, [2]int{210, 400}, [2]int{201, 380}, [2]int{205, 400}),
			[]string{"left right", "left right", "left right", "left right", "left"},
			nil,
		},
		"two columns": {left, blocks("right", [2]int{215, 400}, [2]int{216, 400}, [2]int{215, 380}, [2]int{217, 400}, [2]int{215, 400}), nil, nil},
		"a page whose right half is faint, and letters are cut where it begins": {
			left, blocks("right", [2]int{215, 400}, [2]int{216, 400}, [2]int{215, 380}, [2]int{217, 400}, [2]int{205, 400}),
			[]string{"left right", "left right", "left right", "left right", "left right"},
			cutLetters,
		},
		"three lines with gaps between words in one place": {
			blocks("left", [2]int{0, 200}, [2]int{0, 199}, [2]int{0, 200}), blocks("right", [2]int{217, 400}, [2]int{218, 400}, [2]int{217, 400}),
			[]string{"left right", "left right", "left right"},
			nil,
		},
		"a page of which only some lines are half faint": {
			left, blocks("right", [2]int{}, [2]int{}, [2]int{}, [2]int{204, 400}, [2]int{200, 400}),
			[]string{"left", "left", "left", "left right", "left right"},
			nil,
		},
		"a faint page with more lines than the clear text": {
			left, blocks("right", [2]int{200, 400}, [2]int{210, 400}, [2]int{202, 400}, [2]int{205, 400}, [2]int{203, 400}, [2]int{200, 400}),
			[]string{"left right", "left right", "left right", "left right", "left right", "right"},
			nil,
		},
		"a note close to some of the lines": {
			blocks("left", [2]int{0, 200}, [2]int{0, 200}, [2]int{0, 200}, [2]int{0, 200}, [2]int{0, 200}, [2]int{0, 200}),
			blocks("right", [2]int{}, [2]int{225, 400}, [2]int{225, 390}, [2]int{225, 400}), nil, nil,
		},
		"a note far to the right":       {left, blocks("right", [2]int{}, [2]int{260, 400}), nil, nil},
		"text below":                    {left, blocks("right", [2]int{}, [2]int{}, [2]int{}, [2]int{}, [2]int{}, [2]int{200, 400}), nil, nil},
		"no text on the left":           {nil, left, nil, nil},
		"a line that another continued": {blocks("left", [2]int{0, 200}), append(blocks("right", [2]int{205, 300}), blocks("far", [2]int{210, 400})...), nil, nil},
	} {
		whole, ok := reading.Continued(cmp.Or(c.sheet, blank), c.left, c.right, letterHeight)
		require.Equal(t, c.want != nil, ok, name)
		var got []string
		for l := range document.Lines(whole) {
			got = append(got, l.Text())
		}
		require.Equal(t, c.want, got, name)
	}
}

// TestSurrounded_add adds two faint parts around a clear one in a corner of the sheet: the larger one first, which covers the
// corner that both share.
func TestSurrounded_add(t *testing.T) {
	t.Parallel()
	text := func(word string, x, y int) []document.Block {
		box := document.Box{X: x, Y: y, W: 50, H: 20}
		return []document.Block{document.BlockOf([]document.Line{{Box: box, Words: []document.Word{{Text: word, Box: box}}}})}
	}
	part := func(word string, r image.Rectangle) ([]document.Block, image.Rectangle) {
		return text(word, r.Min.X, r.Min.Y), r
	}
	for name, c := range map[string]struct {
		words         image.Rectangle
		first, second image.Rectangle
		want          []string
	}{
		"above, then left":  {image.Rect(550, 600, 950, 950), image.Rect(0, 0, 1000, 600), image.Rect(0, 600, 550, 1000), []string{"first", "second", "clear"}},
		"left, then above":  {image.Rect(600, 550, 950, 950), image.Rect(0, 0, 600, 1000), image.Rect(600, 0, 1000, 550), []string{"first", "second", "clear"}},
		"below, then right": {image.Rect(50, 50, 450, 400), image.Rect(0, 400, 1000, 1000), image.Rect(450, 0, 1000, 400), []string{"clear", "second", "first"}},
		"right, then below": {image.Rect(50, 50, 400, 450), image.Rect(400, 0, 1000, 1000), image.Rect(0, 450, 400, 1000), []string{"clear", "second", "first"}},
	} {
		first, firstPart := part("first", c.first)
		second, secondPart := part("second", c.second)
		whole := reading.Surround(ocrtest.BlankPage(1000, 1000), text("clear", c.words.Min.X, c.words.Min.Y), c.words, 20, [][]document.Block{first, second}, []image.Rectangle{firstPart, secondPart})
		var got []string
		for l := range document.Lines(whole) {
			got = append(got, l.Text())
		}
		require.Equal(t, c.want, got, name)
	}
}
