package document_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"uncial/internal/document"
)

// inLines makes a document of one block from lines of words.
func inLines(lines ...string) *document.Document {
	var all []document.Line
	for y, text := range lines {
		line := document.Line{Box: document.Box{X: 0, Y: 10 * y, W: 100, H: 10}}
		for x, word := range strings.Fields(text) {
			line.Words = append(line.Words, document.Word{Box: document.Box{X: 10 * x, Y: 10 * y, W: 9, H: 10}, Text: word})
		}
		all = append(all, line)
	}
	return &document.Document{Pages: []document.Page{{Width: 1000, Height: 1000, Blocks: []document.Block{document.BlockOf(all)}}}}
}

func TestDocument_MarkBroken(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		lines []string
		list  string // the only word of the word list
		want  string // the whole word, "" if the parts must stay apart
	}{
		"a word that the page has elsewhere":     {[]string{"in the begin-", "ning; the beginning"}, "", "beginning"},
		"a listed word":                          {[]string{"in the begin-", "ning."}, "beginning", "beginning"},
		"a word in capitals elsewhere":           {[]string{"BEGINNING begin-", "ning"}, "", "beginning"},
		"a long s, as printed":                   {[]string{"poſ-", "ſible, possible"}, "", "poſſible"},
		"a double hyphen of Fraktur":             {[]string{"Wor⸗", "tes des Wortes"}, "", "Wortes"},
		"a quotation mark in front":              {[]string{"„Wör-", "ter Wörter"}, "", "Wörter"},
		"an unlisted word":                       {[]string{"in the begin-", "ning"}, "", ""},
		"a compound whose whole is not a word":   {[]string{"a well-", "known man"}, "", ""},
		"a name after the hyphen":                {[]string{"Saint-", "Denis SaintDenis"}, "", ""},
		"a dash":                                 {[]string{"the end --", "beginning end"}, "endbeginning", ""},
		"one letter":                             {[]string{"a-", "bout about"}, "", ""},
		"a number":                               {[]string{"17-", "te 17te"}, "17te", ""},
		"the last line":                          {[]string{"the begin-"}, "begin", ""},
		"the whole word is only in another part": {[]string{"begin-", "ning begin-", "Ning"}, "", ""},
	} {
		doc := inLines(c.lines...)
		before := doc.Text()
		doc.MarkBroken(func(whole string) bool { return c.list != "" && whole == c.list })
		lines := doc.Pages[0].Blocks[0].Lines
		assert.Equal(t, c.want, lines[0].Words[len(lines[0].Words)-1].Whole, name)
		if c.want != "" {
			assert.Equal(t, c.want, lines[1].Words[0].Whole, name)
			assert.Equal(t, 1, lines[0].HyphenPart(len(lines[0].Words)-1), name)
			assert.Equal(t, 2, lines[1].HyphenPart(0), name)
		}
		assert.Equal(t, before, doc.Text(), name)
		assert.Equal(t, doc, doc.Normalized(), name)
	}
}
