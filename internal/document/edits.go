package document

import (
	"cmp"
	"slices"
	"strings"
)

// NewEdit records that neighbouring words of one line become after, which may be several words with one space between them. Its page is
// 0; the caller sets it.
func NewEdit(words []Word, after, rule string, confidence float64) Edit {
	e := Edit{After: after, Rule: rule, Confidence: confidence}
	before := make([]string, len(words))
	for i, w := range words {
		before[i] = w.Text
		e.Box = e.Box.Union(w.Box)
	}
	e.Before = strings.Join(before, " ")
	return e
}

// SortEdits sorts the document's edits by page, and those of one page in reading order.
func (d *Document) SortEdits() {
	position := make(map[Edit]int, len(d.Edits))
	for _, e := range d.Edits {
		position[e] = d.Pages[e.Page].wordsBefore(e.Box)
	}
	slices.SortStableFunc(d.Edits, func(a, b Edit) int {
		return cmp.Or(cmp.Compare(a.Page, b.Page), cmp.Compare(position[a], position[b]))
	})
}

// wordsBefore counts the words before the first one whose middle lies in the box.
func (p *Page) wordsBefore(box Box) int {
	n := 0
	for w := range Words(p.Blocks) {
		x, y := w.Box.X+w.Box.W/2, w.Box.Y+w.Box.H/2
		if x >= box.X && x < box.X+box.W && y >= box.Y && y < box.Y+box.H {
			return n
		}
		n++
	}
	return n
}
