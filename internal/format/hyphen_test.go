package format_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"uncial/internal/document"
	"uncial/internal/format"
	"uncial/internal/format/formattest"
)

func TestWrite_DividedWords(t *testing.T) {
	t.Parallel()
	word := func(x, y int, text string) document.Word {
		return document.Word{Box: document.Box{X: x, Y: y, W: 40, H: 10}, Text: text, Confidence: 1}
	}
	line := func(words ...document.Word) document.Line {
		return document.Line{Box: document.WordsBox(words), Words: words}
	}
	doc := &document.Document{Language: "en", Pages: []document.Page{{Width: 200, Height: 100, Blocks: []document.Block{document.BlockOf([]document.Line{
		line(word(0, 0, "the"), word(50, 0, "begin-")), line(word(0, 20, "ning,"), word(50, 20, "with-")), line(word(0, 40, "out"), word(50, 40, "beginning")),
	})}}}}
	doc.MarkBroken(nil)
	for name, parts := range map[string][]string{
		"alto": {
			`CONTENT="begin" WC="1" SUBS_TYPE="HypPart1" SUBS_CONTENT="beginning"/>`, `<HYP CONTENT="-"/>`,
			`CONTENT="ning," WC="1" SUBS_TYPE="HypPart2" SUBS_CONTENT="beginning"/>`, `CONTENT="with-" WC="1"/>`,
		},
		"page": {`custom="hyphenation {part:1; whole:beginning;}"`, `custom="hyphenation {part:2; whole:beginning;}"`, "<Unicode>begin-</Unicode>"},
		"hocr": {">begin\u00ad</span>", ">ning,</span>", ">with-</span>"},
		"tsv":  {"\tbegin-\n", "\twith-\n"},
		"text": {"the begin-\nning, with-\nout beginning"},
	} {
		written, err := format.Write(name, doc, meta)
		if assert.NoError(t, err) {
			for _, part := range parts {
				assert.Contains(t, written, part, name)
			}
		}
		if name == "alto" || name == "page" {
			formattest.RequireValid(t, name, written)
		}
	}
}
