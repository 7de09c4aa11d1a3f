package reading

import (
	"cmp"
	"image"
	"slices"

	"uncial/impl/ocr/imaging"
	"uncial/impl/ocr/layout"
	"uncial/internal/document"
)

// The heights of spots of ink that may be letters or figures which the layout analysis left out, in units of the height of
// the letters that were read, which is about that of a small x.
const (
	lowestMissed  = 0.7
	highestMissed = 3
)

const (
	// missedGap is the widest gap between letters of one patch, in heights of letters.
	missedGap = 2
	// missedLetters is how many letters a patch has at least. A single one is more often a speck, a rule or an ornament.
	missedLetters = 2
	// strayShare is how many other spots a patch may have for each that can be a letter: the points and torn strokes of
	// print, not the hatching of a woodcut.
	strayShare = 2
	// touching is the gap, in heights of letters, up to which a word belongs to the patch beside it: letters of one word.
	touching = 0.5
	// dashGap is how far beside a patch a dash may stand, in heights of letters.
	dashGap = 3
)

// patch is ink in a row that no word holds and that can be writing.
type patch struct {
	box     image.Rectangle
	letters int // spots that can be letters
	last    image.Rectangle
	// cut are the boxes of the words that the patch goes on from: of "have", only "e" was read.
	cut []document.Box
}

// missedInk are the patches of a page that no word holds, from top to bottom, at most mostMissed, given all spots of ink and
// what was read. There are none where more seems to be missed than was read: that is no text, or none that the models read.
func missedInk(page image.Rectangle, spots []image.Rectangle, blocks []document.Block) []patch {
	letters := imaging.LetterShaped(spots)
	words := newBands(wordBoxes(blocks))
	held := slices.DeleteFunc(slices.Clone(letters), func(s image.Rectangle) bool { return !words.holds(s) })
	height := imaging.LetterHeight(held)
	if height == 0 {
		return nil
	}
	claimed := newBands(claims(blocks, height))
	open := slices.DeleteFunc(letters, func(s image.Rectangle) bool {
		return float64(s.Dy()) < lowestMissed*float64(height) || s.Dy() > highestMissed*height || claimed.holds(s)
	})
	if len(open) > len(held) {
		return nil
	}
	all := newBands(spots)
	inside := page.Inset(height) // what reaches the edge is cut off, mostly from the facing page
	var found []patch
	left := patches(open, height)
	for len(left) > 0 && len(found) < mostMissed {
		p := left[0]
		left = left[1:]
		if p.letters < missedLetters || !p.box.In(inside) || p.strays(all) > strayShare*p.letters {
			continue
		}
		p.grow(all, words, claimed, height)
		left = p.absorb(left)
		p.widen(claimed, page, dashGap*height)
		found = append(found, p)
	}
	return found
}

// patches puts letters that follow each other in a row together, and gives what it made from top to bottom.
func patches(letters []image.Rectangle, height int) []patch {
	slices.SortFunc(letters, func(a, b image.Rectangle) int { return cmp.Compare(a.Min.X, b.Min.X) })
	var all []patch
	var near []int // the patches that do not end too far to the left of the letter, nor of those after it
	for _, s := range letters {
		near = slices.DeleteFunc(near, func(i int) bool { return s.Min.X-all[i].box.Max.X > missedGap*height })
		best := -1
		for _, i := range near {
			if beside(all[i].last, s) && (best < 0 || all[i].box.Max.X > all[best].box.Max.X) {
				best = i
			}
		}
		if best < 0 {
			best = len(all)
			all, near = append(all, patch{box: s}), append(near, best)
		}
		p := &all[best]
		p.box, p.last, p.letters = p.box.Union(s), s, p.letters+1
	}
	slices.SortStableFunc(all, func(a, b patch) int { return cmp.Compare(a.box.Min.Y, b.box.Min.Y) })
	return all
}

// beside says whether two spots stand in one row.
func beside(a, b image.Rectangle) bool {
	return layout.InRow(toBox(a), toBox(b))
}

// strays is how many spots in the patch cannot be letters.
func (p *patch) strays(spots bands) int {
	n := 0
	spots.near(p.box, func(s image.Rectangle) {
		if s.Overlaps(p.box) {
			n++
		}
	})
	return n - p.letters
}

// grow takes the rest of the row to the patch: smaller letters, points and dashes that no word holds, and shorter words that
// were cut off from it.
func (p *patch) grow(spots, words, claimed bands, height int) {
	for grown := true; grown; {
		grown = false
		spots.near(p.box, func(s image.Rectangle) {
			row := p.box.Union(s)
			if row == p.box || row.Dy() > highestMissed*height || claimed.holds(s) || !p.follows(s, height) {
				return
			}
			p.box, grown = row, true
		})
		words.near(p.box, func(w image.Rectangle) {
			cut := w.Dx() <= p.box.Dx() && beside(p.box, w) && float64(p.gap(w)) <= touching*float64(height)
			if b := toBox(w); cut && !slices.Contains(p.cut, b) {
				p.box, p.cut, grown = p.box.Union(w), append(p.cut, b), true
			}
		})
	}
}

// absorb takes the patches that the patch has grown over, and gives what is left.
func (p *patch) absorb(others []patch) []patch {
	return slices.DeleteFunc(others, func(o patch) bool {
		inside := middleOf(o.box).In(p.box)
		if inside {
			p.letters += o.letters
		}
		return inside
	})
}

// widen takes the blank on either side to the patch, where a dash may stand that is too thin for a spot: "420. —".
func (p *patch) widen(claimed bands, page image.Rectangle, by int) {
	left, end := p.box.Min.X-by, p.box.Max.X+by
	claimed.near(p.box, func(r image.Rectangle) {
		switch {
		case !beside(p.box, r):
		case r.Min.X < p.box.Min.X:
			left = max(left, min(r.Max.X, p.box.Min.X))
		default:
			end = min(end, max(r.Min.X, p.box.Max.X))
		}
	})
	p.box.Min.X, p.box.Max.X = max(left, page.Min.X), min(end, page.Max.X)
}

// follows says whether a spot lies between the base and the top of the row, a word's gap away at most.
func (p *patch) follows(s image.Rectangle, height int) bool {
	middle := (s.Min.Y + s.Max.Y) / 2
	return middle >= p.box.Min.Y && middle < p.box.Max.Y && p.gap(s) <= missedGap*height
}

// gap is the blank between the patch and what stands beside it; negative where one is above the other.
func (p *patch) gap(r image.Rectangle) int { return max(r.Min.X-p.box.Max.X, p.box.Min.X-r.Max.X) }
