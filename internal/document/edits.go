package document

import (
	"cmp"
	"slices"
	"strings"
)

// NewEdit records that neighbouring words of one line become after, which may be several words with one space between them. Its
// page is 0; the caller sets it.
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
	position := make(map[Edit]float64, len(d.Edits))
	for _, e := range d.Edits {
		position[e] = d.Pages[e.Page].position(e.Box)
	}
	slices.SortStableFunc(d.Edits, func(a, b Edit) int {
		return cmp.Or(cmp.Compare(a.Page, b.Page), cmp.Compare(position[a], position[b]))
	})
}

// position returns the index, in reading order, of the word that a box lies on. If it lies beside words, because a word was
// dropped there, position returns half less or half more than the index of the nearest word.
func (p *Page) position(box Box) float64 {
	x, y := box.X+box.W/2, box.Y+box.H/2
	var nearest [3]int // the gaps between the box's middle and the word, vertical and horizontal; then the distance of the middles
	position, i := 0.0, 0.0
	for w := range Words(p.Blocks) {
		middleX, middleY := w.Box.X+w.Box.W/2, w.Box.Y+w.Box.H/2
		right, bottom := w.Box.X+w.Box.W-1, w.Box.Y+w.Box.H-1
		at := [3]int{max(w.Box.Y-y, y-bottom, 0), max(w.Box.X-x, x-right, 0), abs(middleX-x) + abs(middleY-y)}
		if i == 0 || slices.Compare(at[:], nearest[:]) < 0 {
			nearest, position = at, i
			switch isOn := middleX >= box.X && middleX < box.X+box.W; {
			case x < w.Box.X && !isOn:
				position -= 0.5
			case x > right && !isOn:
				position += 0.5
			}
		}
		i++
	}
	return position
}

func abs(n int) int { return max(n, -n) }
