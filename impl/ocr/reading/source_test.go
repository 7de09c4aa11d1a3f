package reading_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/impl/ocr/reading"
	"uncial/impl/ocr/tesseract"
)

func TestToLine(t *testing.T) {
	t.Parallel()
	line := tesseract.Line{Words: []tesseract.Word{{Text: "~~~"}, {Text: "about"}, {Text: " "}, {Text: "~"}, {Text: "40", Confidence: 95}, {Text: "~o"}}}
	got := reading.ToLine(line, "eng")
	require.Equal(t, "about ~ 40 ~o", got.Text(), "tildes stand for what cannot be read, unless they are single signs")
	require.InDelta(t, 0.95, got.Words[2].Confidence, 1e-9)
	require.Equal(t, "eng", got.Words[0].Model)
}
