package reading

import (
	"context"
	"image"
	"slices"

	"uncial/impl/ocr/hand"
	"uncial/impl/ocr/imaging"
	"uncial/impl/ocr/layout"
	"uncial/impl/ocr/models/own"
	"uncial/internal/document"
)

// mayHaveLostLines reports whether much of the print on a page in Latin letters may have been read wrongly, and our own
// networks can read it.
func mayHaveLostLines(p *page) bool {
	return mayUseNetwork(p) && p.handwriting.page != nil && p.read.Confidence < doubtfulLines && !p.hasGreek()
}

// readFoundLines reads the page once more, with the network for print and along the lines that our own line finder finds, and
// keeps that reading if the network is sure enough of it. On rough paper, or where type is blurred or smudged, Tesseract's
// layout analysis loses lines that the finder finds. A page with much handwriting beside the print stays as it is.
func readFoundLines(ctx context.Context, p *page) error {
	found, err := p.handwriting.page.Lines(ctx, p.handwriting.reader)
	if err != nil {
		return err
	}
	var strips []layout.Strip
	var images []*image.Gray
	var partOf []int // the index of each strip's block, counted in all regions
	for i, block := range found.Blocks {
		for _, l := range block {
			region := 0
			if p.sheet.regions != nil {
				region = p.sheet.regionAt(p.sheet.boxOnSheet(l.Box()), -1)
			}
			if s, ok := l.Strip(); ok && region >= 0 && !p.isInGraphic(l.Box()) {
				strips, images, partOf = append(strips, s), append(images, s.Image), append(partOf, region*len(found.Blocks)+i)
			}
		}
	}
	read, err := p.handwriting.reader.ReadStrips(ctx, own.Print, images)
	if err != nil {
		return err
	}
	parts := make([][]document.Line, len(p.sheet.parts())*len(found.Blocks))
	var all, written []document.Word
	for i, s := range strips {
		words := networkWords(read[i], s.Box)
		own := meanWordConfidence(words)
		if p.isWritten(s.Line().Box(), own) {
			written = append(written, words...)
		}
		if hand.IsNoise(words, own) {
			continue
		}
		for k := range words {
			words[k].Confidence = hand.ExpectedAccuracy(words[k].Confidence)
		}
		parts[partOf[i]] = append(parts[partOf[i]], document.Line{Words: words, Baseline: s.Baseline(), Box: document.WordsBox(words)})
		all = append(all, words...)
	}
	confidence := meanWordConfidence(all)
	if confidence < sureFoundLines || float64(len(written)) > maxFoundWritten*float64(len(all)) {
		return nil
	}
	var blocks []document.Block
	for _, lines := range parts {
		if len(lines) > 0 {
			blocks = append(blocks, document.BlockOf(lines))
		}
	}
	if p.listedShareOf(blocks) < minFoundListed {
		return nil
	}
	p.read = hand.Result{Blocks: blocks, Confidence: confidence}
	p.alongFound = true
	return nil
}

// listedShareOf returns the share of listed words among the longer words of a reading; see knownShare. It is 0 if the language
// has no word list.
func (p *page) listedShareOf(blocks []document.Block) (share float64) {
	for _, model := range []string{p.model, earlyPrint} {
		if words := p.src.Lexicon(model); words != nil {
			share = max(share, knownShare(blocks, words))
		}
	}
	return share
}

// isInGraphic reports whether the middle of a box lies in a picture or in staves.
func (p *page) isInGraphic(b document.Box) bool {
	middle := imaging.Middle(b.Rectangle())
	return slices.ContainsFunc(p.graphics, func(g document.Graphic) bool { return middle.In(g.Box.Rectangle()) })
}

// hasGreek reports whether the page shows Greek, which the network for print cannot write.
func (p *page) hasGreek() bool {
	if p.attempts[0].model == p.withGreek() {
		return true
	}
	for w := range document.Words(p.read.Blocks) {
		if isGreek(w.Text) {
			return true
		}
	}
	return false
}

// isWritten reports whether a found line holds handwriting: a line that was read as handwriting, unless the network for print
// is far surer of its words there. own is the network's own confidence in them.
func (p *page) isWritten(at document.Box, own float64) bool {
	for l := range document.Lines(p.read.Blocks) {
		box := l.Box.Rectangle()
		if l.Handwritten && 2*imaging.Area(at.Rectangle().Intersect(box)) > imaging.Area(box) &&
			logOdds(hand.ExpectedAccuracy(own))-logOdds(meanWordConfidence(l.Words)) < networkLead {
			return true
		}
	}
	return false
}
