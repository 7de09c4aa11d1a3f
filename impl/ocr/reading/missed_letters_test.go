package reading_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/impl/ocr/layout"
	"uncial/impl/ocr/ocrtest"
	"uncial/internal/document"
)

// TestRead_missedDigits checks that a single digit is read if the model of the page and the network read the same.
func TestRead_missedDigits(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		why, says, network, want string
		page                     []document.Block
	}{
		{"both read the same", "7", "7", " 7", withBaselines(firstReading())},
		{"they differ", "7", "1", "", withBaselines(firstReading())},
		{"neither reads a digit", ":", ":", "", withBaselines(firstReading())},
		{"no line is known to stand there", "7", "7", "", firstReading()},
	} {
		src := &remembering{forgetful{page: c.page, says: always(c.says, 0.95)}, c.network, 95}
		require.Equal(t, strings.Join(entries, c.want+"\n")+c.want, textOf(src.blocks(t, catalogue("7", "7", "7"))), c.why)
	}
}

// TestRead_missedCells checks that in the row of a number, the network reads single digits alone, also between the entry and
// the number.
func TestRead_missedCells(t *testing.T) {
	t.Parallel()
	page, lines := withBaselines(firstReading()), make([]string, len(entries))
	for i := range entries {
		number := spread("12", i, 900, 960)
		page[0].Lines[i] = layout.JoinLines(page[0].Lines[i], number)
		lines[i] = entries[i]
	}
	img := ocrtest.Page(lines...)
	for i := range entries {
		blot(img, 770, ocrtest.Baseline+ocrtest.Pitch*i-40, 25, 40)
		blot(img, 900, ocrtest.Baseline+ocrtest.Pitch*i-40, 25, 40)
		blot(img, 935, ocrtest.Baseline+ocrtest.Pitch*i-40, 25, 40)
		blot(img, 1200, ocrtest.Baseline+ocrtest.Pitch*i-40, 25, 40)
	}
	src := &remembering{forgetful{page: page, says: always("@", 0.95)}, "O", 95}
	require.Equal(t, strings.Join(entries, " 0 12 0\n")+" 0 12 0", textOf(src.blocks(t, img)))
}

// TestRead_missedLookAlikes checks that a digit is read if the model of the page or the network reads a letter that looks like
// it, and a letter if the model repeats it.
func TestRead_missedLookAlikes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ says, network, want string }{{"0", "O", "0"}, {"O", "0", "0"}, {"l", "1", "1"}, {"Cc", "C", "C"}, {"O", "O", "O"}, {"I", "I", "I"}, {"11", "1", ""}, {"ll", "l", ""}} {
		src := &remembering{forgetful{page: withBaselines(firstReading()), says: always(c.says, 0.95)}, c.network, 95}
		result := src.blocks(t, catalogue("7", "7", "7"))
		texts := strings.Fields(strings.ReplaceAll(strings.Join(entries, " . ")+" .", ".", c.want))
		require.Equal(t, texts, strings.Fields(textOf(result)), "%s and %s", c.says, c.network)
	}
}

// TestRead_missedItems checks that the network alone reads the numbers of a list, and nothing else.
func TestRead_missedItems(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		network, want string
		sure          float64
	}{{"7.", " 7.", 95}, {"l.", " 1.", 95}, {"l", "", 95}, {"7.", "", 85}, {"a.", "", 95}} {
		src := &remembering{forgetful{page: withBaselines(firstReading()), says: always("", 0)}, c.network, c.sure}
		img := ocrtest.Page(entries...)
		for i := range entries {
			blot(img, 900, ocrtest.Baseline+ocrtest.Pitch*i-26, 20, 40) // below the baseline, as digits of old style
			blot(img, 926, ocrtest.Baseline+ocrtest.Pitch*i-6, 6, 6)
		}
		require.Equal(t, strings.Join(entries, c.want+"\n")+c.want, textOf(src.blocks(t, img)), "%v", c)
	}
}

// TestRead_missedAfterLeader checks that a stroke at the end of a leader is a number.
func TestRead_missedAfterLeader(t *testing.T) {
	t.Parallel()
	for dots, want := range map[int]string{30: " " + strings.Repeat(".", 30) + " 1", 0: ""} {
		src := &remembering{forgetful{page: withBaselines(firstReading()), says: always("", 0)}, "l", 95}
		img := ocrtest.Page(entries...)
		for i := range entries {
			for k := range dots {
				blot(img, 680+10*k, ocrtest.Baseline+ocrtest.Pitch*i-5, 5, 5)
			}
			blot(img, 1000, ocrtest.Baseline+ocrtest.Pitch*i-40, 10, 40)
		}
		require.Equal(t, strings.Join(entries, want+"\n")+want, textOf(src.blocks(t, img)), "%d dots", dots)
	}
}

// TestRead_missedBracket checks that a number in brackets is read, although only one of its letters is a digit.
func TestRead_missedBracket(t *testing.T) {
	t.Parallel()
	src := &forgetful{page: firstReading(), says: always("(7)", .95)}
	img := ocrtest.Page(entries...)
	for x := 900; x < 975; x += 25 {
		blot(img, x, ocrtest.Baseline-40, 15, 40)
	}
	require.Equal(t, entries[0]+" (7)\n"+entries[1]+"\n"+entries[2], src.read(t, img))
}

// TestRead_missedSingles checks that each of several digits in a row is read by itself, without the edges of its neighbours.
func TestRead_missedSingles(t *testing.T) {
	t.Parallel()
	src := &remembering{forgetful{page: withBaselines(firstReading()), says: always("7", 0.95)}, "7", 95}
	img := ocrtest.Page(entries...)
	for i := range entries {
		for x := 900; x < 1200; x += 100 {
			blot(img, x, ocrtest.Baseline+ocrtest.Pitch*i-40, 25, 40)
		}
	}
	result := src.blocks(t, img)
	require.Equal(t, strings.Join(entries, " 7 7 7\n")+" 7 7 7", textOf(result))
	for l := range document.Lines(result) {
		for k, w := range l.Words[len(l.Words)-3:] {
			require.Less(t, max(w.Box.X-(900+100*k), 900+100*k+25-w.Box.Right()), 8, "%v", w.Box)
		}
	}
}

// TestRead_missedLetters checks that a column of letters that was read as one line is read letter by letter, whether that line
// was dropped as false text or read with confidence. A line of letters that are close stays.
func TestRead_missedLetters(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		confidence float64
		height     int // of a letter
		want       string
	}{
		{0.1, 40, strings.Join(entries, "\nB\n") + "\nB"},
		{0.95, 40, strings.Join(entries, "\nB\n") + "\nB"},
		{0.95, ocrtest.Pitch - 5, strings.Join(entries, "\n") + "\neo"},
	} {
		page := withBaselines(firstReading())
		column := document.Box{X: 1000, Y: ocrtest.Baseline - c.height - 5, W: 30, H: 2*ocrtest.Pitch + c.height + 10}
		page[0].Lines = append(page[0].Lines, document.Line{Box: column, Words: []document.Word{{Text: "eo", Box: column, Confidence: c.confidence, Model: "eng"}}})
		img := ocrtest.Page(entries...)
		for i := range entries {
			blot(img, 1000, ocrtest.Baseline+ocrtest.Pitch*i-c.height, 25, c.height)
		}
		src := &remembering{forgetful{page: page, says: always("B", 0.95)}, "B", 95}
		require.Equal(t, c.want, textOf(src.blocks(t, img)), "%+v", c)
	}
}

// TestRead_missedAlone checks that the network reads a capital or a digit that is alone in its row, unless it is not sure or
// reads a stroke.
func TestRead_missedAlone(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		network, want string
		sure          float64
		beside        int // x of another blot in the row, 0 for none
	}{
		{"7", "\n7", 97, 0}, {"V.", "\nV.", 97, 0}, {"I.", "\nI.", 97, 0}, {"I", "", 97, 0}, {"1", "", 97, 0}, {"O", "", 97, 0}, {"o", "", 97, 0}, {"7", "", 92, 0}, {"7", "", 97, 300},
	} {
		src := &remembering{forgetful{page: withBaselines(firstReading()), says: always("", 0)}, c.network, c.sure}
		img := ocrtest.Page(append(slices.Clone(entries), "", "")...)
		y := ocrtest.Baseline + ocrtest.Pitch*(len(entries)+1)
		blot(img, 700, y-40, 25, 40)
		blot(img, 731, y-6, 6, 6)
		if c.beside > 0 {
			blot(img, c.beside, y-8, 30, 8)
		}
		require.Equal(t, strings.Join(entries, "\n")+c.want, textOf(src.blocks(t, img)), "%+v", c)
	}
}
