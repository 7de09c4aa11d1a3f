package layout_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/impl/ocr/layout"
	"uncial/internal/document"
)

// line returns a line of words that begins at x. The width of a word is that of its letters.
func line(x, y int, words ...string) document.Line {
	l := document.Line{}
	for _, w := range words {
		box := document.Box{X: x, Y: y, W: 12 * len([]rune(w)), H: 30}
		l.Words = append(l.Words, document.Word{Text: w, Box: box})
		x += box.W + 12
	}
	l.Box = document.WordsBox(l.Words)
	return l
}

func block(lines ...document.Line) document.Block { return document.BlockOf(lines) }

func textOf(blocks []document.Block) string {
	page := document.Page{Blocks: blocks}
	return strings.ReplaceAll(page.Text(), "\n\n", "\n")
}

func insert(blocks []document.Block, l document.Line, cut ...document.Box) string {
	s := layout.SequenceOf(blocks)
	s.Insert(l, cut)
	return textOf(s.Blocks())
}

func TestJoinTornLines(t *testing.T) {
	t.Parallel()
	at := func(y int) int { return 50 * y }
	prices := []document.Block{
		block(line(0, at(1), "Morgen", "am", "See"), line(0, at(2), "Stillleben"), line(0, at(3), "Die", "Näherin")),
		block(line(900, at(1), "40"), line(900, at(2), "—"), line(900, at(3), "1200")),
	}
	var left, right []document.Line
	for y := range 6 {
		left = append(left, line(0, at(y), "left", "column", "of", "text"))
		right = append(right, line(270, at(y), "right", "column", "here"))
	}
	columns := []document.Block{block(left...), block(right...)}
	speakers := block(line(0, at(1), "BRUTUS"), line(0, at(3), "CASSIUS"), line(0, at(5), "PORTIA"))
	notes := block(line(0, at(2), "Rom.", "3"), line(0, at(4), "Mark", "7"), line(0, at(6), "John", "1"))
	speeches := block(
		line(300, at(1), "The", "words", "were", "hardly", "out"), line(300, at(2), "she", "left."),
		line(300, at(3), "Tracy", "was", "never", "there"), line(300, at(4), "in", "a", "state."),
		line(300, at(5), "Did", "he", "die", "so", "very"), line(300, at(6), "young?"),
	)
	for _, c := range []struct {
		name   string
		blocks []document.Block
		want   string
	}{
		{"joins prices to the entries on their left", prices, "Morgen am See 40\nStillleben —\nDie Näherin 1200"},
		{
			"joins an amount that is a little higher than its entry, and before it in the block",
			[]document.Block{block(
				line(0, at(1), "By", "cash"), line(900, at(1)-10, "77", "3", "11"), line(900, at(2)-10, "12", "4", "1"), line(0, at(2), "To", "malt"),
			)},
			"By cash 77 3 11\nTo malt 12 4 1",
		},
		{
			"joins numbers to the entries on their right",
			[]document.Block{prices[1], block(line(1000, at(1), "Johannisbeeren"), line(1000, at(2), "Stillleben"), line(1000, at(3), "Thierleben"))},
			"40 Johannisbeeren\n— Stillleben\n1200 Thierleben",
		},
		{
			"moves a line number to its line instead of the line to the number",
			[]document.Block{
				block(line(0, at(3), "1")),
				block(line(200, at(1), "Stances")),
				block(line(60, at(2), "Honte", "dont", "la", "vertu"), line(60, at(3), "On", "te", "peut", "bien"), line(60, at(4), "placer", "au", "rang")),
				block(line(900, at(2), "a", "column"), line(900, at(3), "of", "notes"), line(900, at(4), "beside", "it")),
			},
			"Stances\nHonte dont la vertu\n1 On te peut bien\nplacer au rang\na column\nof notes\nbeside it",
		},
		{
			"joins the parts of a torn line",
			[]document.Block{
				block(line(0, at(1), "a", "line", "that", "goes", "all", "the", "way", "across"), line(0, at(2), "one", "that", "was"),
					line(0, at(3), "and", "one", "more", "that", "goes", "all", "the", "way")),
				block(line(180, at(2), "torn", "in", "two")),
			},
			"a line that goes all the way across\none that was torn in two\nand one more that goes all the way",
		},
		{
			"joins page numbers to the entries before them in their block",
			[]document.Block{block(line(0, at(1), "Of", "Bees"), line(900, at(1), "17"), line(0, at(2), "Of", "Hives"), line(900, at(2), "102"))},
			"Of Bees 17\nOf Hives 102",
		},
		{
			"joins several numbers of a row, but not a dash",
			[]document.Block{block(line(0, at(1), "Wheat"), line(900, at(1), "17"), line(1200, at(1), "4"), line(0, at(2), "Oats"), line(900, at(2), "—"))},
			"Wheat 17 4\nOats\n—",
		},
		{
			"joins the names of speakers to their speeches",
			[]document.Block{speakers, speeches},
			"BRUTUS The words were hardly out\nshe left.\nCASSIUS Tracy was never there\nin a state.\nPORTIA Did he die so very\nyoung?",
		},
		{"leaves two names", []document.Block{block(speakers.Lines[:2]...), speeches}, "BRUTUS\nCASSIUS\n" + textOf([]document.Block{speeches})},
		{"leaves notes beside lines within paragraphs", []document.Block{notes, speeches}, textOf([]document.Block{notes, speeches})},
		{
			"joins Roman numbers to the questions on their right",
			[]document.Block{
				block(line(0, at(1), "I."), line(0, at(2), "II."), line(0, at(3), "IV.")),
				block(line(200, at(1), "Describe", "it"), line(200, at(2), "Compare", "them"), line(200, at(3), "Explain", "why")),
			},
			"I. Describe it\nII. Compare them\nIV. Explain why",
		},
		{"leaves columns of text", columns, textOf(columns)},
		{"leaves an empty page", nil, ""},
	} {
		require.Equal(t, c.want, textOf(layout.JoinTornLines(c.blocks)), c.name)
	}
}

func TestSequence_Insert(t *testing.T) {
	t.Parallel()
	at := func(y int) int { return 50 * y }
	entries := []document.Block{block(
		line(100, at(1), "Morgen", "am", "See"), line(100, at(2), "Stillleben"), line(100, at(3), "Die", "Näherin"),
	)}
	text := []document.Block{block(
		line(0, at(1), "a", "line", "that", "goes", "on"), line(72, at(2), "goes", "on"), line(0, at(3), "and", "on", "and", "on"),
	)}
	var left, beyond []document.Line
	for y := range 6 {
		left = append(left, line(0, at(y), "left", "column", "of", "text"))
		if y != 3 {
			beyond = append(beyond, line(270, at(y), "right", "column", "here"))
		}
	}
	beyond[2].Words[0].Text = "above"
	columns := []document.Block{block(left...), block(beyond...)}
	speeches := []document.Block{
		block(line(60, 0, "A", "street")),
		block(line(200, at(1), "Is", "thy", "master", "within"), line(200, at(2), "He", "is", "but", "he", "sees"), line(200, at(3), "nobody", "at", "all", "today")),
	}
	for _, c := range []struct {
		why    string
		blocks []document.Block
		missed document.Line
		want   string
	}{
		{"a price goes to its entry, however far it is", entries, line(900, at(2), "1200"), "Morgen am See\nStillleben 1200\nDie Näherin"},
		{"a number goes before its entry", entries, line(40, at(3), "17."), "Morgen am See\nStillleben\n17. Die Näherin"},
		{"the beginning of a line goes before its rest", text, line(0, at(2), "which"), "a line that goes on\nwhich goes on\nand on and on"},
		{"the end of a line goes after its rest", text, line(168, at(2), "and", "on"), "a line that goes on\ngoes on and on\nand on and on"},
		{"keeps writing beyond the ends of all lines apart", entries, line(240, at(2), "mit", "Krug"), "Morgen am See\nStillleben\nmit Krug\nDie Näherin"},
		{"a loose line goes between its neighbours", entries, line(140, at(2)+25, "verkauft"), "Morgen am See\nStillleben\nverkauft\nDie Näherin"},
		{"the first line of a page goes first", entries, line(400, 0, "Gemälde"), "Gemälde\nMorgen am See\nStillleben\nDie Näherin"},
		{"a line beside the first line of a page goes after it", entries, line(700, at(1), "verkauft"), "Morgen am See\nverkauft\nStillleben\nDie Näherin"},
		{
			"the first line of the right column goes first in it",
			[]document.Block{block(left[1:]...), block(beyond[2:]...)},
			line(270, at(1)-2, "was", "missed"),
			"left column of text\nleft column of text\nleft column of text\nleft column of text\nleft column of text\n" +
				"was missed\nabove column here\nright column here\nright column here",
		},
		{"a number below lines that are all to its right goes last", entries, line(0, at(4), "18."), "Morgen am See\nStillleben\nDie Näherin\n18."},
		{
			"the name of a speaker goes before the speech to its right", speeches, line(0, at(2)+4, "Serv."),
			"A street\nIs thy master within\nServ.\nHe is but he sees\nnobody at all today",
		},
		{
			"a name goes after the speech beside the name above", append(speeches[:1:1], block(append([]document.Line{line(0, at(1)+4, "Bell.")}, speeches[1].Lines...)...)), line(0, at(2)+4, "Serv."),
			"A street\nBell.\nIs thy master within\nServ.\nHe is but he sees\nnobody at all today",
		},
		{
			"a line of a column goes into that column, although it is in a row with the other column", columns, line(270, at(3), "was", "missed"),
			"left column of text\nleft column of text\nleft column of text\nleft column of text\nleft column of text\nleft column of text\n" +
				"right column here\nright column here\nabove column here\nwas missed\nright column here\nright column here",
		},
	} {
		require.Equal(t, c.want, insert(c.blocks, c.missed), c.why)
	}
}

func TestSequence_Insert_cutWords(t *testing.T) {
	t.Parallel()
	cut := line(60, 0, "e", "been", "here")
	blocks := []document.Block{block(cut, line(0, 50, "for", "ten", "days")), block(line(900, 0, "x"))}
	stray := blocks[1].Lines[0].Words[0].Box
	got := insert(blocks, line(24, 0, "have"), cut.Words[0].Box, stray)
	require.Equal(t, "have been here\nfor ten days", got)
	require.Equal(t, "e", blocks[0].Lines[0].Words[0].Text, "the argument is unchanged")
}

func TestSequence_Insert_betweenWords(t *testing.T) {
	t.Parallel()
	between := line(0, 0, "the", "Orthodox", "Vienna")
	between.Words[2].Box.X += 200
	between.Box.W += 200
	got := insert([]document.Block{block(between)}, line(180, 2, "Jewry", "in"))
	require.Equal(t, "the Orthodox Jewry in Vienna", got)
}

func left(y int) document.Box { return document.Box{X: 100, Y: y, W: 500, H: 40} }

func right(y int) document.Box { return document.Box{X: 1200, Y: y, W: 500, H: 40} }

func across(y int) document.Box { return document.Box{X: 100, Y: y, W: 1600, H: 40} }

func TestSequence_InsertHandwriting(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		print   [][]document.Box // the lines of each block
		written []document.Box
		want    []document.Box // boxes of the lines, in order
	}{
		{
			"fills in two columns",
			[][]document.Box{{left(200), left(500), left(800), left(1100)}, {right(200), right(500), right(800), right(1100)}},
			[]document.Box{left(330), right(330), left(630), right(630), left(930), right(930)},
			[]document.Box{
				left(200), left(330), left(500), left(630), left(800), left(930), left(1100),
				right(200), right(330), right(500), right(630), right(800), right(930), right(1100),
			},
		},
		{
			"keeps the order of sloping lines whose boxes overlap",
			[][]document.Box{{across(900)}},
			[]document.Box{{X: 110, Y: 200, W: 600, H: 100}, {X: 100, Y: 245, W: 600, H: 100}},
			[]document.Box{{X: 110, Y: 200, W: 600, H: 100}, {X: 100, Y: 245, W: 600, H: 100}, across(900)},
		},
		{
			"puts a note at the top left before the heading to its right",
			[][]document.Box{{right(180), right(230)}, {across(400), across(460)}},
			[]document.Box{left(120)},
			[]document.Box{left(120), right(180), right(230), across(400), across(460)},
		},
		{
			"puts a note above the right column after the left column",
			[][]document.Box{{left(200), left(500)}, {right(200), right(500)}},
			[]document.Box{right(120)},
			[]document.Box{left(200), left(500), right(120), right(200), right(500)},
		},
		{
			"fills in a table row by row",
			[][]document.Box{{across(200)}, {across(1100)}},
			[]document.Box{left(330), right(330), left(630), right(630), left(930), right(930)},
			[]document.Box{across(200), left(330), right(330), left(630), right(630), left(930), right(930), across(1100)},
		},
		{
			"puts a date on the right between the heading on the left and the text",
			[][]document.Box{{left(200)}, {across(800)}},
			[]document.Box{right(400), right(550)},
			[]document.Box{left(200), right(400), right(550), across(800)},
		},
		{
			"puts a remark on the right below all print",
			[][]document.Box{{left(200), left(300)}},
			[]document.Box{right(500), right(650)},
			[]document.Box{left(200), left(300), right(500), right(650)},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var blocks []document.Block
			for _, boxes := range c.print {
				var lines []document.Line
				for _, b := range boxes {
					lines = append(lines, document.Line{Box: b})
				}
				blocks = append(blocks, document.BlockOf(lines))
			}
			s := layout.SequenceOf(blocks)
			for _, b := range c.written {
				s.InsertHandwriting(document.Line{Box: b, Handwritten: true})
			}
			var got []document.Box
			for _, b := range s.Blocks() {
				for _, l := range b.Lines {
					require.Equal(t, b.Lines[0].Handwritten, l.Handwritten, "a block is print or handwriting")
					got = append(got, l.Box)
				}
			}
			require.Equal(t, c.want, got)
		})
	}
}
