package reading_test

import (
	"image"
	"image/draw"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/image/font/gofont/goregular"

	"uncial/impl/ocr/decode"
	"uncial/impl/ocr/imaging"
	"uncial/impl/ocr/ocrtest"
	"uncial/impl/ocr/reading"
)

// TestRead_leaders_skewed checks that the dots are inserted into their lines on a page that is skewed and has narrow lines of
// different lengths.
func TestRead_leaders_skewed(t *testing.T) {
	t.Parallel()
	var want []string
	page := image.NewGray(image.Rect(0, 0, 2200, 900))
	draw.Draw(page, page.Rect, image.White, image.Point{}, draw.Src)
	for i := range 10 {
		entry := "Of the manner in which they crossed the river at night .............. 4"
		if i%2 == 1 {
			entry = "The peace ................................................................................... 7"
		}
		entry += strconv.Itoa(i)
		want = append(want, entry)
		line := ocrtest.PageIn(goregular.TTF, 9, entry)
		draw.Draw(page, image.Rect(300, 120+62*i, 300+line.Rect.Dx(), 120+62*i+62), line, image.Pt(0, ocrtest.Baseline-42), draw.Src)
	}
	for _, angle := range []float64{-2, 2} {
		read, err := reading.Read(t.Context(), decode.Page{Image: imaging.Rotate(page, angle), DPI: 300}, reading.Options{Language: "en"}, MustEngines(t, 3))
		require.NoError(t, err)
		require.Equal(t, strings.Join(want, "\n"), strings.ReplaceAll(read.Page.Text(), "\n\n", "\n"), "%v degrees", angle)
	}
}

// TestRead_leaders checks that a table of contents keeps its numbers, single digits among them, and its dots.
func TestRead_leaders(t *testing.T) {
	t.Parallel()
	lines := []string{
		"The boyhood of the king .................. 1",
		"How the army crossed the river ....... 17",
		"Of the siege of the town ................. 43",
		"A conference at sea ....................... 88",
		"The treaty broken ............................ 112",
		"The battle in the morning ............... 149",
		"Conclusion ........................................ 203",
	}
	page := decode.Page{Image: ocrtest.Page(lines...), DPI: 300}
	engines := MustEngines(t, 3)
	read, err := reading.Read(t.Context(), page, reading.Options{Language: "en"}, engines)
	require.NoError(t, err)
	require.Equal(t, strings.Join(lines, "\n"), strings.ReplaceAll(read.Page.Text(), "\n\n", "\n"))
	for _, line := range read.Page.Blocks[0].Lines {
		for i := 1; i < len(line.Words); i++ {
			require.GreaterOrEqual(t, line.Words[i].Box.X, line.Words[i-1].Box.Right(), "words must not overlap")
		}
	}

	without, err := reading.Read(t.Context(), page, reading.Options{Language: "en", Without: []string{"leaders"}}, engines)
	require.NoError(t, err)
	require.NotEqual(t, read.Page.Text(), without.Page.Text())
	require.Contains(t, without.Page.Text(), "........", "what is not put back must not be erased")
}

// TestRead_emptyCells checks that the dots in the empty cells of a table are read.
func TestRead_emptyCells(t *testing.T) {
	t.Parallel()
	rows := [][]string{{"Ashford", "7.30", "...", "9.45"}, {"Hythe", "...", "8.10", "..."}, {"Sandling", "7.52", "8.21", "..."}, {"Folkestone", "8.04", "...", "10.15"}}
	page := image.NewGray(image.Rect(0, 0, 1400, 500))
	draw.Draw(page, page.Rect, image.White, image.Point{}, draw.Src)
	var want []string
	for i, row := range rows {
		for k, cell := range row {
			text := ocrtest.Page(cell)
			draw.Draw(page, image.Rect(80+320*k, 60+90*i, 380+320*k, 140+90*i), text, image.Pt(ocrtest.Left, ocrtest.Baseline-60), draw.Src)
		}
		want = append(want, strings.Join(row, " "))
	}
	read, err := reading.Read(t.Context(), decode.Page{Image: page, DPI: 300}, reading.Options{Language: "en"}, MustEngines(t, 3))
	require.NoError(t, err)
	require.Equal(t, strings.Join(want, "\n"), strings.ReplaceAll(read.Page.Text(), "\n\n", "\n"))
}
