package reading

import (
	"context"
	"image"
	"unicode"
	"unicode/utf8"

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

// attempt is one reading of a page.
type attempt struct {
	model      string
	blocks     []document.Block
	confidence float64 // the recognizer's own, weighted by the length of the words
}

func read(ctx context.Context, src Source, img *image.Gray, model string, mode tesseract.Mode) (attempt, error) {
	blocks, err := src.Read(ctx, img, model, mode)
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

// choose reads the page, again where it has to, and returns the reading to keep.
func choose(ctx context.Context, src Source, img *image.Gray, model string) (attempt, error) {
	best, err := read(ctx, src, img, model, tesseract.Auto)
	if err != nil {
		return attempt{}, err
	}
	if best, err = withGreek(ctx, src, img, best); err != nil {
		return attempt{}, err
	}
	if best.confidence >= sure || !src.Has(earlyPrint) || !latin(best.blocks) {
		return best, nil
	}
	early, err := read(ctx, src, img, earlyPrint, tesseract.Auto)
	if err != nil {
		return attempt{}, err
	}
	if early.confidence+earlyPrintBonus >= best.confidence {
		return early, nil
	}
	return best, nil
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
	both, err := read(ctx, src, img, first.model+"+"+ancientGreek, tesseract.Auto)
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
