package reading

import (
	"context"
	"image"
	"slices"
	"unicode"
	"unicode/utf8"

	"uncial/impl/ocr/layout"
	"uncial/impl/ocr/lexicon"
	"uncial/impl/ocr/tesseract"
	"uncial/internal/document"
)

// earlyPrint is the name of the model for print before about 1800.
const earlyPrint = "early_print"

const (
	// sure is the confidence of a first reading, weighted by the length of the words, from which on no second one is
	// made. It was found on 20 books that are not among the shared pages; see the models' notes.
	sure = 0.88
	// earlyPrintBonus is how much surer the language's own model must be than earlyPrint to be kept. It is as sure of
	// a wrong s for a long one as of a right one.
	earlyPrintBonus = 0.03
)

// foreignLetters is the share of a first reading's letters that earlyPrint may be unable to write. Where there are more,
// the page is in a language that it has not learnt, and would lose them.
const foreignLetters = 0.02

const (
	// doubt is the estimated share of right characters below which a page is read at another size as well.
	doubt = 0.8
	// resizedBonus is how much surer the reading at another size must be to be kept; smaller differences tell nothing.
	resizedBonus = 0.03
)

// attempt is one reading of a page.
type attempt struct {
	model      string
	blocks     []document.Block
	seen       []document.Block // blocks as they were read, before anything was dropped or moved; set by finish
	confidence float64          // the recognizer's own, weighted by the length of the words
	right      float64          // the share of characters estimated to be right; set by finish
}

func read(ctx context.Context, src Source, img *image.Gray, model string) (attempt, error) {
	blocks, err := src.Read(ctx, img, model, tesseract.Auto)
	if err != nil {
		return attempt{}, err
	}
	return attempt{model: model, blocks: blocks, confidence: meanConfidence(blocks)}, nil
}

// meanConfidence is the mean over the words, weighted by their length; 0 where there are none.
func meanConfidence(blocks []document.Block) float64 {
	var sum, n float64
	for _, b := range blocks {
		for _, l := range b.Lines {
			for _, w := range l.Words {
				k := float64(utf8.RuneCountInString(w.Text))
				sum += k * w.Confidence
				n += k
			}
		}
	}
	if n == 0 {
		return 0
	}
	return sum / n
}

// readings reads the page as often as it has to and returns the readings, finished, the one to keep first. Where the
// best is in doubt, or when more is wanted anyway, the page is read once more at another size. That one is kept only where
// the best is in doubt, so that the enhancement, which wants more, corrects what is read without it.
func readings(ctx context.Context, src Source, s sheet, model string, more bool) ([]attempt, error) {
	attempts, err := choose(ctx, src, s.img, model)
	if err != nil {
		return nil, err
	}
	for i := range attempts {
		attempts[i].finish(s)
	}
	if attempts[0].right >= doubt && !more {
		return attempts, nil
	}
	again, err := resized(ctx, src, s, attempts[0])
	if err != nil {
		return nil, err
	}
	again.finish(s)
	if attempts[0].right < doubt && again.right >= attempts[0].right+resizedBonus {
		return slices.Insert(attempts, 0, again), nil
	}
	return slices.Insert(attempts, 1, again), nil
}

// finish mends the layout of a reading and drops the noise from it.
func (a *attempt) finish(s sheet) {
	a.seen = a.blocks
	a.blocks = layout.JoinTornLines(dropNoise(a.blocks))
	a.right = pageConfidence(a.blocks, len(s.letters))
}

// choose reads the page, again where it has to, and returns the readings, the one to keep first.
func choose(ctx context.Context, src Source, img *image.Gray, model string) ([]attempt, error) {
	own, err := read(ctx, src, img, model)
	if err != nil {
		return nil, err
	}
	if own, err = withGreek(ctx, src, img, own); err != nil {
		return nil, err
	}
	if own.confidence >= sure || !src.Has(earlyPrint) || !latin(own.blocks) || foreignShare(own.blocks, src.Alphabet(earlyPrint)) > foreignLetters {
		return []attempt{own}, nil
	}
	early, err := read(ctx, src, img, earlyPrint)
	if err != nil {
		return nil, err
	}
	if keepsEarly(own, early) {
		return []attempt{early, own}, nil
	}
	return []attempt{own, early}, nil
}

// keepsEarly says which of two readings is kept: that of the language's own model, or that of the one for early print.
func keepsEarly(own, early attempt) bool {
	return own.confidence < sure && early.confidence+earlyPrintBonus >= own.confidence
}

// withGreek reads the page with the Greek model at the side of its own where it shows Greek.
func withGreek(ctx context.Context, src Source, img *image.Gray, first attempt) (attempt, error) {
	if first.model == ancientGreek || !src.Has(ancientGreek) || !latin(first.blocks) {
		return first, nil
	}
	greek, err := showsGreek(ctx, src, img, first.blocks)
	if err != nil || !greek {
		return first, err
	}
	both, err := read(ctx, src, img, first.model+"+"+ancientGreek)
	if err != nil {
		return attempt{}, err
	}
	if both.confidence >= first.confidence {
		return both, nil
	}
	return first, nil
}

// latin says whether most letters of a reading are Latin, which is true of an empty one too.
func latin(blocks []document.Block) bool {
	n, others := 0, 0
	for _, b := range blocks {
		for _, l := range b.Lines {
			for _, w := range l.Words {
				for _, r := range w.Text {
					switch {
					case unicode.Is(unicode.Latin, r):
						n++
					case unicode.IsLetter(r):
						others++
					}
				}
			}
		}
	}
	return n >= others
}

// foreignShare is the share of the letters that an alphabet lacks; 0 where the alphabet is not known.
func foreignShare(blocks []document.Block, known lexicon.Alphabet) float64 {
	letters, foreign := 0, 0
	for _, b := range blocks {
		for _, l := range b.Lines {
			for _, w := range l.Words {
				for _, r := range w.Text {
					if !unicode.IsLetter(r) {
						continue
					}
					letters++
					if known != nil && !known[r] {
						foreign++
					}
				}
			}
		}
	}
	return float64(foreign) / float64(max(letters, 1))
}

func characters(blocks []document.Block) int {
	n := 0
	for _, b := range blocks {
		for _, l := range b.Lines {
			for _, w := range l.Words {
				n += utf8.RuneCountInString(w.Text)
			}
		}
	}
	return n
}
