package document_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/internal/document"
)

func TestDocument_SortEdits(t *testing.T) {
	t.Parallel()
	page := func(n int) document.Page {
		line := document.Line{Words: words("the", "house", "stands")[:n]}
		for i := range line.Words {
			line.Words[i].Box = document.Box{X: 100 * i, W: 90, H: 20}
		}
		return document.Page{Blocks: []document.Block{{Lines: []document.Line{line}}}}
	}
	doc := &document.Document{Pages: []document.Page{page(3), page(1)}}
	edit := func(number, word int) document.Edit {
		e := document.NewEdit(doc.Pages[number].Blocks[0].Lines[0].Words[word:word+1], "after", "rule", 0.5)
		e.Page = number
		return e
	}
	doc.Edits = []document.Edit{edit(1, 0), edit(0, 2), edit(0, 0)}
	doc.SortEdits()
	require.Equal(t, []document.Edit{edit(0, 0), edit(0, 2), edit(1, 0)}, doc.Edits)
	require.Equal(t, "stands", doc.Edits[1].Before)
}

func TestDocument_SortEdits_droppedWords(t *testing.T) {
	t.Parallel()
	line := func(y int, texts ...string) document.Line {
		l := document.Line{Words: words(texts...)}
		for i := range l.Words {
			l.Words[i].Box = document.Box{X: 200 * i, Y: y, W: 90, H: 20}
		}
		return l
	}
	doc := &document.Document{Pages: []document.Page{{Blocks: []document.Block{{Lines: []document.Line{
		line(0, "the", "house"), line(40, "stands", "here"),
	}}}}}}
	edit := func(x, y int, before string) document.Edit {
		return document.Edit{Box: document.Box{X: x, Y: y, W: 80, H: 18}, Before: before, Rule: "rule"}
	}
	want := []document.Edit{
		edit(110, 1, "after the"), edit(202, 2, "house"), edit(300, 0, "after house"), edit(5, 42, "stands"), edit(100, 38, "before here"),
	}
	for i := range want {
		doc.Edits = append(doc.Edits, want[(i*2+3)%len(want)])
	}
	doc.SortEdits()
	require.Equal(t, want, doc.Edits)
}
