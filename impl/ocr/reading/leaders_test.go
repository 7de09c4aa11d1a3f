package reading_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/impl/ocr/decode"
	"uncial/impl/ocr/ocrtest"
	"uncial/impl/ocr/reading"
)

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
			require.Greater(t, line.Words[i].Box.X, line.Words[i-1].Box.X, "words must be in order")
		}
	}

	without, err := reading.Read(t.Context(), page, reading.Options{Language: "en", Without: []string{"leaders"}}, engines)
	require.NoError(t, err)
	require.NotContains(t, without.Page.Text(), "........")
}
