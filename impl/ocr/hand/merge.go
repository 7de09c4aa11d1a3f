package hand

import (
	"slices"
	"unicode/utf8"

	"uncial/internal/document"
)

// entry is a line on its way into the merged page. Lines of one block of print, and those of hands that follow each
// other, make a block.
type entry struct {
	line  document.Line
	block int // of print; -1 for a hand
}

// merge puts the hands' lines among those of the print, each after the last line that stands before it.
func (p *filling) merge(inPrint Result, filled []reading, learnt bool) Result {
	p.models.settle(filled, learnt)
	var entries []entry
	printed := 0
	for i, b := range inPrint.Blocks {
		for _, l := range b.Lines {
			l.Words = slices.DeleteFunc(slices.Clone(l.Words), func(w document.Word) bool {
				return slices.ContainsFunc(filled, func(r reading) bool { return p.replaced(w, r.line.Box) })
			})
			if len(l.Words) == 0 {
				continue
			}
			l.Box = document.Box{}
			for _, w := range l.Words {
				l.Box = l.Box.Union(w.Box)
				printed += utf8.RuneCountInString(w.Text)
			}
			entries = append(entries, entry{l, i})
		}
	}
	var result Result
	written := 0
	for _, r := range filled {
		entries = slices.Insert(entries, place(entries, r.line.Box), entry{r.line, -1})
		result.Edits = append(result.Edits, r.edits...)
		written += r.characters
	}
	result.Blocks = blocks(entries)
	hands := pageConfidence(filled, learnt)
	result.Confidence = (inPrint.Confidence*float64(printed) + hands*float64(written)) / float64(max(printed+written, 1))
	return result
}

// place is the index at which a line in the box is to be inserted: after what stands before it in its row or above it in
// its column, to which hands' lines that follow there belong, whatever their width. What has nothing above it in its column
// goes before what is below, or else after all that is above.
func place(entries []entry, box document.Box) int {
	before, below, above := 0, -1, 0
	middle := box.Y + box.H/2
	for i, e := range entries {
		b := e.line.Box
		sameRow := b.Y <= middle && b.Y+b.H >= middle
		isAbove := !sameRow && b.Y+b.H/2 < middle
		inColumn := b.X+b.W > box.X && b.X < box.X+box.W
		switch {
		case sameRow && b.X < box.X, isAbove && inColumn, isAbove && e.block < 0 && before == i:
			before = i + 1
		case inColumn && below < 0:
			below = i
		}
		if isAbove {
			above = i + 1
		}
	}
	switch {
	case before > 0:
		return before
	case below >= 0:
		return below
	}
	return above
}

func blocks(entries []entry) []document.Block {
	var out []document.Block
	for i, e := range entries {
		if i == 0 || entries[i-1].block != e.block {
			out = append(out, document.Block{})
		}
		b := &out[len(out)-1]
		b.Lines = append(b.Lines, e.line)
		b.Box = b.Box.Union(e.line.Box)
	}
	return out
}
