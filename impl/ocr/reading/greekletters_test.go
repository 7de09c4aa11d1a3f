package reading_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/impl/ocr/reading"
)

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
