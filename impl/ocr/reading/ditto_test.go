package reading_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/impl/ocr/reading"
	"uncial/internal/document"
)

func TestReplaceDittoMarks(t *testing.T) {
	t.Parallel()
	// The height of letters is 20. Each of four lines has an entry on the left, the text that was read in a mark, and a page
	// number on the right.
	for _, c := range []struct {
		name  string
		marks []string
		box   document.Box // of the mark, from the upper left corner of the line
		step  int          // from one mark to the next, to the right
		want  []string
	}{
		{"replaces small high marks in a column", []string{"n", "2", "ui", "*"}, document.Box{X: 300, W: 13, H: 12}, 0, []string{`"`, `"`, `"`, `"`}},
		{"keeps words among them", []string{"n", "sur", "u", "1"}, document.Box{X: 300, W: 13, H: 12}, 0, []string{`"`, "sur", `"`, `"`}},
		{"keeps fewer than three", []string{"n", "sur", "les", "1"}, document.Box{X: 300, W: 13, H: 12}, 0, nil},
		{"keeps marks in different columns", []string{"n", "2", "u", "*"}, document.Box{X: 300, W: 13, H: 12}, 80, nil},
		{"keeps bullets, which are lower", []string{"e", "e", "e", "e"}, document.Box{X: 300, Y: 6, W: 12, H: 12}, 0, nil},
		{"keeps letters and digits of full height", []string{"n", "2", "u", "1"}, document.Box{X: 300, W: 14, H: 20}, 0, nil},
		{"keeps dashes", []string{"-", "-", "-", "-"}, document.Box{X: 300, Y: 8, W: 14, H: 3}, 0, nil},
		{"keeps high digits near a word", []string{"1", "2", "3", "4"}, document.Box{X: 220, W: 13, H: 12}, 0, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var lines []document.Line
			for i, mark := range c.marks {
				y, at := 40*i, c.box
				at.X, at.Y = at.X+i*c.step, at.Y+y
				lines = append(lines, document.Line{Words: []document.Word{
					{Text: "mortuaires", Box: document.Box{X: 100, Y: y, W: 100, H: 22}},
					{Text: mark, Box: at},
					{Text: "35", Box: document.Box{X: 700, Y: y, W: 30, H: 22}},
				}})
			}
			blocks := []document.Block{document.BlockOf(lines)}
			reading.ReplaceDittoMarks(blocks, 20)
			want := c.want
			if want == nil {
				want = c.marks
			}
			for i, l := range blocks[0].Lines {
				require.Equal(t, want[i], l.Words[1].Text)
			}
		})
	}
}
