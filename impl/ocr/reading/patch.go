package reading

import (
	"cmp"
	"image"
	"slices"

	"uncial/impl/ocr/imaging"
	"uncial/impl/ocr/layout"
	"uncial/internal/document"
)

// patch is ink in one row that does not belong to a word and may be writing.
type patch struct {
	box     image.Rectangle
	letters int // components that may be letters or digits as high as capitals
	parts   int // components that may be letters or digits of any height; inside a line, some of them may have been read
	last    image.Rectangle
	isItem  bool // other single letters or digits are above and below it, as in a list or a table, or a leader ends before it
	isLed   bool // a leader ends before it
	// cut has the boxes of words of which only a part was read, such as "e" of "have"; the patch is the rest.
	cut []document.Box
}

// isSingle reports whether the patch has no more than one letter or digit.
func (p *patch) isSingle() bool { return p.parts < minPatchLetters }

// findMissed returns the patches of a sheet from top to bottom, at most maxPatches, followed by as many that have only one
// letter as high as a capital and few others. components are all components of ink, and blocks what was read. times is the
// size of the letters sought, in heights of those that were read; for large type, small components do not count. If more ink
// seems to be missed than was read, findMissed returns nothing: then the ink is not text, or not text that the models can
// read.
func findMissed(sheet image.Rectangle, components []image.Rectangle, blocks []document.Block, times int) []patch {
	letters := imaging.LetterShaped(components)
	words := newBoxIndex(wordBoxes(blocks))
	held := slices.DeleteFunc(slices.Clone(letters), func(c image.Rectangle) bool { return !words.contains(c) })
	height := imaging.LetterHeight(held)
	if height == 0 {
		return nil
	}
	claimed := newBoxIndex(claimedAreas(blocks, height))
	inside := sheet.Inset(height) // ink at the edge is cut off, and mostly belongs to the facing page
	if times > 1 {
		height *= times
		components = slices.DeleteFunc(slices.Clone(components), func(c image.Rectangle) bool { return smallDivisor*c.Dy() < height })
		words = newBoxIndex(nil)
	}
	open := openLetters(letters, claimed, height)
	if len(open) > len(held) {
		return nil
	}
	if times == 1 {
		if small := smallLetters(letters, held, blocks, height); len(small) <= len(held) {
			open = append(open, small...)
		}
	}
	all, shaped := newBoxIndex(components), newBoxIndex(imaging.LetterShaped(components))
	tall := newBoxIndex(slices.DeleteFunc(slices.Clone(letters), func(c image.Rectangle) bool { return 2*c.Dy() < height }))
	letterSized := newBoxIndex(slices.DeleteFunc(slices.Clone(letters), func(c image.Rectangle) bool {
		return 2*c.Dy() < height || float64(c.Dy()) > maxMissedHeight*float64(height)
	}))
	var found, short []patch
	rest := rowPatches(open, height)
	for len(rest) > 0 && len(found) < maxPatches {
		p := rest[0]
		rest = rest[1:]
		if !p.box.In(inside) || p.strays(all) > maxStrays*p.letters {
			continue
		}
		if p.letters < minPatchLetters {
			short = append(short, p)
			continue
		}
		p.grow(all, words, claimed, height)
		rest, short = p.absorb(rest), p.absorb(short)
		if !isInLine(p.box, blocks) {
			p.parts = p.letters + p.strays(shaped)
		}
		p.widen(claimed, tall, sheet, height)
		found = append(found, p)
	}
	if times > 1 {
		return found
	}
	narrow := newBoxIndex(claimedAreas(blocks, usualWidth(blocks, height)))
	beside := slices.DeleteFunc(openLetters(letters, narrow, height), func(c image.Rectangle) bool { return !claimed.contains(c) })
	for _, p := range rowPatches(beside, height) { // the numbers of a list, near its short lines
		if p.letters < minPatchLetters && p.box.In(inside) {
			short = append(short, p)
		}
	}
	slices.SortStableFunc(short, func(a, b patch) int { return cmp.Compare(a.box.Min.Y, b.box.Min.Y) })
	for n := 0; len(short) > 0 && n < maxPatches; n++ {
		p := short[0]
		p.grow(all, words, narrow, height)
		short = p.absorb(short[1:])
		if p.parts = p.letters + p.strays(letterSized); p.parts <= maxShortPatch && !isBesideWords(p.box, blocks) {
			found = append(found, p)
		}
	}
	return found
}

// isInLine reports whether a box overlaps a line that was read. The boxes of its words may be too small.
func isInLine(box image.Rectangle, blocks []document.Block) bool {
	return len(linesAt(box, blocks)) > 0
}

// isBesideWords reports whether a box is in a line that was read, and not in a blank as wide as between the cells of a table.
func isBesideWords(box image.Rectangle, blocks []document.Block) bool {
	return slices.ContainsFunc(linesAt(box, blocks), func(l *document.Line) bool { return !isApart(l, box) })
}

// linesAt returns the lines whose boxes overlap a box.
func linesAt(box image.Rectangle, blocks []document.Block) (lines []*document.Line) {
	for l := range document.Lines(blocks) {
		if box.Overlaps(l.Box.Rectangle()) {
			lines = append(lines, l)
		}
	}
	return lines
}

// isAlone reports whether no other ink is in the rows of the patch, or as near to them as a quarter of its height.
func (p *patch) isAlone(ink []image.Rectangle) bool {
	margin := p.last.Dy() / 4
	return !slices.ContainsFunc(ink, func(m image.Rectangle) bool {
		return m.Min.Y < p.box.Max.Y+margin && m.Max.Y > p.box.Min.Y-margin && !m.In(p.box)
	})
}

// openLetters returns the letters that no word claims, except those that are too small or too large beside letters of that
// height.
func openLetters(letters []image.Rectangle, claimed boxIndex, height int) []image.Rectangle {
	return slices.DeleteFunc(slices.Clone(letters), func(c image.Rectangle) bool {
		return float64(c.Dy()) < minMissedHeight*float64(height) || float64(c.Dy()) > maxMissedHeight*float64(height) || claimed.contains(c)
	})
}

// smallLetters returns the letters that are too small for openLetters, but not beside the smallest type of the page, and that
// are away from all lines: beside a line they may be accents or specks. held are the letters that were read.
func smallLetters(letters, held []image.Rectangle, blocks []document.Block, height int) []image.Rectangle {
	smallest := smallestType(held, blocks, height)
	var lines []image.Rectangle
	for l := range document.Lines(blocks) {
		r := l.Box.Rectangle()
		lines = append(lines, image.Rect(r.Min.X-maxLetterGap*height, r.Min.Y-height/4, r.Max.X+maxLetterGap*height, r.Max.Y+height/4))
	}
	near := newBoxIndex(lines)
	return slices.DeleteFunc(slices.Clone(letters), func(c image.Rectangle) bool {
		return float64(c.Dy()) < minMissedHeight*float64(smallest) || float64(c.Dy()) >= minMissedHeight*float64(height) || near.contains(c)
	})
}

// smallestType returns the height of the letters in the line with the smallest type that was read with confidence, but at least
// half of height, and height if there is no smaller one.
func smallestType(letters []image.Rectangle, blocks []document.Block, height int) int {
	all, smallest := newBoxIndex(letters), height
	for l := range document.Lines(blocks) {
		var heights []int
		all.near(l.Box.Rectangle(), func(c image.Rectangle) {
			if imaging.Middle(c).In(l.Box.Rectangle()) {
				heights = append(heights, c.Dy())
			}
		})
		if len(heights) >= minSizeLetters && meanWordConfidence(l.Words) >= minPatchConfidence {
			slices.Sort(heights)
			smallest = min(smallest, max(heights[len(heights)/2], height/2))
		}
	}
	return smallest
}

// rowPatches groups successive letters of a row, and returns the groups from top to bottom. It sorts letters.
func rowPatches(letters []image.Rectangle, height int) []patch {
	slices.SortFunc(letters, func(a, b image.Rectangle) int { return cmp.Compare(a.Min.X, b.Min.X) })
	var all []patch
	var near []int // patches that end near enough to the letter, or to later ones, to continue with it
	for _, letter := range letters {
		near = slices.DeleteFunc(near, func(i int) bool { return letter.Min.X-all[i].box.Max.X > maxLetterGap*height })
		best := -1
		for _, i := range near {
			if shareRow(all[i].last, letter) && (best < 0 || all[i].box.Max.X > all[best].box.Max.X) {
				best = i
			}
		}
		if best < 0 {
			best = len(all)
			all, near = append(all, patch{box: letter}), append(near, best)
		}
		p := &all[best]
		p.box, p.last, p.letters, p.parts = p.box.Union(letter), letter, p.letters+1, p.parts+1
	}
	slices.SortStableFunc(all, func(a, b patch) int { return cmp.Compare(a.box.Min.Y, b.box.Min.Y) })
	return all
}

// shareRow reports whether two boxes of print are in one row; see layout.InRow.
func shareRow(a, b image.Rectangle) bool { return layout.InRow(document.BoxOf(a), document.BoxOf(b)) }

// strays counts the components in the patch that are not letters.
func (p *patch) strays(components boxIndex) int {
	n := 0
	components.near(p.box, func(c image.Rectangle) {
		if c.Overlaps(p.box) {
			n++
		}
	})
	return n - p.letters
}

// grow extends the patch along its row: by smaller letters, dots and dashes that do not belong to a word, and by shorter words
// that were cut off from it.
func (p *patch) grow(components, words, claimed boxIndex, height int) {
	for grown := true; grown; {
		grown = false
		components.near(p.box, func(c image.Rectangle) {
			row := p.box.Union(c)
			if row == p.box || float64(row.Dy()) > maxMissedHeight*float64(height) || claimed.contains(c) || !p.isNextTo(c, height) {
				return
			}
			p.box, grown = row, true
		})
		words.near(p.box, func(w image.Rectangle) {
			isCut := w.Dx() <= p.box.Dx() && shareRow(p.box, w) && float64(p.gap(w)) <= maxWordGap*float64(height)
			if b := document.BoxOf(w); isCut && !slices.Contains(p.cut, b) {
				p.box, p.cut, grown = p.box.Union(w), append(p.cut, b), true
			}
		})
	}
}

// absorb merges those patches whose centres are now inside the patch, and returns the others.
func (p *patch) absorb(others []patch) []patch {
	return slices.DeleteFunc(others, func(o patch) bool {
		inside := imaging.Middle(o.box).In(p.box)
		if inside {
			p.letters, p.parts = p.letters+o.letters, p.parts+o.parts
		}
		return inside
	})
}

// widen adds blank on each side, because a dash may be too thin to be a component: "420. —". It keeps away from other letters,
// by at least the height of letters, and from what words claim.
func (p *patch) widen(claimed, letters boxIndex, sheet image.Rectangle, height int) {
	left, right := p.box.Min.X-maxDashGap*height, p.box.Max.X+maxDashGap*height
	bound := func(distance int) func(image.Rectangle) {
		return func(r image.Rectangle) {
			switch {
			case r.In(p.box) || !shareRow(p.box, r):
			case r.Min.X < p.box.Min.X:
				left = max(left, min(r.Max.X+distance, p.box.Min.X))
			default:
				right = min(right, max(r.Min.X-distance, p.box.Max.X))
			}
		}
	}
	claimed.near(p.box, bound(0))
	letters.near(p.box, bound(height))
	p.box.Min.X, p.box.Max.X = max(left, sheet.Min.X), min(right, sheet.Max.X)
}

// isNextTo reports whether a component is at the height of the row, and at most maxLetterGap away.
func (p *patch) isNextTo(c image.Rectangle, height int) bool {
	middle := (c.Min.Y + c.Max.Y) / 2
	return middle >= p.box.Min.Y && middle < p.box.Max.Y && p.gap(c) <= maxLetterGap*height
}

// gap returns the horizontal distance in pixels between the patch and a box. It is negative if they overlap horizontally.
func (p *patch) gap(r image.Rectangle) int { return max(r.Min.X-p.box.Max.X, p.box.Min.X-r.Max.X) }
