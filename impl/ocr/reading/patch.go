package reading

import (
	"cmp"
	"image"
	"slices"

	"uncial/impl/ocr/imaging"
	"uncial/impl/ocr/layout"
	"uncial/internal/document"
)

// patch is ink in one row that no word holds and that may be writing.
type patch struct {
	box     image.Rectangle
	letters int // components that may be letters
	last    image.Rectangle
	// cut has the boxes of words that the patch continues: of "have", only "e" was read.
	cut []document.Box
}

// findMissed returns the patches of a sheet from top to bottom, at most maxPatches, given all components of ink and what was read.
// It returns none if more seems to be missed than was read: then the ink is not text, or not text that the models can read.
func findMissed(sheet image.Rectangle, components []image.Rectangle, blocks []document.Block) []patch {
	letters := imaging.LetterShaped(components)
	words := newBands(wordBoxes(blocks))
	held := slices.DeleteFunc(slices.Clone(letters), func(c image.Rectangle) bool { return !words.hold(c) })
	height := imaging.LetterHeight(held)
	if height == 0 {
		return nil
	}
	claimed := newBands(claimedAreas(blocks, height))
	open := slices.DeleteFunc(letters, func(c image.Rectangle) bool {
		return float64(c.Dy()) < minMissedHeight*float64(height) || float64(c.Dy()) > maxMissedHeight*float64(height) || claimed.hold(c)
	})
	if len(open) > len(held) {
		return nil
	}
	all := newBands(components)
	inside := sheet.Inset(height) // ink at the edge is cut off, mostly from the facing page
	var found []patch
	rest := rowPatches(open, height)
	for len(rest) > 0 && len(found) < maxPatches {
		p := rest[0]
		rest = rest[1:]
		if p.letters < minPatchLetters || !p.box.In(inside) || p.strays(all) > maxStrays*p.letters {
			continue
		}
		p.grow(all, words, claimed, height)
		rest = p.absorb(rest)
		p.widen(claimed, sheet, maxDashGap*height)
		found = append(found, p)
	}
	return found
}

// rowPatches groups letters that follow each other in a row, and returns the groups from top to bottom.
func rowPatches(letters []image.Rectangle, height int) []patch {
	slices.SortFunc(letters, func(a, b image.Rectangle) int { return cmp.Compare(a.Min.X, b.Min.X) })
	var all []patch
	var near []int // patches that do not end too far to the left of the letter, nor of those after it
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
		p.box, p.last, p.letters = p.box.Union(letter), letter, p.letters+1
	}
	slices.SortStableFunc(all, func(a, b patch) int { return cmp.Compare(a.box.Min.Y, b.box.Min.Y) })
	return all
}

func shareRow(a, b image.Rectangle) bool { return layout.InRow(toBox(a), toBox(b)) }

// strays counts the components in the patch that cannot be letters.
func (p *patch) strays(components bands) int {
	n := 0
	components.near(p.box, func(c image.Rectangle) {
		if c.Overlaps(p.box) {
			n++
		}
	})
	return n - p.letters
}

// grow extends the patch along its row: by smaller letters, dots and dashes that no word holds, and by shorter words that were cut
// off from it.
func (p *patch) grow(components, words, claimed bands, height int) {
	for grown := true; grown; {
		grown = false
		components.near(p.box, func(c image.Rectangle) {
			row := p.box.Union(c)
			if row == p.box || float64(row.Dy()) > maxMissedHeight*float64(height) || claimed.hold(c) || !p.isNextTo(c, height) {
				return
			}
			p.box, grown = row, true
		})
		words.near(p.box, func(w image.Rectangle) {
			isCut := w.Dx() <= p.box.Dx() && shareRow(p.box, w) && float64(p.gap(w)) <= maxWordGap*float64(height)
			if b := toBox(w); isCut && !slices.Contains(p.cut, b) {
				p.box, p.cut, grown = p.box.Union(w), append(p.cut, b), true
			}
		})
	}
}

// absorb adds the patches that the patch now overlaps to it, and returns the others.
func (p *patch) absorb(others []patch) []patch {
	return slices.DeleteFunc(others, func(o patch) bool {
		inside := middleOf(o.box).In(p.box)
		if inside {
			p.letters += o.letters
		}
		return inside
	})
}

// widen adds up to by pixels of blank on either side, because a dash may be too thin for a component: "420. —".
func (p *patch) widen(claimed bands, sheet image.Rectangle, by int) {
	left, right := p.box.Min.X-by, p.box.Max.X+by
	claimed.near(p.box, func(r image.Rectangle) {
		switch {
		case !shareRow(p.box, r):
		case r.Min.X < p.box.Min.X:
			left = max(left, min(r.Max.X, p.box.Min.X))
		default:
			right = min(right, max(r.Min.X, p.box.Max.X))
		}
	})
	p.box.Min.X, p.box.Max.X = max(left, sheet.Min.X), min(right, sheet.Max.X)
}

// isNextTo reports whether a component lies between base and top of the row, at most the gap between words away.
func (p *patch) isNextTo(c image.Rectangle, height int) bool {
	middle := (c.Min.Y + c.Max.Y) / 2
	return middle >= p.box.Min.Y && middle < p.box.Max.Y && p.gap(c) <= maxLetterGap*height
}

// gap returns the horizontal distance in pixels between the patch and a box. It is negative if one is above the other.
func (p *patch) gap(r image.Rectangle) int { return max(r.Min.X-p.box.Max.X, p.box.Min.X-r.Max.X) }
