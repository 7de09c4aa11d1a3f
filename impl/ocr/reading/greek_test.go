package reading_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/impl/ocr/decode"
	"uncial/impl/ocr/ocrtest"
	"uncial/impl/ocr/reading"
)

func TestRead_greekWords(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		both float64 // confidence of the reading with both models
		want string
	}{
		"reads a doubtful word in Latin letters as the Greek word that it is": {0.55, "in ἄνδρες φίλοι Τεῦκρος"},
		"keeps a word in Latin letters that is not in doubt":                  {0.65, "in ἄνδρες φίλοι Tedxpos"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			src := &scripted{says: map[string]said{
				"eng": {"in dydpes pirot Tedxpos", 0.5}, "grc": {}, "grc line": {"ιν ἄνδρες φίλοι Τεῦκρος", 0.9},
				"eng+grc": {"in ἄνδρες φίλοι Tedxpos", c.both},
			}}
			result, err := reading.Read(t.Context(), decode.Page{Image: ocrtest.Page("few")}, reading.Options{Language: "en"}, src)
			require.NoError(t, err)
			require.Equal(t, c.want, result.Page.Text())
		})
	}
}

func TestInGreekLetters(t *testing.T) {
	t.Parallel()
	for word, want := range map[string]string{
		"μάϑῃς":         "μάθῃς",
		"ϰαϰοῖσιν":      "κακοῖσιν",
		"δ\u1fbd":       "δ\u2019",
		"\u1fbfΑϑάνας":  "\u1f08θάνας",
		"\u1fbdΑϑηναία": "\u1f08θηναία",
		"\u1fceΑρης":    "\u1f0cρης",
		"\u1ffeΡώμη":    "\u1fecώμη",
		"'Αθηναία":      "'Αθηναία",
		"\u00b4Alas":    "\u00b4Alas",
		"wisdom":        "wisdom",
		"\u1fbf":        "\u1fbf",
		"":              "",
	} {
		require.Equal(t, want, reading.InGreekLetters(word), word)
	}
}
