package correct_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"uncial/impl/ocr/correct"
	"uncial/impl/ocr/lexicon"
	"uncial/internal/document"
)

// list is a Lexicon of a few words.
type list []string

func (l list) Known(word string) bool {
	word = strings.Trim(word, ".,;:!?")
	return slices.Contains(l, word) || slices.Contains(l, strings.ToLower(word))
}

func (l list) Match(word string, variants lexicon.Variants, limit int) []string {
	var found []string
	for _, w := range l {
		a, b := []rune(word), []rune(w)
		same := len(a) == len(b)
		for i := range a {
			same = same && (a[i] == b[i] || slices.Contains(variants[a[i]], string(b[i])))
		}
		if same && len(found) < limit {
			found = append(found, w)
		}
	}
	return found
}

var words = list{"the", "house", "of", "stands", "hill", "maison", "self", "upon", "fame", "same", "feast", "mix", "lits", "pièce", "était", "laysser"}

// blocks returns one block of one line. Words are 10 pixels a letter wide.
func blocks(text string, confidence float64) []document.Block {
	line := document.Line{}
	x := 0
	for w := range strings.FieldsSeq(text) {
		box := document.Box{X: x, W: 10 * len([]rune(w)), H: 20}
		line.Words = append(line.Words, document.Word{Text: w, Confidence: confidence, Box: box})
		line.Box = line.Box.Union(box)
		x += box.W + 10
	}
	return []document.Block{{Box: line.Box, Lines: []document.Line{line}}}
}

func text(b []document.Block) string { return (&document.Page{Blocks: b}).Text() }

func TestVote(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ why, read, other, want string }{
		{"replaces an unknown word by a known one", "the hovfe stands", "the house stands", "the house stands"},
		{"takes the punctuation of the known word", "the hovfe, stands", "the house. stands", "the house. stands"},
		{"keeps a known word", "the house stands", "the fame! stands", "the house stands"},
		{"keeps an unknown word if the other one is unknown too", "the hovfe stands", "the honfe stands", "the hovfe stands"},
		{"keeps a number", "the 1905 stands", "the same stands", "the 1905 stands"},
		{"keeps a name", "the Hovfe stands", "the House stands", "the Hovfe stands"},
		{"does not add a capital", "the hovfe stands", "the House stands", "the hovfe stands"},
		{"keeps an abbreviation", "the hõuse stands", "the house stands", "the hõuse stands"},
		{"does not correct an accent", "the piéce stands", "the pièce stands", "the piéce stands"},
		{"does not add an accent", "the piece stands", "the pièce stands", "the piece stands"},
		{"does not modernise ai for oi", "the étoit stands", "the était stands", "the étoit stands"},
		{"does not respell y for i", "the laisser stands", "the laysser stands", "the laisser stands"},
		{"keeps a word that is too different", "the qzxwv stands", "the house stands", "the qzxwv stands"},
		{"does not change punctuation alone", "the hovfe, stands", "the hovfe. stands", "the hovfe, stands"},
		{"keeps a name after an article", "the d'Hovfe stands", "the d'House stands", "the d'Hovfe stands"},
		{"keeps a Roman numeral", "the viij stands", "the hill stands", "the viij stands"},
		{"does not add a Roman numeral", "the inx stands", "the mix stands", "the inx stands"},
		{"keeps a split word if the joined one is unknown too", "the ho use stands", "the h-ouse stands", "the ho use stands"},
	} {
		b := blocks(c.read, 0.6)
		edits := correct.Vote(b, [][]document.Block{blocks(c.other, 0.9)}, words)
		require.Equal(t, c.want, text(b), c.why)
		if c.want == c.read {
			require.Empty(t, edits, c.why)
			continue
		}
		require.Len(t, edits, 1, c.why)
		require.Equal(t, "vote", edits[0].Rule)
	}
}

func TestVote_minConfidence(t *testing.T) {
	t.Parallel()
	for confidence, want := range map[float64]string{0.01: "the hovfe stands", 0.19: "the hovfe stands", 0.3: "the house stands"} {
		b := blocks("the hovfe stands", 0.05)
		correct.Vote(b, [][]document.Block{blocks("the house stands", confidence)}, words)
		require.Equal(t, want, text(b), "confidence %v", confidence)
	}
}

func TestVote_blanks(t *testing.T) {
	t.Parallel()
	torn := blocks("the ho use", 0.5)
	torn[0].Lines[0].Words[1].Box = document.Box{X: 40, W: 20, H: 20}
	torn[0].Lines[0].Words[2].Box = document.Box{X: 62, W: 28, H: 20}
	edits := correct.Vote(torn, [][]document.Block{blocks("the house", 0.9)}, words)
	require.Equal(t, "the house", text(torn))
	require.Equal(t, "ho use", edits[0].Before)

	whole := blocks("thehouse", 0.5)
	whole[0].Lines[0].Words[0].Box.W = 90
	correct.Vote(whole, [][]document.Block{blocks("the house", 0.9)}, words)
	require.Equal(t, "the house", text(whole))
}

func TestVote_knownText(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.SampledFrom(words)
		read := strings.Join(rapid.SliceOfN(word, 1, 12).Draw(t, "read"), " ")
		other := strings.Join(rapid.SliceOfN(word, 1, 12).Draw(t, "other"), " ")
		b := blocks(read, rapid.Float64Range(0, 1).Draw(t, "confidence"))
		if edits := correct.Vote(b, [][]document.Block{blocks(other, 1)}, words); len(edits) > 0 || text(b) != read {
			t.Fatalf("%q became %q", read, text(b))
		}
	})
}

func TestVote_longS(t *testing.T) {
	t.Parallel()
	page := strings.Repeat("ſame ", 12)
	other := blocks("maison", 0.9)
	other[0].Lines[0].Words[0].Box.Y = 100
	other[0].Lines[0].Box.Y = 100
	known := append(slices.Clone(words), "ſame")
	for _, c := range []struct{ why, model, want string }{
		{"adds long s to words of a model without long s", "modern", "maiſon"},
		{"keeps round s of a model that writes long s", "early", "maison"},
	} {
		other[0].Lines[0].Words[0].Model = c.model
		read := append(blocks(page, 0.9), blocks("maifcn", 0.4)...)
		read[1].Lines[0].Words[0].Box.Y, read[1].Lines[0].Box.Y = 100, 100
		for i := range read[0].Lines[0].Words {
			read[0].Lines[0].Words[i].Model = "early"
		}
		correct.Vote(read, [][]document.Block{other}, known)
		require.Equal(t, c.want, read[1].Lines[0].Words[0].Text, c.why)
	}
}

func TestLongS(t *testing.T) {
	t.Parallel()
	page := strings.Repeat("maiſon ", 12)
	for _, c := range []struct{ why, word, want string }{
		{"repairs a word if one known word results", "maifon,", "maiſon,"},
		{"keeps a known word", "fame", "fame"},
		{"keeps a word if no known word results", "qufq", "qufq"},
		{"keeps a short word", "fo", "fo"},
		{"keeps a name", "Maifonx", "Maifonx"},
		{"does not end a word in long s", "litf", "litf"},
	} {
		b := blocks(page+c.word, 0.8)
		edits := correct.LongS(b, words)
		require.Equal(t, page+c.want, text(b), c.why)
		require.Len(t, edits, len(strings.Fields(c.want))-boolInt(c.want == c.word), c.why)
	}
	b := blocks("maifon", 0.8)
	require.Empty(t, correct.LongS(b, words), "a page without long s stays unchanged")
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}
