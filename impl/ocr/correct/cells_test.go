package correct_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/impl/ocr/correct"
	"uncial/internal/document"
)

// spaced returns a line whose words have blanks between them as wide as between the cells of a table.
func spaced(model string, words ...string) document.Line {
	line := document.Line{}
	for i, w := range words {
		box := document.Box{X: 200 * i, W: 10 * len(w), H: 20}
		line.Words = append(line.Words, document.Word{Text: w, Confidence: 0.6, Box: box, Model: model})
		line.Box = line.Box.Union(box)
	}
	return line
}

// TestKnowledge_Vote_cells shows that the network does not drop the cells of a table.
func TestKnowledge_Vote_cells(t *testing.T) {
	t.Parallel()
	numbers := correct.NumberCells([]document.Block{{Lines: []document.Line{spaced("eng", "wheat", "9"), spaced("eng", "timber", "54"), spaced("eng", "rent", "3", "1")}}})
	require.Len(t, numbers, 3, "ones may be rules")
	for i := range numbers {
		numbers[i].Y = 50 * (i + 1)
	}
	for _, c := range []struct {
		why, model, want string
		cells            []document.Box
	}{
		{"drops what the model read in a stain", "eng", "house", nil},
		{"keeps what a network read by itself", "print", "hovfe 7", nil},
		{"keeps a number above others", "eng", "hovfe 7", numbers},
	} {
		knowledge := correct.Knowledge{Known: words, NetworkTrust: 0.9, NetworkAlone: true, Networks: []string{"print"}, Cells: c.cells}
		line := spaced(c.model, "hovfe", "7")
		knowledge.Vote(&line, correct.Readings{Network: [][]document.Word{wordsOf("house", 0.99)}})
		require.Equal(t, c.want, line.Text(), c.why)
	}
}

func TestKnowledge_DigitsInCells(t *testing.T) {
	t.Parallel()
	column := []document.Box{{X: 0, Y: 50, W: 10, H: 20}, {X: 0, Y: 100, W: 10, H: 20}}
	verse := spaced("eng", "5", "O", "my")
	verse.Words[2].Box.X = verse.Words[1].Box.Right() + 10
	for _, c := range []struct {
		why, want string
		line      document.Line
		cells     []document.Box
	}{
		{"reads zeros beside a number", "wheat 3 0 0", spaced("eng", "wheat", "3", "O", "o"), nil},
		{"reads a one in a column of numbers", "1 8", spaced("eng", "l", "8"), column},
		{"keeps a stroke that is in no column", "I 15", spaced("eng", "I", "15"), nil},
		{"keeps a letter beside a word", "wheat O", spaced("eng", "wheat", "O"), column},
		{"keeps the first word of a numbered verse", "5 O my", verse, column},
		{"keeps a letter between words that are near", "3 O 8", blocks("3 O 8", 0.9)[0].Lines[0], column},
	} {
		knowledge := correct.Knowledge{Cells: c.cells}
		knowledge.DigitsInCells(&c.line)
		require.Equal(t, c.want, c.line.Text(), c.why)
	}
}
