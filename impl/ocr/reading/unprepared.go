package reading

import (
	"context"

	"uncial/impl/ocr/hand"
	"uncial/impl/ocr/imaging"
	"uncial/impl/ocr/lexicon"
	"uncial/internal/document"
	"uncial/internal/text"
)

// mayBeSpoilt reports whether a page that was prepared and read as print was read poorly.
func mayBeSpoilt(p *page) bool { return p.isGray && !p.isHandwritten && p.isPoorPrint() }

// tryUnprepared reads the page without the sheet steps that change greys, and keeps that reading if it is better. These steps
// make most pages more legible, but turn blurred letters on grainy paper into blots.
func tryUnprepared(ctx context.Context, p *page) error {
	again, better, err := readUnprepared(ctx, p)
	if err != nil || !better {
		return err
	}
	p.attempts = append([]attempt{again}, p.attempts...)
	p.read = hand.Result{Blocks: p.sheet.onPage(again.blocks), Confidence: again.right}
	calibrate(p.read.Blocks)
	return nil
}

// readUnprepared reads the unprepared page with the language's own model. It reports whether that reading is better than the
// result so far, which means that clearly more of its words are listed. Confidence does not show that, because models are
// confident even of blurred letters. If handwriting was found beside print, it must have clearly more listed words than the
// print alone, and at least as many as print and handwriting together: handwriting is read with word lists, so that even blots
// become listed words.
func readUnprepared(ctx context.Context, p *page) (attempt, bool, error) {
	s := p.sheet
	s.img = p.gray
	if s.angle != 0 {
		s.img = imaging.Rotate(s.img, s.angle)
	}
	if s.curl != nil {
		s.img = s.curl.Straighten(s.img)
	}
	a, err := s.read(ctx, p.src, p.model, 1)
	if err != nil {
		return attempt{}, false, err
	}
	a.img, a.blocks = s.img, dropScraps(a.blocks)
	a.right, a.tidy = pageConfidence(a.blocks, len(s.letters)), true
	words := p.src.Lexicon(p.model)
	if words == nil {
		return a, false, nil
	}
	now := knownShare(p.read.Blocks, words)
	least := now + knownLead
	if !p.isHandwritten && foundHandwriting(p) {
		least = min(least, max(now, knownShare(p.attempts[0].blocks, words)+knownLead))
	}
	return a, knownShare(a.blocks, words) >= least, nil
}

// knownShare returns the share of listed words among the longer words, counted in letters.
func knownShare(blocks []document.Block, list *lexicon.Lexicon) float64 {
	known, all := 0, 0
	for w := range document.Words(blocks) {
		n := text.CountLetters(w.Text)
		if n < minKnownLetters {
			continue
		}
		if all += n; list.Known(w.Text) {
			known += n
		}
	}
	return float64(known) / float64(max(all, 1))
}
