package accuracy_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"uncial/internal/accuracy"
	"uncial/internal/text"
)

func TestAlign(t *testing.T) {
	t.Parallel()
	require.Equal(t, []accuracy.Part{
		{Equal: true, Truth: []string{"a"}, Text: []string{"a"}},
		{Truth: []string{"b", "c"}, Text: []string{"x"}},
		{Equal: true, Truth: []string{"d"}, Text: []string{"d"}},
		{Text: []string{"e"}},
	}, accuracy.Align([]string{"a", "b", "c", "d"}, []string{"a", "x", "d", "e"}))
	require.Empty(t, accuracy.Align(nil, nil))
}

func TestAlign_properties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		tokens := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c"}), 0, 30)
		truth, read := tokens.Draw(t, "truth"), tokens.Draw(t, "text")
		var ofTruth, ofText []string
		equal := 0
		for _, p := range accuracy.Align(truth, read) {
			ofTruth, ofText = append(ofTruth, p.Truth...), append(ofText, p.Text...)
			if p.Equal {
				if !slices.Equal(p.Truth, p.Text) {
					t.Fatalf("%v is not equal", p)
				}
				equal += len(p.Truth)
			}
		}
		if !slices.Equal(ofTruth, truth) || !slices.Equal(ofText, read) {
			t.Fatalf("tokens were lost: %v, %v", ofTruth, ofText)
		}
		if least := max(len(truth), len(read)) - text.Distance(truth, read); equal < least {
			t.Fatalf("%d equal tokens of at least %d", equal, least)
		}
	})
}
