package document_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"uncial/internal/document"
	"uncial/internal/document/documenttest"
)

// rated makes a document like inLines, of words with their confidence in percent: "Whan/95 that/20".
func rated(lines ...string) *document.Document {
	var confidences []float64
	for i, line := range lines {
		words := strings.Fields(line)
		for j, w := range words {
			text, percent, _ := strings.Cut(w, "/")
			var c float64
			if _, err := fmt.Sscan(percent, &c); err != nil {
				panic(err)
			}
			words[j] = text
			confidences = append(confidences, c/100)
		}
		lines[i] = strings.Join(words, " ")
	}
	doc := inLines(lines...)
	i := 0
	for w := range document.Words(doc.Pages[0].Blocks) {
		w.Confidence = confidences[i]
		i++
	}
	return doc
}

// texts returns the texts of places, with a slash between lines.
func texts(places []document.Weak) []string {
	all := []string{}
	for _, w := range places {
		all = append(all, strings.ReplaceAll(w.Text, "\n", "/"))
	}
	return all
}

func TestDocument_Weak(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		lines []string
		want  []string
	}{
		"a clear page has no weak place": {[]string{"Whan/95 that/90 Aprille/85"}, []string{}},
		"a word":                         {[]string{"Whan/95 that/20 Aprille/95 with/95"}, []string{"that"}},
		"neighbours are one place":       {[]string{"Whan/95 that/20 Aprille/25 with/95 his/99 shoures/99"}, []string{"that Aprille"}},
		"one clear word between weak ones belongs to them":    {[]string{"Whan/95 that/20 a/95 is/25 shoures/95 soote/99"}, []string{"that a is"}},
		"two clear words between weak ones do not":            {[]string{"Aprille/95 is/20 shoures/95 soote/99 a/25"}, []string{"a", "is"}},
		"a line that is mostly weak is a place":               {[]string{"Whan/95 thatte/20 Aprille/20"}, []string{"Whan thatte Aprille"}},
		"lines that are weak as a whole are one place":        {[]string{"Whan/20 that/20", "Aprille/25", "with/95"}, []string{"Whan that/Aprille"}},
		"a clear line divides places":                         {[]string{"Whan/20", "Aprille/95", "with/25"}, []string{"Whan", "with"}},
		"a line that is weak in part is not part of the next": {[]string{"Whan/95 that/20", "Aprille/25"}, []string{"that", "Aprille"}},
		"the least certain place comes first":                 {[]string{"Whan/25", "that/95", "Aprille/10"}, []string{"Aprille", "Whan"}},
		"a confidence that is just enough is not weak":        {[]string{"Whan/30"}, []string{}},
	} {
		assert.Equal(t, c.want, texts(rated(c.lines...).Weak()), name)
	}
}

func TestDocument_Weak_reasons(t *testing.T) {
	t.Parallel()
	doc := rated("Whan/20 that/20", "Aprille/28 with/26", "his/95 shoures/95")
	page := &doc.Pages[0]
	for line := range document.Lines(page.Blocks) {
		line.Handwritten = true
	}
	page.Doubts = []document.Doubt{
		{Box: document.Box{X: 0, Y: 40, W: 50, H: 10}, Reason: document.UnreadInk, Characters: 9},
		{Box: document.Box{X: 0, Y: 20, W: 100, H: 10}, Reason: document.DoubtfulOrder, Confidence: 0.55, Characters: 10},
	}
	var reasons []string
	for _, w := range doc.Weak() {
		reasons = append(reasons, fmt.Sprintf("%s %.2f %s", w.Reason, w.Confidence, w.Text))
	}
	require.Equal(t, []string{
		"unread-ink 0.00 ", "unfamiliar-handwriting 0.46 Whan that", "doubtful-order 0.55 his shoures", "low-confidence 0.64 Aprille with",
	}, reasons)
}

func TestDocument_Weak_limit(t *testing.T) {
	t.Parallel()
	var lines []string
	for i := range 2 * document.MaxWeak {
		lines = append(lines, fmt.Sprintf("%s/20", strings.Repeat("a", i+1)), "clear/99")
	}
	places := rated(lines...).Weak()
	require.Len(t, places, document.MaxWeak)
	for _, w := range places {
		require.Greater(t, len(w.Text), document.MaxWeak, "long words have more wrong characters")
	}
	require.True(t, slices.IsSortedFunc(places, func(a, b document.Weak) int { return len(a.Text) - len(b.Text) }), "a larger share of long words is correct")
	require.Equal(t, []string{"that", "with"}, texts(rated("that/20", "Aprille/95", "with/20").Weak()), "equals come in reading order")
}

func TestDocument_Weak_properties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		doc := documenttest.Valid().Draw(t, "document")
		places := doc.Weak()
		require.Equal(t, places, doc.Weak(), "the same document has the same places")
		last := 0.0
		for _, w := range places {
			page := doc.Pages[w.Page]
			require.True(t, holds(document.Box{W: page.Width, H: page.Height}, w.Box), "a place is on its page")
			require.GreaterOrEqual(t, w.Confidence, last)
			last = w.Confidence
			for word := range strings.FieldsSeq(w.Text) {
				require.Contains(t, strings.Fields(page.Text()), word)
			}
		}
		for i, page := range doc.Pages {
			for word := range document.Words(page.Blocks) {
				covered := slices.ContainsFunc(places, func(w document.Weak) bool { return w.Page == i && holds(w.Box, word.Box) })
				require.True(t, covered || word.Confidence >= 0.3 || len(places) == document.MaxWeak, "%s", word.Text)
			}
		}
	})
}

func TestWord_CorrectShare(t *testing.T) {
	t.Parallel()
	word := func(text string, confidence float64) *document.Word {
		return &document.Word{Text: text, Confidence: confidence}
	}
	require.InDelta(t, 0.3, word("a", 0.3).CorrectShare(), 1e-9, "a character is a word")
	require.InDelta(t, 0.773, word("Whan", 0.5).CorrectShare(), 0.001, "most characters of a wrong word are right")
	blocks := rated("a/50 "+strings.Repeat("b", 9)+"/50", "c/50").Pages[0].Blocks
	require.InDelta(t, (2*0.5+9*word(strings.Repeat("b", 9), 0.5).CorrectShare())/11, document.CorrectShare(blocks), 1e-9, "long words count more")
	require.Zero(t, document.CorrectShare(nil))
	rapid.Check(t, func(t *rapid.T) {
		n, p := rapid.IntRange(1, 60).Draw(t, "characters"), rapid.Float64Range(0, 1).Draw(t, "probability")
		text := strings.Repeat("é", n)
		share := word(text, p).CorrectShare()
		require.InDelta(t, p, document.ConfidenceOf(text, share), 1e-9, "the inverse")
		require.GreaterOrEqual(t, share, p-1e-9, "of a wrong word, at most all characters are wrong")
		require.GreaterOrEqual(t, float64(n)*(1-share), 1-p-1e-9, "of a wrong word, at least one character is wrong")
	})
}
