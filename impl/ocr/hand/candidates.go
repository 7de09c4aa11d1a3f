package hand

import (
	"image"
	"slices"
	"unicode/utf8"

	"uncial/impl/ocr/layout"
	"uncial/internal/document"
)

// minOpenShare returns the minimum share of joined letters among the open spots at which handwriting is searched for. Open
// spots are those that no certain word of print covers; open and all are the numbers of spots.
func (p *handwritingSearch) minOpenShare(open, all int) float64 {
	switch {
	case !p.french:
		return p.minJoined()
	case open > all/manySpots:
		return lineShare
	}
	return minOpenShare
}

// minJoined returns the minimum share of joined letters at which a line that was read as print may be handwriting.
func (p *handwritingSearch) minJoined() float64 {
	switch {
	case p.hasHandwriting:
		return alsoJoined
	case p.french:
		return joinedLine
	}
	return foreignJoined
}

// openParts returns the parts of lines whose open spots look handwritten, and the share of joined letters in each of them. On a
// page that is known to have handwriting, it also returns the other parts; these have no share.
func (p *handwritingSearch) openParts(found *layout.Page, open []image.Rectangle, certain []document.Box) ([]layout.Line, map[document.Box]float64) {
	var parts []layout.Line
	shares := map[document.Box]float64{}
	for _, l := range found.Lines() {
		rest := l.Without(certain)
		minShare := lineShare
		if len(rest) != 1 || rest[0].Box() != l.Box() {
			minShare = partShare // the rest of the line is print
		}
		if !p.french {
			minShare = p.minJoined()
		}
		for _, part := range rest {
			spots := inside(open, part.Box())
			share := joinedShare(spots)
			if len(spots) < partSpots || share < minShare && !p.proven {
				continue
			}
			parts = append(parts, part)
			if share >= minShare {
				shares[part.Box()] = share
			}
		}
	}
	return parts, shares
}

// markJoined records the share of joined letters in those lines of print that look handwritten. On a page whose letters touch
// everywhere, such as Gothic print, it skips lines of known words.
func (p *handwritingSearch) markJoined(inPrint []document.Block, spots []image.Rectangle) {
	var lines []document.Line
	var shares []float64
	minShare, n := p.minJoined(), 0
	for _, b := range inPrint {
		for _, l := range b.Lines {
			in := inside(spots, l.Box)
			if share := joinedShare(in); len(in) >= joinedSpots {
				lines, shares = append(lines, l), append(shares, share)
			}
		}
	}
	if lowQuarter(shares) >= lineShare {
		for i, l := range lines {
			if p.hasKnownWords(l) {
				shares[i] = 0
			}
		}
	}
	for _, share := range shares {
		if share >= minShare {
			n++
		}
	}
	if n >= someLines {
		minShare, p.hasHandwriting = alsoJoined, true
	}
	for i, l := range lines {
		if shares[i] < minShare {
			continue
		}
		for _, w := range l.Words {
			p.joined[w.Box] = shares[i]
		}
	}
}

// lowQuarter returns the lower quartile, or 0 if there are no values.
func lowQuarter(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	return slices.Sorted(slices.Values(values))[len(values)/4]
}

// printSure returns the confidence that a word is print, 0..1. In a line of joined letters it is lower than the print model's
// confidence, because that model is confident even in some round handwriting.
func (p *handwritingSearch) printSure(w document.Word) float64 {
	return w.Confidence * (1 - p.joined[w.Box])
}

// isCertain reports whether handwriting must not replace a word of a line of print.
func (p *handwritingSearch) isCertain(l document.Line, w document.Word) bool {
	return p.printSure(w) >= certainPrint || p.isKnown(w) && p.isMostlyPrint(l)
}

// isKnown reports whether a word is in the word list of print and so long that the print model rarely finds it in handwriting.
func (p *handwritingSearch) isKnown(w document.Word) bool {
	list := p.models.PrintLexicon
	return list != nil && utf8.RuneCountInString(w.Text) >= knownLetters && list.Known(w.Text)
}

// hasKnownWords reports whether at least knownShare of the characters of a line are in listed words that the print model is
// sure of. In handwriting, the print model rarely finds such words.
func (p *handwritingSearch) hasKnownWords(l document.Line) bool {
	list := p.models.PrintLexicon
	if list == nil {
		return false
	}
	known, all := 0, 0
	for _, w := range l.Words {
		n := utf8.RuneCountInString(w.Text)
		all += n
		if n >= wordLetters && w.Confidence >= certainPrint && list.Known(w.Text) {
			known += n
		}
	}
	return float64(known) >= knownShare*float64(all)
}

// isMostlyPrint reports whether the certain words of a line have more characters than its doubtful words, not counting doubtful
// words that are known.
func (p *handwritingSearch) isMostlyPrint(l document.Line) bool {
	certain, others := 0, 0
	for _, w := range l.Words {
		switch n := utf8.RuneCountInString(w.Text); {
		case p.printSure(w) >= certainPrint:
			certain += n
		case !p.isKnown(w):
			others += n
		}
	}
	return certain > others
}

// certainWords returns the boxes of the words of print that handwriting must not replace.
func (p *handwritingSearch) certainWords(blocks []document.Block) []document.Box {
	var boxes []document.Box
	for _, b := range blocks {
		for _, l := range b.Lines {
			for _, w := range l.Words {
				if p.isCertain(l, w) {
					boxes = append(boxes, w.Box)
				}
			}
		}
	}
	return boxes
}

// better returns the readings that are more confident than the print that they replace. If there are several, they prove that
// the page has handwriting, and it also returns readings that replace nothing. Readings of parts without a share must be clear.
func (p *handwritingSearch) better(all []reading, shares map[document.Box]float64, inPrint []document.Block) []reading {
	replaces := func(r reading) float64 { return p.printConfidence(inPrint, r.line.Box) }
	surer := func(r reading) bool {
		if _, ok := shares[r.at]; !ok {
			return p.isClear(r, inPrint)
		}
		c := ExpectedAccuracy(r.confidence)
		return float64(r.characters)*(c-minHandwriting) >= minWeight && c+shares[r.at] >= replaces(r)+handwritingGain
	}
	n := 0
	for _, r := range all {
		if surer(r) {
			n++
		}
	}
	return slices.DeleteFunc(all, func(r reading) bool {
		_, looksWritten := shares[r.at]
		known := looksWritten && p.french && n >= someLines && expectedCorrect([]reading{r}) >= minRight && replaces(r) == 0
		return !known && !surer(r)
	})
}

// expectedCorrect returns the expected number of correct characters.
func expectedCorrect(all []reading) float64 {
	var sum float64
	for _, r := range all {
		sum += float64(r.characters) * ExpectedAccuracy(r.confidence)
	}
	return sum
}

// printConfidence returns the confidence of the words of print that handwriting in the box would replace, or 0 if there are
// none.
func (p *handwritingSearch) printConfidence(inPrint []document.Block, box document.Box) float64 {
	var sum, n float64
	for _, b := range inPrint {
		for _, l := range b.Lines {
			for _, w := range l.Words {
				if p.isReplaced(l, w, box) {
					k := float64(utf8.RuneCountInString(w.Text))
					sum, n = sum+k*p.printSure(w), n+k
				}
			}
		}
	}
	return sum / max(n, 1)
}

// isReplaced reports whether handwriting in the box replaces a word of a line of print.
func (p *handwritingSearch) isReplaced(l document.Line, w document.Word, box document.Box) bool {
	return !p.isCertain(l, w) && holds(box, w.Box.Rectangle())
}
