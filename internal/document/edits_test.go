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
