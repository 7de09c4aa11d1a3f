package reading_test

import (
	"context"
	"image"
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/impl/ocr/decode"
	"uncial/impl/ocr/ocrtest"
	"uncial/impl/ocr/reading"
	"uncial/impl/ocr/tesseract"
	"uncial/internal/document"
)

func TestRead_greekWords(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		both float64 // confidence of the reading with both models
		want string
	}{
		"reads a doubtful word in Latin letters as Greek":    {0.55, "in ἄνδρες φίλοι Τεῦκρος"},
		"keeps a word in Latin letters that is not in doubt": {0.65, "in ἄνδρες φίλοι Tedxpos"},
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

// littleGreek is a Source whose model for English reads four lines; the last one is Greek in Latin letters.
type littleGreek struct{ *scripted }

func (s littleGreek) Read(ctx context.Context, img *image.Gray, dpi int, model string, mode tesseract.Mode) ([]document.Block, error) {
	blocks, err := s.scripted.Read(ctx, img, dpi, model, mode)
	if model != "eng" || mode != tesseract.Auto {
		return blocks, err
	}
	last := blocks[0].Lines[0]
	lines := make([]document.Line, 4)
	for i := range lines {
		lines[i] = row(last.Box.X, last.Box.Y+50*i, 0.95, "plain", "words")
	}
	for i := range last.Words {
		last.Words[i].Box.Y += 150
	}
	lines[3].Words = last.Words
	return []document.Block{block(lines...)}, nil
}

func TestRead_littleGreek(t *testing.T) {
	t.Parallel()
	src := &scripted{says: map[string]said{
		"eng": {"dydpes pirot Tedxpos", 0.5}, "grc": {}, "grc line": {"ἄνδρες φίλοι Τεῦκρος", 0.9}, "eng+grc line": {"ἄνδρες φίλοι Tedxpos", 0.8},
	}}
	result, err := reading.Read(t.Context(), decode.Page{Image: ocrtest.Page("four", "lines", "of", "text")}, reading.Options{Language: "en"}, littleGreek{src})
	require.NoError(t, err)
	require.Equal(t, "plain words\nplain words\nplain words\nἄνδρες φίλοι Tedxpos", result.Page.Text())
	require.Contains(t, src.read, "eng+grc line")
	require.NotContains(t, src.read, "eng+grc", "the page is not read again for one line")
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
