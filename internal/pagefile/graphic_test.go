package pagefile_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/internal/document"
	"uncial/internal/format"
	"uncial/internal/pagefile"
)

func TestRead_graphics(t *testing.T) {
	t.Parallel()
	word := document.Word{Text: "word", Box: document.Box{X: 10, Y: 10, W: 40, H: 20}, Confidence: 1}
	line := document.Line{Box: word.Box, Words: []document.Word{word}}
	want := []document.Graphic{
		{Box: document.Box{X: 100, Y: 50, W: 80, H: 90}, Kind: document.Illustration}, {Box: document.Box{X: 20, Y: 150, W: 160, H: 30}, Kind: document.Music},
	}
	doc := &document.Document{Language: "en", Pages: []document.Page{{
		Width: 200, Height: 200, Blocks: []document.Block{document.BlockOf([]document.Line{line})}, Graphics: want,
	}}}
	for name, place := range map[string]string{"alto": `HPOS="100"`, "page": `points="100,50`} {
		text, err := format.Write(name, doc, format.Meta{})
		require.NoError(t, err)
		pages, err := pagefile.Read([]byte(text))
		require.NoError(t, err)
		require.Equal(t, want, pages[0].Graphics, name)

		require.Contains(t, text, place)
		pages, err = pagefile.Read([]byte(strings.ReplaceAll(text, place, strings.Replace(place, `"1`, `"x1`, 1))))
		require.NoError(t, err, "a graphic without a place costs no text")
		require.Equal(t, want[1:], pages[0].Graphics, name)
		require.NotEmpty(t, pages[0].Blocks)
	}
}
