package enhance

import (
	"cmp"
	"slices"

	"uncial/internal/document"
)

// InOrder sorts the document's edits by page and there in reading order.
func InOrder(doc *document.Document) {
	place := make(map[document.Edit]int, len(doc.Edits))
	for _, e := range doc.Edits {
		place[e] = position(doc, e)
	}
	slices.SortStableFunc(doc.Edits, func(a, b document.Edit) int {
		return cmp.Or(cmp.Compare(a.Page, b.Page), cmp.Compare(place[a], place[b]))
	})
}

// position counts the words of the edit's page before the first one in its box.
func position(doc *document.Document, e document.Edit) int {
	n := 0
	for _, b := range doc.Pages[e.Page].Blocks {
		for _, l := range b.Lines {
			for _, w := range l.Words {
				x, y := w.Box.X+w.Box.W/2, w.Box.Y+w.Box.H/2
				if x >= e.Box.X && x < e.Box.X+e.Box.W && y >= e.Box.Y && y < e.Box.Y+e.Box.H {
					return n
				}
				n++
			}
		}
	}
	return n
}
