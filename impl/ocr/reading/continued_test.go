package reading_test

import (
	"testing"

	"github.com/stretchr/testify/require"

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
	left := blocks("left", [2]int{0, 190}, [2]int{0, 200}, [2]int{0, 185}, [2]int{0, 195}, [2]int{0, 165})
	for name, c := range map[string]struct {
		left, right []document.Block
		want        []string // nil if nothing is joined
	}{
		"a page whose right half is faint": {
			left, blocks("right", [2]int{200, 400}, [2]int{210, 400}, [2]int{201, 380}, [2]int{205, 400}),
			[]string{"left right", "left right", "left right", "left right", "left"},
		},
		"two columns": {left, blocks("right", [2]int{215, 400}, [2]int{216, 400}, [2]int{215, 380}, [2]int{217, 400}, [2]int{215, 400}), nil},
		"a page of which only some lines are half faint": {
			left, blocks("right", [2]int{}, [2]int{}, [2]int{}, [2]int{204, 400}, [2]int{200, 400}),
			[]string{"left", "left", "left", "left right", "left right"},
		},
		"a faint page with more lines than the clear text": {
			left, blocks("right", [2]int{200, 400}, [2]int{210, 400}, [2]int{202, 400}, [2]int{205, 400}, [2]int{203, 400}, [2]int{200, 400}),
			[]string{"left right", "left right", "left right", "left right", "left right", "right"},
		},
		"a note far to the right":       {left, blocks("right", [2]int{}, [2]int{260, 400}), nil},
		"text below":                    {left, blocks("right", [2]int{}, [2]int{}, [2]int{}, [2]int{}, [2]int{}, [2]int{200, 400}), nil},
		"no text on the left":           {nil, left, nil},
		"a line that another continued": {blocks("left", [2]int{0, 200}), append(blocks("right", [2]int{205, 300}), blocks("far", [2]int{210, 400})...), nil},
	} {
		whole, ok := reading.Continued(c.left, c.right, letterHeight)
		require.Equal(t, c.want != nil, ok, name)
		var got []string
		for l := range document.Lines(whole) {
			got = append(got, l.Text())
		}
		require.Equal(t, c.want, got, name)
	}
}
