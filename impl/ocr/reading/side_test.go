package reading_test

import (
	"image"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/impl/ocr/decode"
	"uncial/impl/ocr/reading"
	"uncial/internal/document"
)

func TestRead_handwritingFacingPrint(t *testing.T) {
	t.Parallel()
	engines := MustEngines(t, 4)
	const first, last, written = "It was the best of times", "degree of comparison only", "jour est né un enfant du"
	for _, isPrintLeft := range []bool{true, false} {
		img := facing(isPrintLeft)
		read := func(without ...string) document.Page {
			result, err := reading.Read(t.Context(), decode.Page{Image: img}, reading.Options{Language: "en", Without: without}, engines)
			require.NoError(t, err)
			return result.Page
		}
		unread := read("fill-in", "doubtful-side")
		require.NotContains(t, unread.Text(), written)
		for how, page := range map[string]document.Page{"line by line": read("doubtful-side"), "as a side": read("fill-in")} {
			text := page.Text()
			require.Contains(t, text, first, how)
			require.Contains(t, text, written, how)
			between, _, _ := strings.Cut(text[strings.Index(text, first):], last)
			require.NotContains(t, between, written, how)
			require.Equal(t, isPrintLeft, strings.Index(text, first) < strings.Index(text, written), how)
			for line := range document.Lines(page.Blocks) {
				isLeft := line.Box.X+line.Box.W/2 < img.Rect.Dx()/2
				require.Equal(t, isLeft == isPrintLeft, !line.Handwritten, "%s: %s", how, line.Text())
				for _, at := range line.Baseline {
					require.Equal(t, isLeft, at.X < img.Rect.Dx()/2, "%s: %s", how, line.Text())
				}
			}
		}
	}
}

func TestSeparateFacing(t *testing.T) {
	t.Parallel()
	const prose, width = "the droghte of March hath perced to the roote", 800
	column := func(x, width int, isWritten bool, text string) []document.Line {
		lines := make([]document.Line, 6)
		for i := range lines {
			words := strings.Fields(text)
			for j, word := range words {
				box := document.Box{X: x + j*width/len(words), Y: 100 + 60*i, W: width/len(words) - 10, H: 40}
				lines[i].Words = append(lines[i].Words, document.Word{Text: word, Confidence: 0.9, Box: box})
			}
			lines[i].Box, lines[i].Handwritten = document.WordsBox(lines[i].Words), isWritten
		}
		return lines
	}
	printed, written := column(100, width, false, prose), column(1100, width, true, "par devant nous maire")
	narrow, notes, labels := column(100, width/2, false, prose), column(600, width/4, false, "a note"), column(100, width, false, "Father and mother")
	for name, c := range map[string]struct {
		height  int
		columns [][]document.Line
		want    string // kinds of lines: p for print, w for handwriting; blanks between blocks
	}{
		"handwriting on the right":    {1000, [][]document.Line{printed, written}, "pppppp wwwwww"},
		"handwriting on the left":     {1000, [][]document.Line{column(100, width, true, prose), column(1100, width, false, prose)}, "wwwwww pppppp"},
		"print with notes beside it":  {1000, [][]document.Line{narrow, notes, written}, "p p p p p p p p p p p p wwwwww"},
		"a form with written answers": {1000, [][]document.Line{labels, written}, "p w p w p w p w p w p w"},
		"a page higher than wide":     {2000, [][]document.Line{printed, written}, "p w p w p w p w p w p w"},
		"two columns of print":        {1000, [][]document.Line{printed, column(1100, width, false, prose)}, "p p p p p p p p p p p p"},
	} {
		var byRow []document.Block
		for i := range printed {
			for _, lines := range c.columns {
				byRow = append(byRow, document.BlockOf(lines[i:i+1]))
			}
		}
		blocks, err := reading.SeparateFacing(image.Pt(2000, c.height), byRow)
		require.NoError(t, err)
		var kinds []string
		for _, b := range blocks {
			kind := "p"
			if b.Lines[0].Handwritten {
				kind = "w"
			}
			kinds = append(kinds, strings.Repeat(kind, len(b.Lines)))
		}
		require.Equal(t, c.want, strings.Join(kinds, " "), name)
	}
}

func TestAddHalf(t *testing.T) {
	t.Parallel()
	for _, b := range reading.AddHalf(image.Pt(900, 0), document.Box{X: 5, Y: 6, W: 7, H: 8}) {
		require.Equal(t, document.Box{X: 905, Y: 6, W: 7, H: 8}, b)
	}
}

func TestAreApart(t *testing.T) {
	t.Parallel()
	blocks := func(printed, written string) []document.Block {
		return []document.Block{
			{Lines: []document.Line{{Words: []document.Word{{Text: printed, Confidence: 1}}}}},
			{Lines: []document.Line{{Words: []document.Word{{Text: written, Confidence: 1}}, Handwritten: true}}},
		}
	}
	long, heading, mark := strings.Repeat("a", 500), strings.Repeat("b", 150), "cc"
	require.True(t, reading.AreApart(blocks(long, mark), blocks(mark, long)))
	require.True(t, reading.AreApart(blocks(mark, long), blocks(long, mark)))
	require.False(t, reading.AreApart(blocks("", long), blocks(heading, long)), "a register with a printed heading on one page")
	require.False(t, reading.AreApart(blocks(long, ""), blocks(long, "")))
}
