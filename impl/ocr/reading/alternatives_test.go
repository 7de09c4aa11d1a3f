package reading_test

import (
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
		"handwriting: words of other likely texts, in proportion": {written(0.5), nil, []document.Alternative{{Text: "pour", Confidence: 0.25}}},
		"a word that is not weak has none":                        {written(0.9), nil, nil},
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
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, c.want, reading.Alternatives(c.word, c.other))
		})
	}
}
