package reading

import (
	"context"

	"uncial/impl/ocr/imaging"
	"uncial/impl/ocr/lexicon"
	"uncial/internal/document"
	"uncial/internal/text"
)

// isSpoiltPrint reports whether a page that was read as handwriting is print that the steps on its greys turned into blots, as
// happens to blurred letters on grainy paper: read by the language's own model without these steps, it has clearly more listed
// words. Confidence does not show that, because models are confident even of blurred letters.
func isSpoiltPrint(ctx context.Context, p *page) (bool, error) {
	words := p.src.Lexicon(p.model)
	if words == nil {
		return false, nil
	}
	s := p.sheet
	s.img = p.withoutLeaders()
	if s.angle != 0 {
		s.img = imaging.Rotate(s.img, s.angle)
	}
	if s.curl != nil {
		s.img = s.curl.Straighten(s.img)
	}
	a, err := s.read(ctx, p.src, p.model, 1)
	if err != nil {
		return false, err
	}
	return knownShare(dropScraps(a.blocks), words) >= knownShare(p.read.Blocks, words)+knownLead, nil
}

// knownShare returns the share of listed words among the longer words, counted in letters.
func knownShare(blocks []document.Block, list *lexicon.Lexicon) float64 {
	known, all := knownLetters(blocks, list)
	return float64(known) / float64(max(all, 1))
}

// knownLetters returns the number of letters of the longer words that are listed, and of all longer words.
func knownLetters(blocks []document.Block, list *lexicon.Lexicon) (known, all int) {
	for w := range document.Words(blocks) {
		n := text.CountLetters(w.Text)
		if n < minKnownLetters {
			continue
		}
		if all += n; list.Known(w.Text) {
			known += n
		}
	}
	return known, all
}
