package accuracy_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"uncial/internal/accuracy"
	"uncial/internal/text"
)

// readWords makes words of lines, each with the confidence 0.5.
func readWords(read string) []accuracy.Word {
	var words []accuracy.Word
	for line := range strings.Lines(read) {
		for w := range strings.FieldsSeq(line) {
			words = append(words, accuracy.Word{Text: w, Confidence: 0.5})
		}
		if len(words) > 0 {
			words[len(words)-1].EndsLine = true
		}
	}
	return words
}

func TestCompareWords(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		truth, read string
		errors      map[string]int // of words with errors
		missed      int
	}{
		"equal texts have no errors":             {"Whan that Aprille", "Whan that Aprille", nil, 0},
		"a long s is not an error":               {"ſoote", "soote", nil, 0},
		"a wrong letter":                         {"Whan that Aprille", "Whan thot Aprille", map[string]int{"thot": 1}, 0},
		"a superfluous word":                     {"Whan Aprille", "Whan zz Aprille", map[string]int{"zz": 2}, 0},
		"a short word that is missing":           {"Whan that Aprille", "Whan Aprille", nil, 4},
		"a line that is missing":                 {"Whan that Aprille with his shoures soote", "Whan soote", nil, 25},
		"two words read as one":                  {"Whan that Aprille", "Whanthat Aprille", map[string]int{"Whanthat": 1}, 0},
		"a divided word is one":                  {"the beginning was", "the begin-\nning was", nil, 0},
		"a divided word with an error":           {"the beginning was", "the begin-\nnimg was", map[string]int{"beginnimg": 1}, 0},
		"a hyphen within a line divides nothing": {"well- known", "well- known", nil, 0},
		"a line that is missing next to an error": {
			"Whan that Aprille with his shoures soote", "Whan xoote", map[string]int{"xoote": 1}, 25,
		},
		"a word read as two":                            {"Whan that Aprille", "Whan th at Aprille", map[string]int{"th": 1}, 0},
		"a short word that is missing next to an error": {"Whan that Aprille", "Whan Aprilie", map[string]int{"Aprilie": 5}, 0},
		"a letter is missing":                           {"Whan that Aprille", "Whan tht Aprille", map[string]int{"tht": 1}, 0},
		"nothing was read":                              {"Whan that Aprille", "", nil, 15},
	} {
		scores, missed := accuracy.CompareWords(c.truth, readWords(c.read))
		got := map[string]int{}
		for _, s := range scores {
			if s.Errors+s.Missing > 0 {
				got[s.Text] = s.Errors + s.Missing
			}
		}
		if c.errors == nil {
			c.errors = map[string]int{}
		}
		assert.Equal(t, c.errors, got, name)
		assert.Equal(t, c.missed, missed, name)
	}
}

func TestCompareWords_order(t *testing.T) {
	t.Parallel()
	truth := "Whan that Aprille\nwith his shoures soote\nThe droghte of March"
	scores, missed := accuracy.CompareWords(truth, readWords("with his shoures soote\nWhan that Aprille\nThe drogte of March"))
	moved := ""
	for _, s := range scores {
		if s.Moved {
			moved += s.Text + " "
			require.Zero(t, s.Errors)
		}
	}
	require.Zero(t, missed)
	require.Equal(t, "Whan that Aprille ", moved)
	require.Equal(t, 16, accuracy.Errors(scores), "those that are moved, and one letter")
}

func TestCompareWords_gaps(t *testing.T) {
	t.Parallel()
	words := readWords("Whan that shoures soote")
	for i := range words {
		words[i].Place = 1 + i/2 // two places
	}
	within, missed := accuracy.CompareWords("Whan the zephirus with his sweete breeth that shoures soote", words)
	require.Zero(t, missed)
	require.Equal(t, 30, within[0].Gap)
	require.Equal(t, 30, accuracy.Errors(within))
	require.InDelta(t, 0.5, accuracy.FoundErrors(within, 60, 1), 1e-9)

	between, missed := accuracy.CompareWords("Whan that zephirus with his sweete breeth shoures soote", words)
	require.Equal(t, 27, missed, "a line that is missing between two places belongs to no word")
	require.Zero(t, accuracy.Errors(between))
}

func TestCompareWords_errorsAreThoseOfTheDistance(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.StringMatching(`[ab]{1,4}`)
		truth, read := rapid.SliceOfN(word, 0, 8).Draw(t, "truth"), rapid.SliceOfN(word, 0, 8).Draw(t, "read")
		scores, missed := accuracy.CompareWords(strings.Join(truth, " "), readWords(strings.Join(read, " ")))
		least := text.Distance([]rune(strings.Join(truth, "")), []rune(strings.Join(read, "")))
		require.GreaterOrEqual(t, accuracy.Errors(scores)+missed, least)
	})
}

func TestFoundErrors(t *testing.T) {
	t.Parallel()
	scores := []accuracy.WordScore{
		{Share: 0.9, Characters: 50, Errors: 1},
		{Share: 0.2, Characters: 25, Errors: 6},
		{Share: 0.5, Characters: 25, Errors: 1, Listed: true},
	}
	require.InDelta(t, 0.1, accuracy.FoundErrors(scores, 10, 0.25), 1e-9, "what is listed comes first")
	require.InDelta(t, 0.7, accuracy.FoundErrors(scores, 10, 0.5), 1e-9, "then the words with the smallest share of correct characters")
	require.InDelta(t, 0.4, accuracy.FoundErrors(scores, 10, 0.375), 1e-9, "half of a word has half of its errors")
	require.InDelta(t, 0.8, accuracy.FoundErrors(scores, 10, 1), 1e-9, "errors that no word has are never found")
	require.InDelta(t, 1.0/3, accuracy.ListedShare(scores), 1e-9)

	scores[0].Moved = true
	require.InDelta(t, 6.0/8, accuracy.FoundMisread(scores, 0.25), 1e-9, "by that share alone, and whatever the order")
	scores[0].Moved = false

	with := accuracy.WithUnread(scores, 7, []accuracy.Unread{{Characters: 5}, {Characters: 9}})
	require.Equal(t, 15, accuracy.Errors(with), "a place finds no more than it says, and all no more than was missed")
	require.InDelta(t, 1.0/3, accuracy.ListedShare(with), 1e-9, "unread text is not a word")
}

func TestWordCalibration(t *testing.T) {
	t.Parallel()
	word := func(confidence float64, errors int) accuracy.WordScore {
		return accuracy.WordScore{Confidence: confidence, Errors: errors}
	}
	require.InDelta(t, 0, accuracy.WordCalibration([]accuracy.WordScore{word(0.5, 0), word(0.5, 1), word(1, 0), word(0, 3)}), 1e-9)
	require.InDelta(t, 0.45, accuracy.WordCalibration([]accuracy.WordScore{word(0.9, 0), word(0.9, 1), word(0.5, 1), {IsUnread: true}, word(0.5, 1)}), 1e-9)
	require.Zero(t, accuracy.WordCalibration(nil))
}

func TestAUC(t *testing.T) {
	t.Parallel()
	word := func(confidence float64, errors int) accuracy.WordScore {
		return accuracy.WordScore{Confidence: confidence, Errors: errors}
	}
	require.InDelta(t, 1, accuracy.AUC([]accuracy.WordScore{word(0.9, 0), word(0.1, 1), word(0.8, 0)}), 1e-9)
	require.InDelta(t, 0, accuracy.AUC([]accuracy.WordScore{word(0.1, 0), word(0.9, 1)}), 1e-9)
	require.InDelta(t, 0.5, accuracy.AUC([]accuracy.WordScore{word(0.5, 0), word(0.5, 1)}), 1e-9, "equals tell nothing")
	require.InDelta(t, 0.75, accuracy.AUC([]accuracy.WordScore{word(0.5, 1), word(0.9, 0), word(0.7, 1), word(0.6, 0)}), 1e-9)
	require.InDelta(t, 0.5, accuracy.AUC([]accuracy.WordScore{word(0.5, 0)}), 1e-9)
}

func TestFoundLines(t *testing.T) {
	t.Parallel()
	truth := "12\nPROLOGVE\nWhan that Aprille with his shoures soote\nThe droghte of March hath perced\nvertu engendred"
	counts := accuracy.FoundLines(truth, "Whan that Aprille with\nvertu")
	require.Equal(t, map[accuracy.LineKind]accuracy.Rate{
		"numbers": {Errors: 1, Length: 1}, "short lines": {Errors: 1, Length: 2}, "lines of text": {Errors: 1, Length: 2},
	}, counts)
	require.Equal(t, 0, accuracy.FoundLines("12\n12", "12 12")["numbers"].Errors)
	require.Equal(t, 1, accuracy.FoundLines("12\n12", "12")["numbers"].Errors, "a word is found once")
	require.Empty(t, accuracy.FoundLines("\n \n", ""))
}
