package hand

import (
	"context"
	"slices"

	"uncial/impl/ocr/layout"
	"uncial/internal/document"
)

// readClear returns clear lines of handwriting in any language that do not share a line with print, such as a signature. Such
// lines are too few to show in the shape of all open spots. It reads the longest lines first, and the others only if one of the
// longest is clear.
func (p *handwritingSearch) readClear(ctx context.Context, r Reader, inPrint []document.Block) ([]reading, error) {
	isClear := func(l reading) bool { return p.isClear(l, inPrint) }
	certain := p.certainWords(inPrint)
	open := outside(p.spots, certain)
	if len(open) < openSpots || joinedShare(open) < minOpenShare {
		return nil, nil
	}
	found, err := p.Lines(ctx, r)
	if err != nil {
		return nil, err
	}
	var lines []layout.Line
	for _, l := range found.Lines() {
		rest := l.Without(certain)
		spots := inside(open, l.Box())
		if len(rest) == 1 && rest[0].Box() == l.Box() && len(spots) >= partSpots && joinedShare(spots) >= minOpenShare {
			lines = append(lines, l)
		}
	}
	long := byWidth(lines)
	readings, err := p.readLines(ctx, r, long[:min(samples, len(long))])
	if err != nil || !slices.ContainsFunc(readings, isClear) {
		return nil, err
	}
	readings, err = p.readLines(ctx, r, lines)
	return slices.DeleteFunc(readings, func(l reading) bool { return !isClear(l) }), err
}

// isClear reports whether the two models together prove that a line is handwriting: the handwriting model is sure, few other
// texts are likely, and the print model reads hardly any of it. It returns false if a word has no signals.
func (p *handwritingSearch) isClear(l reading, inPrint []document.Block) bool {
	if slices.ContainsFunc(l.line.Words, func(w document.Word) bool { return w.Signals == nil }) {
		return false
	}
	right := ExpectedAccuracy(l.confidence)
	return l.characters >= clearCharacters && right >= clearRight && posterior(l.line.Words) >= clearTexts &&
		right-p.printConfidence(inPrint, l.line.Box) >= clearLead
}
