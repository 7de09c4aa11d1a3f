package reading_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/impl/ocr/reading"
	"uncial/internal/document"
)

func TestInsert(t *testing.T) {
	t.Parallel()
	at := func(y int) int { return 50 * y }
	entries := []document.Block{block(
		row(100, at(1), .9, "Morgen", "am", "See"), row(100, at(2), .9, "Stillleben"), row(100, at(3), .9, "Die", "Näherin"),
	)}
	text := []document.Block{block(
		row(0, at(1), .9, "a", "line", "that", "goes", "on"), row(72, at(2), .9, "goes", "on"), row(0, at(3), .9, "and", "on", "and", "on"),
	)}
	var left, beyond []document.Line
	for y := range 6 {
		left = append(left, row(0, at(y), .9, "left", "column", "of", "text"))
		if y != 3 {
			beyond = append(beyond, row(270, at(y), .9, "right", "column", "here"))
		}
	}
	beyond[2].Words[0].Text = "above"
	columns := []document.Block{block(left...), block(beyond...)}
	for _, c := range []struct {
		why    string
		blocks []document.Block
		missed document.Line
		want   string
	}{
		{"a price goes to its entry, far as it is", entries, row(900, at(2), .9, "1200"), "Morgen am See\nStillleben 1200\nDie Näherin"},
		{"a number goes before its entry", entries, row(40, at(3), .9, "17."), "Morgen am See\nStillleben\n17. Die Näherin"},
		{"the beginning of a line goes before its rest", text, row(0, at(2), .9, "which"), "a line that goes on\nwhich goes on\nand on and on"},
		{"the end of a line goes after its rest", text, row(168, at(2), .9, "and", "on"), "a line that goes on\ngoes on and on\nand on and on"},
		{"what stands beyond the ends of all lines stays apart", entries, row(240, at(2), .9, "mit", "Krug"), "Morgen am See\nStillleben\nmit Krug\nDie Näherin"},
		{"a loose line goes between its neighbours", entries, row(140, at(2)+25, .9, "verkauft"), "Morgen am See\nStillleben\nverkauft\nDie Näherin"},
		{"the first line of a page goes first", entries, row(400, 0, .9, "Gemälde"), "Gemälde\nMorgen am See\nStillleben\nDie Näherin"},
		{"a number under lines that are all to the right of it goes last", entries, row(0, at(4), .9, "18."), "Morgen am See\nStillleben\nDie Näherin\n18."},
		{
			"a line of a column goes into that column, though it stands in a row with the other", columns, row(270, at(3), .9, "was", "missed"),
			"left column of text\nleft column of text\nleft column of text\nleft column of text\nleft column of text\nleft column of text\n" +
				"right column here\nright column here\nabove column here\nwas missed\nright column here\nright column here",
		},
	} {
		require.Equal(t, c.want, textOf(reading.Insert(c.blocks, c.missed)), c.why)
	}
}

func TestInsert_takes_the_place_of_what_was_cut_off(t *testing.T) {
	t.Parallel()
	cut := row(60, 0, .9, "e", "been", "here")
	blocks := []document.Block{block(cut, row(0, 50, .9, "for", "ten", "days")), block(row(900, 0, .9, "x"))}
	stray := blocks[1].Lines[0].Words[0].Box
	got := reading.Insert(blocks, row(24, 0, .9, "have"), cut.Words[0].Box, stray)
	require.Equal(t, "have been here\nfor ten days", textOf(got))
	require.Equal(t, "e", blocks[0].Lines[0].Words[0].Text, "what was given stays as it was")
}

func TestInsert_between_words(t *testing.T) {
	t.Parallel()
	line := row(0, 0, .9, "the", "Orthodox", "Vienna")
	line.Words[2].Box.X += 200
	line.Box.W += 200
	got := reading.Insert([]document.Block{block(line)}, row(180, 2, .9, "Jewry", "in"))
	require.Equal(t, "the Orthodox Jewry in Vienna", textOf(got))
}
