package reading

import (
	"slices"

	"uncial/impl/ocr/correct"
	"uncial/internal/document"
)

// estimate replaces the confidences that the steps used with the final ones, which are calibrated on more evidence, and adds
// the doubts of the page. The weights were fitted to words of readable pages, so the estimate for a word of gibberish is
// limited to that of the steps and to maxGibberish. No step may follow, because it would decide differently with other
// confidences.
func (p *page) estimate() {
	decided, other := p.read.Confidence, p.otherReading()
	for _, handwritten := range []bool{false, true} {
		evidence := p.evidence(handwritten)
		if p.options.Evidence != nil {
			p.options.Evidence(handwritten, evidence)
		}
		weights, mostCorrect := &printWeights, 1.0
		switch {
		case handwritten:
			weights = &handwritingWeights
		case p.isGibberish:
			mostCorrect = min(p.attempts[0].right, maxGibberish)
		}
		for line := range document.Lines(p.read.Blocks) {
			if line.Handwritten != handwritten {
				continue
			}
			for i := range line.Words {
				w := &line.Words[i]
				w.Confidence = min(correct.Probability(weights[:], evidence[0][:]), document.ConfidenceOf(w.Text, mostCorrect))
				evidence = evidence[1:]
				w.Alternatives, w.Signals = alternatives(w, other), nil
			}
		}
	}
	illegible := p.stillIllegible()
	p.doubts = slices.Concat(p.unreadInk(illegible), illegible, p.doubtfulOrder())
	p.read.Confidence = p.pageShare(decided)
}

// pageShare estimates the share of the page's characters that are correct, 0..1: that of its words, reduced by the doubts of
// the page. decided is the estimate that the steps used. It limits the result if most of the ink did not become text, or if
// there is little text: then the page may be a picture, whose words would be estimated as if they were writing.
func (p *page) pageShare(decided float64) float64 {
	n := characters(p.read.Blocks)
	if n == 0 {
		return 0
	}
	share := document.CorrectShare(p.read.Blocks)
	if n < minEstimated || float64(n) < minReadShare*float64(len(p.sheet.letters)) {
		share = min(share, decided)
	}
	for _, d := range p.doubts {
		switch d.Reason {
		case document.UnreadInk:
			share *= float64(n) / float64(n+d.Characters)
		case document.DoubtfulOrder:
			share *= 1 - (1-orderShare)*min(float64(d.Characters)/float64(n), 1)
		}
	}
	return share
}
