package reading_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/impl/ocr/reading"
	"uncial/internal/document"
)

func TestAlternatives(t *testing.T) {
	t.Parallel()
	box := document.Box{X: 100, Y: 100, W: 80, H: 30}
	written := func(confidence float64) document.Word {
		return document.Word{Text: "jour", Box: box, Confidence: confidence, Signals: &document.Signals{
			Posterior: 0.6, Others: []document.Alternative{{Text: "pour", Confidence: 0.3}, {Text: "tour", Confidence: 0.01}},
		}}
	}
	for name, c := range map[string]struct {
		word  document.Word
		other []document.Word // of another reading of the page
		want  []document.Alternative
	}{
		"handwriting: words of other likely texts, in proportion": {written(0.4), nil, []document.Alternative{{Text: "pour", Confidence: 0.2}}},
		"a word that is not doubtful has none":                    {written(0.5), nil, nil},
		"print: the word of another reading at its position, at most as sure": {
			document.Word{Text: "jour", Box: box, Confidence: 0.3},
			[]document.Word{{Text: "pour", Box: box, Confidence: 0.99}},
			[]document.Alternative{{Text: "pour", Confidence: 0.3}},
		},
		"print: the same word in a different typeface is not an alternative": {
			document.Word{Text: "fur", Box: box, Confidence: 0.3}, []document.Word{{Text: "fur", Box: box, Confidence: 0.9}}, nil,
		},
		"print: a word beside it is not an alternative": {
			document.Word{Text: "jour", Box: box, Confidence: 0.3}, []document.Word{{Text: "pour", Box: document.Box{X: 400, Y: 100, W: 80, H: 30}, Confidence: 0.9}}, nil,
		},
		"print: at the confidence of its own model": {
			document.Word{Text: "jour", Box: box, Confidence: 0.45},
			[]document.Word{{Text: "pour", Box: box, Confidence: 0.5}},
			[]document.Alternative{{Text: "pour", Confidence: 0.08}},
		},
		"handwriting: at most 1 with the word": {
			document.Word{Text: "jour", Box: box, Confidence: 0.4, Signals: &document.Signals{Posterior: 0.2, Others: []document.Alternative{
				{Text: "pour", Confidence: 0.2}, {Text: "tour", Confidence: 0.2}, {Text: "cour", Confidence: 0.1},
			}}},
			nil,
			[]document.Alternative{{Text: "pour", Confidence: 0.24}, {Text: "tour", Confidence: 0.24}, {Text: "cour", Confidence: 0.12}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := reading.Alternatives(c.word, c.other)
			for i := range got {
				got[i].Confidence = math.Round(100*got[i].Confidence) / 100
			}
			require.Equal(t, c.want, got)
		})
	}
}
