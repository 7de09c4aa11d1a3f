package hand

import (
	"context"
	"image"

	"uncial/impl/ocr/layout"
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
	// leastRight is how many characters of a line are likely to be right at least where a hand is known to be on the page:
	// flourishes have one or two.
	leastRight = 2.5
	// joinedLine is the share of joined letters, of at least joinedSpots, from which on a line that was read as print may
	// all the same be a hand's. Where someHand lines of a page are, others need alsoJoined only.
	joinedLine, joinedSpots = 0.35, 4
	alsoJoined, someHand    = 0.25, 3
	// handGain is how much surer than the print a part must be, joined letters counted for it.
	handGain = 0.1
)

// foreignJoined is the share of joined letters in a line, and in all that print leaves open, from which on a hand is looked
// for in languages that the model has not learnt: its confidence tells little of them.
const foreignJoined = 0.45

// openLetters is the share of joined letters among the spots in the shape of letters that print leaves open, from which on a
// hand is looked for whatever the caller says the language is. Typescripts leave up to 0.19, of their worst letters.
const openLetters = 0.2

// filling is the search for a hand in what print left open on a page.
type filling struct {
	*Page
	// learnt is true where a hand is looked for in the language that the model has learnt, whose confidence tells; in others
	// only the shape of the letters does.
	learnt bool
	// joined is the share of joined letters in the line of a word of print, by its box, where that line looks like a hand's.
	joined map[document.Box]float64
	// someHand is true where several such lines were found.
	someHand bool
}

// Fill reads what was filled in by hand on a printed page, whose reading is given with calibrated confidences and without
// edits. It is false, and the reading remains, where there is nothing of the kind. A hand is taken for French where the words
// read of it prove it, or where the caller says so and they do not belie it; else it has to look much like a hand.
func (p *Page) Fill(ctx context.Context, r Reader, inPrint Result) (Result, bool, error) {
	for _, learnt := range []bool{true, false} {
		if learnt && !p.models.Native && !p.leavesHand(inPrint.Blocks) {
			continue
		}
		f := filling{Page: p, learnt: learnt, joined: map[document.Box]float64{}}
		filled, err := f.read(ctx, r, inPrint.Blocks)
		if err != nil {
			return Result{}, false, err
		}
		isFrench := french(filled, p.models.Native)
		if len(filled) > 0 && (isFrench || !learnt) {
			return f.merge(inPrint, filled, isFrench), true, nil
		}
	}
	return Result{}, false, nil
}

// leavesHand says whether print leaves so many joined letters open, among the spots that are known already, that a hand may
// be proved to be French there.
func (p *Page) leavesHand(inPrint []document.Block) bool {
	f := filling{Page: p}
	open := outside(p.spots, f.sureWords(inPrint))
	return len(open) >= leastWords && wideShare(open) >= openLetters
}

// read is what was read of hands in what print left open, and is surer than print there. Lines are found on the whole page
// first; where these show a hand, they are found anew without the print, whose lines may be narrower than the hand's.
func (p *filling) read(ctx context.Context, r Reader, inPrint []document.Block) ([]reading, error) {
	all := p.spots
	if p.learnt {
		all = layout.Spots(p.gray)
	}
	p.markJoined(inPrint, all)
	sure := p.sureWords(inPrint)
	open := outside(all, sure)
	if len(open) < openSpots || wideShare(open) < p.leastOpen(len(open), len(all)) {
		return nil, nil
	}
	filled, err := p.readOpen(ctx, r, inPrint, open, sure)
	if err != nil || !p.learnt || len(filled) == 0 || !french(filled, p.models.Native) {
		return filled, err
	}
	before := p.found
	p.found = layout.Find(covered(p.gray, sure))
	again, err := p.readOpen(ctx, r, inPrint, open, sure)
	if err == nil && right(again) < right(filled) {
		p.found, again = before, filled
	}
	return again, err
}

// readOpen reads the parts of lines that look like a hand's, all of them only if the longest do not belie that they are French.
func (p *filling) readOpen(ctx context.Context, r Reader, inPrint []document.Block, open []image.Rectangle, sure []document.Box) ([]reading, error) {
	parts, shares := p.openParts(open, sure)
	if p.learnt && !p.models.Native {
		some, err := p.readLines(ctx, r, longest(parts))
		if err != nil || !french(some, true) {
			return nil, err
		}
	}
	readings, err := p.readLines(ctx, r, parts)
	if err != nil {
		return nil, err
	}
	return p.better(readings, shares, inPrint), nil
}

// longest are the longest lines, as many as tell the language.
func longest(all []layout.Line) []layout.Line {
	long := byWidth(all)
	return long[:min(samples, len(long))]
}
