package layout_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/impl/ocr/layout"
	"uncial/internal/document"
)

func TestPlaceHeadings(t *testing.T) {
	t.Parallel()
	at := func(y int) int { return 50 * y }
	title := block(line(400, at(0), "Town", "Council"))
	minutes := block(
		line(340, at(2), "The", "words", "were", "hardly", "out"), line(300, at(3), "and", "she", "had", "left", "the", "room"), line(300, at(4), "at", "once."),
		line(340, at(5), "Tracy", "was", "never", "there"), line(300, at(6), "in", "a", "state", "like", "that", "before"), line(300, at(7), "or", "after."),
		line(340, at(8), "Did", "he", "die", "so", "very"), line(300, at(9), "young", "or", "did", "he", "not", "die"), line(300, at(10), "at", "all?"),
	)
	headings := block(line(0, at(2), "Present."), line(0, at(5), "Minutes"), line(0, at(5)+35, "confirmed."), line(0, at(8), "Tender."))
	notes := block(line(0, at(4), "Rom.", "3"), line(0, at(7), "Mark", "7"), line(0, at(7)+35, "and", "8"), line(0, at(10), "John", "1"))
	long := block(line(0, at(2), "Present."), line(0, at(3), "the", "Mayor"), line(0, at(4), "and", "others"), line(0, at(5), "Minutes"), line(0, at(6), "as", "read"),
		line(0, at(8), "Tender."), line(0, at(9), "of", "Smith"), line(0, at(10), "accepted"))

	got := textOf(layout.PlaceHeadings([]document.Block{headings, title, minutes}))
	require.Equal(t, strings.Join([]string{
		"Town Council", "Present.", "The words were hardly out", "and she had left the room", "at once.",
		"Minutes", "confirmed.", "Tracy was never there", "in a state like that before", "or after.",
		"Tender.", "Did he die so very", "young or did he not die", "at all?",
	}, "\n"), got)
	joined := textOf(layout.JoinTornLines([]document.Block{title, headings, minutes}))
	require.Equal(t, got, joined, "headings of several lines do not become part of the lines of the text")

	for name, blocks := range map[string][]document.Block{
		"notes beside other lines stay together":       {notes, title, minutes},
		"a column of text is not a column of headings": {long, title, minutes},
		"the numbers of a list are not headings":       {block(line(0, at(2), "197."), line(0, at(5), "198."), line(0, at(5)+35, "199."), line(0, at(8), "200.")), title, minutes},
		"a single row has no headings":                 {block(line(0, 0, "a"), line(100, 0, "b"), line(200, 0, "c"), line(300, 0, "d"))},
		"headings of single lines are labels":          {block(headings.Lines[0], headings.Lines[1], headings.Lines[3]), title, minutes},
		"a page without text beside the margin":        {title, minutes},
	} {
		require.Equal(t, textOf(blocks), textOf(layout.PlaceHeadings(blocks)), name)
	}
}
