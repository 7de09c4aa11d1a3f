package hand

import (
	"context"
	"image"
	"slices"
	"unicode/utf8"

	"uncial/impl/ocr/lines"
	"uncial/internal/document"
)

const (
	// settled is the confidence from which on a word of print is left as it was read.
	settled = 0.75
	// openSpots is how many spots of ink print must leave open for a hand to be looked for, and openWide the share of
	// joined letters that these have at least.
	openSpots, openWide = 10, 0.08
	// manySpots is the share of all spots, 1 in manySpots, that are too many for letters missed: there a hand that joins
	// few letters is enough.
	manySpots = 5
	// partSpots is how many spots a part of a line has at least; partWide is the least share of joined letters in one
	// beside print, lineWide that in a whole line.
	partSpots, partWide, lineWide = 2, 0.2, 0.04
	// leastHand is the confidence below which a part is not taken for writing, and leastEvidence the least product of its
	// characters and what the confidence exceeds leastHand by: ornaments read as a few letters, none of them sure.
	leastHand, leastEvidence = 0.4, 1.4
	// joinedLine is the share of joined letters, of at least joinedSpots, from which on a line that was read as print may
	// all the same be a hand's. Where someHand lines of a page are, others need alsoJoined only.
	joinedLine, joinedSpots = 0.35, 4
	alsoJoined, someHand    = 0.25, 3
	// handGain is how much surer than the print a part must be, joined letters counted for it.
	handGain = 0.1
)

// foreignJoined is the share of joined letters in a line, and in all that print leaves open, from which on a hand is looked
// for where the caller does not say that the page is French: the model's confidence tells little of other languages.
const foreignJoined = 0.45

// Fill reads what was filled in by hand on a printed page, whose reading is given with calibrated confidences and without
// edits. It is false, and the reading remains, where there is nothing of the kind.
func (p *Page) Fill(ctx context.Context, r Reader, inPrint Result) (Result, bool, error) {
	all := p.spots
	if p.models.Native {
		all = lines.Spots(p.gray)
	}
	p.markJoined(inPrint.Blocks, all)
	sure := p.sureWords(inPrint.Blocks)
	open := outside(all, sure)
	if len(open) < openSpots || wideShare(open) < p.leastOpen(len(open), len(all)) {
		return Result{}, false, nil
	}
	parts, shares := p.openParts(open, sure)
	if len(parts) == 0 {
		return Result{}, false, nil
	}
	readings, err := p.readLines(ctx, r, parts)
	if err != nil {
		return Result{}, false, err
	}
	filled := p.better(readings, shares, inPrint.Blocks)
	if len(filled) == 0 {
		return Result{}, false, nil
	}
	return p.merge(inPrint, filled), true, nil
}

// leastOpen is the least share of joined letters among the spots that print left open, of all spots, for a hand to be
// looked for.
func (p *Page) leastOpen(open, all int) float64 {
	switch {
	case !p.models.Native:
		return p.leastJoined()
	case open > all/manySpots:
		return lineWide
	}
	return openWide
}

// openParts are the parts of lines that look like a hand's among the spots that print left open, and the share of joined
// letters in each.
func (p *Page) openParts(open []image.Rectangle, sure []document.Box) ([]lines.Line, map[document.Box]float64) {
	var parts []lines.Line
	shares := map[document.Box]float64{}
	for _, l := range p.lines().Lines() {
		rest := l.Without(sure)
		least := lineWide
		if len(rest) != 1 || rest[0].Box() != l.Box() {
			least = partWide // the rest of the line is print
		}
		if !p.models.Native {
			least = p.leastJoined()
		}
		for _, part := range rest {
			inside := within(open, part.Box())
			if share := wideShare(inside); len(inside) >= partSpots && share >= least {
				parts = append(parts, part)
				shares[part.Box()] = share
			}
		}
	}
	return parts, shares
}

// markJoined remembers how many letters are joined in the lines of print that look like a hand's.
func (p *Page) markJoined(inPrint []document.Block, spots []image.Rectangle) {
	var all []document.Line
	var shares []float64
	least, n := p.leastJoined(), 0
	for _, b := range inPrint {
		for _, l := range b.Lines {
			inside := within(spots, l.Box)
			if share := wideShare(inside); len(inside) >= joinedSpots {
				all, shares = append(all, l), append(shares, share)
				if share >= least {
					n++
				}
			}
		}
	}
	if n >= someHand {
		least, p.someHand = alsoJoined, true
	}
	for i, l := range all {
		if shares[i] < least {
			continue
		}
		for _, w := range l.Words {
			p.joined[w.Box] = shares[i]
		}
	}
}

// leastJoined is the share of joined letters from which on a line may be a hand's all the same.
func (p *Page) leastJoined() float64 {
	switch {
	case p.someHand:
		return alsoJoined
	case p.models.Native:
		return joinedLine
	}
	return foreignJoined
}

// sureness is how far a word of print is believed: in a line of joined letters less than the model for print says, which is
// sure of some round hands.
func (p *Page) sureness(w document.Word) float64 { return w.Confidence * (1 - p.joined[w.Box]) }

// sureWords are the boxes of the words that print was read from.
func (p *Page) sureWords(blocks []document.Block) []document.Box {
	var boxes []document.Box
	for _, b := range blocks {
		for _, l := range b.Lines {
			for _, w := range l.Words {
				if p.sureness(w) >= settled {
					boxes = append(boxes, w.Box)
				}
			}
		}
	}
	return boxes
}

// outside are the spots whose middle lies in none of the boxes.
func outside(spots []image.Rectangle, boxes []document.Box) []image.Rectangle {
	return slices.DeleteFunc(slices.Clone(spots), func(s image.Rectangle) bool {
		return slices.ContainsFunc(boxes, func(b document.Box) bool { return holds(b, s) })
	})
}

// within are the spots whose middle lies in the box.
func within(spots []image.Rectangle, box document.Box) []image.Rectangle {
	var inside []image.Rectangle
	for _, s := range spots {
		if holds(box, s) {
			inside = append(inside, s)
		}
	}
	return inside
}

// holds says whether the middle of a spot lies in the box.
func holds(b document.Box, s image.Rectangle) bool {
	x, y := (s.Min.X+s.Max.X)/2, (s.Min.Y+s.Max.Y)/2
	return x >= b.X && x < b.X+b.W && y >= b.Y && y < b.Y+b.H
}

// better are the readings that are surer than those of the print in their place.
func (p *Page) better(all []reading, shares map[document.Box]float64, inPrint []document.Block) []reading {
	return slices.DeleteFunc(all, func(r reading) bool {
		c := likely(r.confidence)
		return float64(r.characters)*(c-leastHand) < leastEvidence || c+shares[r.at] < p.printConfidence(inPrint, r.line.Box)+handGain
	})
}

// printConfidence is that of the words of print that would give way to what was read in the box; 0 without any.
func (p *Page) printConfidence(inPrint []document.Block, box document.Box) float64 {
	var sum, n float64
	for _, b := range inPrint {
		for _, l := range b.Lines {
			for _, w := range l.Words {
				if p.replaced(w, box) {
					k := float64(utf8.RuneCountInString(w.Text))
					sum, n = sum+k*p.sureness(w), n+k
				}
			}
		}
	}
	return sum / max(n, 1)
}

// replaced says whether a word of print gives way to what was read in the box.
func (p *Page) replaced(w document.Word, box document.Box) bool {
	return p.sureness(w) < settled && holds(box, image.Rect(w.Box.X, w.Box.Y, w.Box.X+w.Box.W, w.Box.Y+w.Box.H))
}
