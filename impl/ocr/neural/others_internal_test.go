package neural

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/internal/document"
)

func TestNetwork_addOthers(t *testing.T) {
	t.Parallel()
	n := &network{Model: &Model{info: Info{Alphabet: []string{" ", "a", "b", "c"}}}}
	words := []Word{{Text: "ab", Signals: &document.Signals{}}, {Text: "c", Signals: &document.Signals{}}}
	n.addOthers(words, []text{
		{classes: []int{2, 3, 1, 4}},
		{classes: []int{2, 2, 1, 4}, score: -math.Ln2},
		{classes: []int{1, 1, 2, 3}, score: -math.Ln2},
	})
	require.InDelta(t, 0.75, words[0].Signals.Posterior, 1e-9, "the first and the third text have it")
	require.InDelta(t, 0.75, words[1].Signals.Posterior, 1e-9, "the first and the second text have it")
	require.Equal(t, []document.Alternative{{Text: "aa", Confidence: 0.25}}, words[0].Signals.Others, "the third text has only one word")
	require.Empty(t, words[1].Signals.Others)
}

func TestNewWord_entity(t *testing.T) {
	t.Parallel()
	var characters []Character
	for i, letter := range strings.Split("&amp;c", "") {
		characters = append(characters, Character{Text: letter, Prob: 0.9, X: 4 * i})
	}
	const width = 24
	w := newWord(characters, make([]float32, lineHeight*width), make([]float32, width), 0, width, width)
	require.Equal(t, "&c", w.Text)
	n := &network{Model: &Model{info: Info{Alphabet: []string{"&", "a", "m", "p", ";"}}}}
	require.Equal(t, "&", n.spell([]int{1, 2, 3, 4, 5}))
}
