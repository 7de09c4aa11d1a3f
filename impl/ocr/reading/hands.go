package reading

import (
	"context"
	"image"
	"slices"

	"golang.org/x/text/language"

	"uncial/impl/ocr/hand"
	"uncial/impl/ocr/imaging"
	"uncial/impl/ocr/models/own"
	"uncial/internal/document"
)

// hands is what may be written by hand on a page. It is nothing where no model for hands is there, or where the
// language is not written in Latin letters.
type hands struct {
	page   *hand.Page // nil if nothing is
	reader hand.Reader
}

// lookForHands looks at a page and its spots of ink. printed is the model that reads the language in print.
func lookForHands(src Source, o Options, printed string, gray *image.Gray, spots []image.Rectangle) hands {
	reader, ok := src.(hand.Reader)
	if !ok || !src.Has(own.HandFrench) || !latinScript(o.Language) {
		return hands{}
	}
	models := hand.Models{
		Hand: own.HandFrench, Print: printed, Native: speaksFrench(o.Language),
		InPrint: func(own float64) float64 { return logistic(curve(own, printed)) },
	}
	if o.Enhance {
		models.Enhance, models.Learnt = true, src.Lexicon(own.HandFrench)
	}
	return hands{reader: reader, page: hand.Look(gray, spots, models)}
}

// sure says whether all of the page is written by hand, and how sure the model is of some lines.
func (h hands) sure(ctx context.Context) (float64, bool, error) {
	if h.page == nil {
		return 0, false, nil
	}
	return h.page.Sure(ctx, h.reader)
}

// latinScript says whether a language is written in Latin letters, as far as its tag tells. Of Middle French and Middle
// English (frm, enm) it does not; of all that are written otherwise it does.
func latinScript(tag string) bool {
	parsed, err := language.Parse(tag)
	if err != nil {
		return false
	}
	script, _ := parsed.Script()
	return slices.Contains([]string{"Latn", "Latf", "Zzzz"}, script.String())
}

// speaksFrench says whether the model for French hands has learnt the language: French of any region and time.
func speaksFrench(tag string) bool {
	parsed, err := language.Parse(tag)
	if err != nil {
		return false
	}
	base, _ := parsed.Base()
	return slices.Contains([]string{"fr", "frm", "fro"}, base.String())
}

// printSure is the confidence of the model for print from which on a part of a page of handwriting that looks like print is
// print. On hands it has less than half of it.
const printSure = 0.7

// alone says whether hands wrote all of a page that was taken for theirs. Where a part looks like print, it is read as such.
func (h hands) alone(ctx context.Context, src Source, gray *image.Gray, model string) (bool, error) {
	part := h.page.PrintLike()
	if part.Empty() {
		return true, nil
	}
	a, err := read(ctx, src, imaging.Crop(gray, part), model)
	return a.confidence < printSure, err
}

// complete finishes a reading of print and adds what was written by hand, where there is any. What print made of hands' lines
// that are known to be written is left out.
func (h hands) complete(ctx context.Context, src Source, s sheet, a *attempt, written []document.Box) (hand.Result, error) {
	if err := a.recoverMissed(ctx, src, s); err != nil {
		return hand.Result{}, err
	}
	if err := a.mendMisfits(ctx, src, s.img); err != nil {
		return hand.Result{}, err
	}
	if len(written) > 0 {
		*a = a.beside(s, written)
	}
	printed := hand.Result{Blocks: s.place(a.blocks), Confidence: a.right}
	calibrate(printed.Blocks)
	if h.page == nil {
		return printed, nil
	}
	filled, ok, err := h.page.Fill(ctx, h.reader, printed)
	if !ok || err != nil {
		return printed, err
	}
	return filled, nil
}

// prefer chooses once more between the model of the language and that for early print where hands' lines were found on a
// printed page: what these made of a hand says nothing of the print beside it. It puts the reading to keep first, and is true
// where that is another than before.
func prefer(attempts []attempt, s sheet, written []document.Box) bool {
	other := slices.IndexFunc(attempts, func(a attempt) bool { return a.model != attempts[0].model })
	if len(written) == 0 || other < 0 {
		return false
	}
	own, early := attempts[0].beside(s, written), attempts[other].beside(s, written)
	isEarly := attempts[0].model == earlyPrint
	if isEarly {
		own, early = early, own
	}
	if early.model != earlyPrint || keepsEarly(own, early) == isEarly {
		return false
	}
	attempts[0], attempts[other] = attempts[other], attempts[0]
	return true
}

// beside is the attempt without the words in boxes on the page.
func (a attempt) beside(s sheet, boxes []document.Box) attempt {
	inside := func(x, y int) bool {
		return slices.ContainsFunc(boxes, func(b document.Box) bool { return x >= b.X && x < right(b) && y >= b.Y && y < b.Y+b.H })
	}
	var blocks []document.Block
	for _, b := range a.blocks {
		var lines []document.Line
		for _, l := range b.Lines {
			l.Words = slices.DeleteFunc(slices.Clone(l.Words), func(w document.Word) bool {
				at := s.placeBox(w.Box)
				return inside(at.X+at.W/2, middle(at))
			})
			if l.Box = wordsBox(l.Words); len(l.Words) > 0 {
				lines = append(lines, l)
			}
		}
		if len(lines) > 0 {
			blocks = append(blocks, blockOf(lines))
		}
	}
	letters := slices.DeleteFunc(slices.Clone(s.letters), func(l image.Rectangle) bool {
		return inside((l.Min.X+l.Max.X)/2, (l.Min.Y+l.Max.Y)/2)
	})
	return attempt{model: a.model, blocks: blocks, seen: a.seen, confidence: meanConfidence(blocks), right: pageConfidence(blocks, len(letters))}
}

// handBoxes are those of the lines that were written by hand.
func handBoxes(blocks []document.Block) []document.Box {
	var boxes []document.Box
	for _, b := range blocks {
		for _, l := range b.Lines {
			if l.Handwritten {
				boxes = append(boxes, l.Box)
			}
		}
	}
	return boxes
}
