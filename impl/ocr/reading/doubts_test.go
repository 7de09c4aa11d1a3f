package reading_test

import (
	"image"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/impl/ocr/layout"
	"uncial/impl/ocr/reading"
	"uncial/internal/document"
)

// cells returns blocks of lines: each row has an entry at x 100 and, if it is not empty, another at x 600.
func cells(inColumns bool, rows ...[2]string) []document.Block {
	line := func(text string, x, row int) document.Line {
		l := document.Line{Box: document.Box{X: x, Y: 100 + 50*row, W: 300, H: 40}}
		for i, w := range strings.Fields(text) {
			l.Words = append(l.Words, document.Word{Text: w, Confidence: 0.9, Box: document.Box{X: x + 60*i, Y: l.Box.Y, W: 50, H: 40}})
		}
		return l
	}
	var left, right []document.Line
	for i, r := range rows {
		left = append(left, line(r[0], 100, i))
		if r[1] == "" {
			continue
		}
		if inColumns {
			right = append(right, line(r[1], 600, i))
		} else {
			left = append(left, line(r[1], 600, i))
		}
	}
	return []document.Block{document.BlockOf(left), {Lines: right}}
}

func TestDoubtfulOrder(t *testing.T) {
	t.Parallel()
	repeated := func(a, b string, n int) (rows [][2]string) {
		for range n {
			rows = append(rows, [2]string{a, b})
		}
		return rows
	}
	for name, c := range map[string]struct {
		blocks []document.Block
		want   bool
	}{
		"a table that was read by columns":                 {cells(true, repeated("Héritier Juliette", "25 Avril 1903", 12)...), true},
		"a table whose rows were read one after the other": {cells(false, repeated("Héritier Juliette", "25 Avril 1903", 12)...), false},
		"two columns of prose":                             {cells(true, repeated("Whan that Aprille with his", "The droghte of March hath", 12)...), false},
		"a few cells":                                      {cells(true, repeated("Whan that Aprille", "1387", 5)...), false},
		"one column":                                       {cells(true, repeated("Whan that Aprille", "", 20)...), false},
		"prose with some numbers in the margin": {
			cells(true, append(repeated("Whan that Aprille with his shoures soote", "", 30), repeated("The droghte of March", "12", 6)...)...), false,
		},
	} {
		doubts := reading.DoubtfulOrder(c.blocks)
		require.Equal(t, c.want, len(doubts) == 1, name)
		if c.want {
			require.Equal(t, document.DoubtfulOrder, doubts[0].Reason)
			require.Equal(t, document.Box{X: 100, Y: 100, W: 800, H: 590}, doubts[0].Box)
		}
	}
}

func TestDoubtfulOrder_columns(t *testing.T) {
	t.Parallel()
	const long, short = "Nähere Auskunft ertheilt", "Tanz-Musik"
	var columns, table [][2]string
	var letters []image.Rectangle
	for row := range 12 {
		lines := [2]string{long, long}
		if row < 10 {
			lines[row/5] = short // five short lines in each column
		}
		columns, table = append(columns, lines), append(table, [2]string{long, short})
		for x := range 12 {
			at := image.Rect(100, 105, 120, 135).Add(image.Pt(25*x, 50*row))
			letters = append(letters, at, at.Add(image.Pt(500, 0)))
		}
	}
	regions := layout.Regions(letters, 30, image.Pt(1000, 1000), nil)
	require.Len(t, regions, 2)
	require.NotEmpty(t, reading.DoubtfulOrder(cells(true, columns...)))
	require.Empty(t, reading.DoubtfulOrder(cells(true, columns...), regions...))
	require.NotEmpty(t, reading.DoubtfulOrder(cells(true, table...), regions...), "a narrow column")
}

func TestUnreadInk(t *testing.T) {
	t.Parallel()
	var letters []image.Rectangle
	for row := range 8 {
		for i := range 12 {
			letters = append(letters, image.Rect(100+30*i, 100+60*row, 120+30*i, 125+60*row))
		}
	}
	words := func(rows int) []document.Block {
		var lines []document.Line
		for row := range rows {
			box := document.Box{X: 98, Y: 95 + 60*row, W: 360, H: 35}
			lines = append(lines, document.Line{Box: box, Words: []document.Word{{Box: box, Text: "Whanthataprl", Confidence: 0.9}}})
		}
		if rows == 0 {
			return nil
		}
		return []document.Block{document.BlockOf(lines)}
	}
	size := image.Pt(800, 600)
	require.Empty(t, reading.UnreadInk(size, letters, words(8)), "all was read")
	doubts := reading.UnreadInk(size, letters, words(7))
	require.Len(t, doubts, 1, "a line that was not read")
	require.Equal(t, 12, doubts[0].Characters)
	require.True(t, image.Rect(100, 520, 450, 545).In(image.Rect(doubts[0].Box.X, doubts[0].Box.Y, doubts[0].Box.X+doubts[0].Box.W, doubts[0].Box.Y+doubts[0].Box.H)))
	nothing := reading.UnreadInk(size, letters, nil)
	require.Len(t, nothing, 1, "nothing was read")
	require.Equal(t, document.Doubt{Box: document.Box{X: 100, Y: 100, W: 350, H: 445}, Reason: document.UnreadInk, Characters: 96}, nothing[0])
	require.Empty(t, reading.UnreadInk(size, letters[:3], nil), "specks")
}
