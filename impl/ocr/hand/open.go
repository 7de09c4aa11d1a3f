package hand

import (
	"image"
	"slices"
	"unicode/utf8"

	"uncial/impl/ocr/layout"
	"uncial/internal/document"
)

// leastOpen is the least share of joined letters among the spots that print left open, of all spots, for a hand to be
// looked for.
func (p *filling) leastOpen(open, all int) float64 {
	switch {
	case !p.learnt:
		return p.leastJoined()
	case open > all/manySpots:
		return lineWide
	}
	return openWide
}

// openParts are the parts of lines that look like a hand's among the spots that print left open, and the share of joined
// letters in each.
func (p *filling) openParts(open []image.Rectangle, sure []document.Box) ([]layout.Line, map[document.Box]float64) {
	var parts []layout.Line
	shares := map[document.Box]float64{}
	for _, l := range p.lines().Lines() {
		rest := l.Without(sure)
		least := lineWide
		if len(rest) != 1 || rest[0].Box() != l.Box() {
			least = partWide // the rest of the line is print
		}
		if !p.learnt {
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
func (p *filling) markJoined(inPrint []document.Block, spots []image.Rectangle) {
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
func (p *filling) leastJoined() float64 {
	switch {
	case p.someHand:
		return alsoJoined
	case p.learnt:
		return joinedLine
	}
	return foreignJoined
}

// sureness is how far a word of print is believed: in a line of joined letters less than the model for print says, which is
// sure of some round hands.
func (p *filling) sureness(w document.Word) float64 { return w.Confidence * (1 - p.joined[w.Box]) }

// sureWords are the boxes of the words that print was read from.
func (p *filling) sureWords(blocks []document.Block) []document.Box {
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

// better are the readings that are surer than those of the print in their place and, where several are, of which a hand is
// known to be there, those of which print made nothing.
func (p *filling) better(all []reading, shares map[document.Box]float64, inPrint []document.Block) []reading {
	inPlace := func(r reading) float64 { return p.printConfidence(inPrint, r.line.Box) }
	surer := func(r reading) bool {
		c := likely(r.confidence)
		return float64(r.characters)*(c-leastHand) >= leastEvidence && c+shares[r.at] >= inPlace(r)+handGain
	}
	n := 0
	for _, r := range all {
		if surer(r) {
			n++
		}
	}
	return slices.DeleteFunc(all, func(r reading) bool {
		known := p.learnt && n >= someHand && right([]reading{r}) >= leastRight && inPlace(r) == 0
		return !known && !surer(r)
	})
}

// right is how many characters are likely to be right.
func right(all []reading) float64 {
	var sum float64
	for _, r := range all {
		sum += float64(r.characters) * likely(r.confidence)
	}
	return sum
}

// printConfidence is that of the words of print that would give way to what was read in the box; 0 without any.
func (p *filling) printConfidence(inPrint []document.Block, box document.Box) float64 {
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
func (p *filling) replaced(w document.Word, box document.Box) bool {
	return p.sureness(w) < settled && holds(box, image.Rect(w.Box.X, w.Box.Y, w.Box.X+w.Box.W, w.Box.Y+w.Box.H))
}
