package reading

import (
	"image"
	"math"
	"slices"

	"uncial/impl/ocr/imaging"
	"uncial/impl/ocr/layout"
	"uncial/internal/document"
)

// moveAll returns copies of blocks with box applied to the words' boxes and point to the baselines. It derives all other boxes
// from those of the words.
func moveAll(blocks []document.Block, box func(document.Box) document.Box, point func(document.Point) document.Point) []document.Block {
	out := make([]document.Block, len(blocks))
	for i, b := range blocks {
		lines := make([]document.Line, len(b.Lines))
		for j, l := range b.Lines {
			lines[j] = moveLine(l, box, point)
		}
		out[i] = document.BlockOf(lines)
	}
	return out
}

// moveLine returns a copy of a line; see moveAll.
func moveLine(l document.Line, box func(document.Box) document.Box, point func(document.Point) document.Point) document.Line {
	l.Words, l.Baseline = slices.Clone(l.Words), slices.Clone(l.Baseline)
	for i := range l.Words {
		l.Words[i].Box = box(l.Words[i].Box)
	}
	for i := range l.Baseline {
		l.Baseline[i] = point(l.Baseline[i])
	}
	l.Box = document.WordsBox(l.Words)
	return l
}

// movedMiddle moves the middle of a box by a function, keeps its size, and clips it to an image of that size.
func movedMiddle(b document.Box, size image.Point, move func(x, y float64) (float64, float64)) document.Box {
	x, y := move(float64(b.X)+float64(b.W)/2, float64(b.Y)+float64(b.H)/2)
	b.X, b.Y = int(math.Round(x-float64(b.W)/2)), int(math.Round(y-float64(b.H)/2))
	return b.Clip(size.X, size.Y)
}

// withPoints returns a baseline with points that are less than 2*step pixels apart horizontally.
func withPoints(baseline []document.Point, step int) (out []document.Point) {
	for i, to := range baseline {
		from := baseline[max(i-1, 0)]
		parts := max((to.X-from.X)/step, 0) + 1
		for k := range parts {
			out = append(out, document.Point{X: from.X + (to.X-from.X)*(k+1)/parts, Y: from.Y + (to.Y-from.Y)*(k+1)/parts})
		}
	}
	return out
}

// rescaled returns copies of blocks that were read on an image of size from, with the coordinates of the same image at size to.
func rescaled(blocks []document.Block, to, from image.Point) []document.Block {
	return moveAll(blocks, func(b document.Box) document.Box {
		x, y := b.X*to.X/from.X, b.Y*to.Y/from.Y
		return document.Box{X: x, Y: y, W: (b.X+b.W)*to.X/from.X - x, H: (b.Y+b.H)*to.Y/from.Y - y}
	}, func(p document.Point) document.Point {
		return document.Point{X: p.X * to.X / from.X, Y: p.Y * to.Y / from.Y}
	})
}

// movedBy returns copies of blocks that were read in a part of the page, with coordinates of the page. The corner of the part
// is at by.
func movedBy(blocks []document.Block, by image.Point) []document.Block {
	return moveAll(blocks, func(b document.Box) document.Box { return movedBox(b, by) },
		func(p document.Point) document.Point { return document.Point{X: p.X + by.X, Y: p.Y + by.Y} })
}

// movedBox returns a box with its corner moved by a distance.
func movedBox(b document.Box, by image.Point) document.Box {
	return document.BoxOf(b.Rectangle().Add(by))
}

// movedEdits returns copies of corrections that were made in a part of the page, with coordinates of the page. The corner of
// the part is at by.
func movedEdits(edits []document.Edit, by image.Point) []document.Edit {
	edits = slices.Clone(edits)
	for i := range edits {
		edits[i].Box = movedBox(edits[i].Box, by)
	}
	return edits
}

// shifted returns a copy of a line that was read in a part of the page, with coordinates of the page. The corner of the part is
// at by.
func shifted(l document.Line, by image.Point) document.Line {
	return moveLine(l, func(b document.Box) document.Box { return movedBox(b, by) },
		func(p document.Point) document.Point { return document.Point{X: p.X + by.X, Y: p.Y + by.Y} })
}

// separateWords shortens the boxes of words that reach over the next word of their line, as happens where one recognizer has
// replaced the words of another: a search would mark both words. The boxes of edits change with those of their words.
func separateWords(blocks []document.Block, edits ...[]document.Edit) {
	for i, b := range blocks {
		for j := range b.Lines {
			if isVertical(&b.Lines[j]) {
				continue
			}
			words := b.Lines[j].Words
			for k := range words[:max(len(words)-1, 0)] {
				before, next := words[k].Box, words[k+1].Box
				if w := next.X - before.X; w > 0 && w < before.W && layout.InRow(before, next) {
					words[k].Box.W = w
					moveEdits(edits, before, words[k].Box)
				}
			}
			b.Lines[j].Box = document.WordsBox(words)
		}
		blocks[i] = document.BlockOf(b.Lines)
	}
}

// moveEdits gives the edits of a word its new box.
func moveEdits(edits [][]document.Edit, from, to document.Box) {
	for _, some := range edits {
		for i := range some {
			if some[i].Box == from {
				some[i].Box = to
			}
		}
	}
}

// deleteWords returns copies of blocks without the words for which drop is true. It drops lines and blocks that have no words
// left.
func deleteWords(blocks []document.Block, drop func(document.Word) bool) []document.Block {
	var out []document.Block
	for _, b := range blocks {
		var lines []document.Line
		for _, l := range b.Lines {
			l.Words = slices.DeleteFunc(slices.Clone(l.Words), drop)
			if l.Box = document.WordsBox(l.Words); len(l.Words) > 0 {
				lines = append(lines, l)
			}
		}
		if len(lines) > 0 {
			out = append(out, document.BlockOf(lines))
		}
	}
	return out
}

// wordBoxes returns the boxes of all words, in pixels of the page.
func wordBoxes(blocks []document.Block) []image.Rectangle {
	var all []image.Rectangle
	for w := range document.Words(blocks) {
		all = append(all, w.Box.Rectangle())
	}
	return all
}

// boxIndex holds boxes by the horizontal slices of the page that they touch, for fast lookup.
type boxIndex map[int][]image.Rectangle

// newBoxIndex enters each box in all slices that it touches, so that a search for the boxes at a point examines only one slice.
func newBoxIndex(boxes []image.Rectangle) boxIndex {
	b := boxIndex{}
	for _, r := range boxes {
		for y := r.Min.Y / sliceHeight; y <= r.Max.Y/sliceHeight; y++ {
			b[y] = append(b[y], r)
		}
	}
	return b
}

// near calls f once for each box in the slices that r touches.
func (b boxIndex) near(r image.Rectangle, f func(image.Rectangle)) {
	first := r.Min.Y / sliceHeight
	for y := first; y <= r.Max.Y/sliceHeight; y++ {
		for _, box := range b[y] {
			if y == max(first, box.Min.Y/sliceHeight) {
				f(box)
			}
		}
	}
}

// contains reports whether the centre of r is in one of the boxes.
func (b boxIndex) contains(r image.Rectangle) bool {
	middle := imaging.Middle(r)
	return slices.ContainsFunc(b[middle.Y/sliceHeight], func(box image.Rectangle) bool { return middle.In(box) })
}

// fitBlocks gives each block the box of its lines.
func fitBlocks(blocks []document.Block) {
	for i, b := range blocks {
		blocks[i] = document.BlockOf(b.Lines)
	}
}
