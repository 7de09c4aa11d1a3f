package correct_test

import (
	"math"
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
		line.Words = append(line.Words, document.Word{Text: w, Confidence: confidence, Box: box, Signals: &document.Signals{Letters: confidence}})
		line.Box = line.Box.Union(box)
		x += box.W + 10
	}
	return []document.Block{{Box: line.Box, Lines: []document.Line{line}}}
}

func text(b []document.Block) string { return (&document.Page{Blocks: b}).Text() }

// readings returns further readings of the line of blocks, without its boxes.
func readings(confidence float64, texts ...string) (all [][]document.Word) {
	for _, text := range texts {
		if text == "" {
			all = append(all, nil)
			continue
		}
		all = append(all, blocks(text, confidence)[0].Lines[0].Words)
	}
	return all
}

func TestKnowledge_Vote(t *testing.T) {
	t.Parallel()
	knowledge := correct.Knowledge{Known: words, Seen: map[string]int{"house": 3}}
	for _, c := range []struct {
		why, read string
		others    []string
		want      string
	}{
		{"takes what all other readings have", "the hovfe stands", []string{"the house stands", "the house stands", "the house stands"}, "the house stands"},
		{"keeps a sure word", "the house stands", []string{"the honse stands", "the hoase stands", ""}, "the house stands"},
		{"keeps a line without another reading", "the hovfe stands", []string{"", "", ""}, "the hovfe stands"},
		{"joins a torn word", "the ho use stands", []string{"the house stands", "the house stands", "the house stands"}, "the house stands"},
		{"splits joined words", "thehouse stands", []string{"the house stands", "the house stands", "the house stands"}, "the house stands"},
		{"corrects a number that the others have", "the 1965 stands", []string{"the 1905 stands", "the 1905 stands", "the 1905 stands"}, "the 1905 stands"},
		{"keeps old signs", "the œuure stands", []string{"the euure stands", "the euure stands", "the euure stands"}, "the œuure stands"},
		{"keeps a known word if the other one is unknown", "the house stands", []string{"the hovse stands", "the hovse stands", "the hovse stands"}, "the house stands"},
		{"does not turn letters into figures", "the lll stands", []string{"the 111 stands", "the 111 stands", "the 111 stands"}, "the lll stands"},
		{"does not modernise", "the étoit stands", []string{"the était stands", "the était stands", "the était stands"}, "the étoit stands"},
		{"does not respell", "the auoir stands", []string{"the avoir stands", "the avoir stands", "the avoir stands"}, "the auoir stands"},
		{"does not expand an abbreviation", "the hõuse stands", []string{"the house stands", "the house stands", "the house stands"}, "the hõuse stands"},
		{"does not change a capital alone", "the House stands", []string{"the house stands", "the house stands", "the house stands"}, "the House stands"},
		{"does not read a stain as letters", "the hovfe . stands", []string{"the hovfe iliiliil stands", "the hovfe iliiliil stands", "the hovfe iliiliil stands"}, "the hovfe . stands"},
	} {
		confidence := 0.3
		if c.read == c.want && c.others[2] == "" {
			confidence = 0.99
		}
		b := blocks(c.read, confidence)
		edits := knowledge.Vote(&b[0].Lines[0], readings(0.95, c.others...))
		require.Equal(t, c.want, text(b), c.why)
		require.Len(t, edits, boolInt(c.want != c.read), c.why)
		if len(edits) > 0 {
			require.Equal(t, "vote", edits[0].Rule)
			require.Equal(t, c.want, strings.Replace(c.read, edits[0].Before, edits[0].After, 1), c.why)
		}
	}
}

// TestKnowledge_Vote_replays shows that the edits, applied in their order, turn the line into what is returned.
func TestKnowledge_Vote_replays(t *testing.T) {
	t.Parallel()
	knowledge := correct.Knowledge{Known: words}
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.StringMatching("[a-e]{1,4}")
		line := rapid.SliceOfN(word, 1, 8)
		distinct := rapid.SliceOfNDistinct(word, 1, 8, rapid.ID) // an edit does not say which of several equal words it changes, but its box
		read := blocks(strings.Join(distinct.Draw(t, "read"), " "), rapid.Float64Range(0, 1).Draw(t, "own"))
		before := text(read)
		var others []string
		for range 3 {
			others = append(others, strings.Join(line.Draw(t, "other"), " "))
		}
		rest, after := before, ""
		for _, e := range knowledge.Vote(&read[0].Lines[0], readings(rapid.Float64Range(0, 1).Draw(t, "confidence"), others...)) {
			unchanged, behind, found := strings.Cut(" "+rest+" ", " "+e.Before+" ")
			if !found {
				t.Fatalf("%q has no %q", rest, e.Before)
			}
			after, rest = strings.TrimSpace(after+unchanged+" "+e.After), strings.TrimSpace(behind)
		}
		if got := strings.TrimSpace(after + " " + rest); got != text(read) {
			t.Fatalf("%q became %q, and by its edits %q", before, text(read), got)
		}
	})
}

func TestKnowledge_Candidates(t *testing.T) {
	t.Parallel()
	knowledge := correct.Knowledge{
		Known: words, Seen: map[string]int{"house": 2, "hovfe": 1},
		Likelihood: func(line string) float64 { return float64(strings.Count(line, "house")) },
	}
	read := blocks("The hovfe stands", 0.5)[0].Lines[0].Words
	all := knowledge.Candidates(read, readings(0.9, "The house stands", "The house stands", "The hovfe stands"))
	require.Len(t, all, 1)
	require.Equal(t, "house", all[0].Text())
	require.Equal(t, 1, all[0].From)
	require.Equal(t, 2, all[0].To)
	evidence := map[string]float64{}
	for i, name := range correct.EvidenceNames {
		evidence[name] = all[0].Evidence[i]
	}
	require.InDelta(t, math.Log(9), evidence["letters"], 1e-9)
	require.InDelta(t, math.Log(9), evidence["lead"], 1e-9, "a confidence of one half is even odds")
	require.InDelta(t, math.Log(9)/3, evidence["agree"], 1e-9)
	require.InDelta(t, 1.0/3, evidence["near"], 1e-9, "two readings are for it, one against it")
	require.InDelta(t, 1, evidence["language"], 1e-9)
	require.InDelta(t, 0, evidence["longer"], 1e-9)
	require.InDelta(t, 0, evidence["last"], 1e-9)
	require.InDelta(t, 0, evidence["on page"], 1e-9)
	require.InDelta(t, 1, evidence["new there"], 1e-9)
	require.InDelta(t, 0, evidence["known"], 1e-9)
	require.InDelta(t, 1, evidence["several"], 1e-9)
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
