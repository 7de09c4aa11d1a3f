package hand_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/impl/ocr/hand"
	"uncial/internal/document"
)

func TestReading_isNoise(t *testing.T) {
	t.Parallel()
	const doubtful, hopeless = 0.15, 0.05 // a bit more than half of the characters are likely to be right, and a quarter
	for name, c := range map[string]struct {
		text      string
		posterior float64
		own       float64
		noise     bool
	}{
		"drops a stain for which many texts are likely":      {"et & la", 0.2, doubtful, true},
		"keeps a short line for which one text is likely":    {"Monsieur", 0.8, doubtful, false},
		"keeps a short line that is likely to be right":      {"Monsieur", 0.2, 0.6, false},
		"drops a letter for which many texts are likely":     {"A", 0.55, 0.6, true},
		"keeps a page number":                                {"85", 0.65, doubtful, false},
		"keeps a long line for which many texts are likely":  {"communiqué cette lettre", 0.2, doubtful, false},
		"drops a long line with hardly a correct character":  {"communiqué cette lettre", 0.8, hopeless, true},
		"drops a short line with hardly a correct character": {"ce", 0.8, hopeless, true},
		"keeps a page number of which a print model is sure": {"85", 0, 0.99, false},
		"drops one of which it is not":                       {"85", 0, 0.9, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var words []document.Word
			for text := range strings.FieldsSeq(c.text) {
				words = append(words, document.Word{Text: text, Confidence: c.own, Signals: &document.Signals{Posterior: c.posterior}})
			}
			require.Equal(t, c.noise, hand.IsNoise(words, c.own))
		})
	}
}
