package reading

import (
	"context"
	"image"
	"slices"

	"golang.org/x/text/language"

	"uncial/impl/ocr/hand"
	"uncial/impl/ocr/models/own"
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

// fill adds what was written by hand on a printed page, where there is any.
func (h hands) fill(ctx context.Context, printed hand.Result) (hand.Result, error) {
	if h.page == nil {
		return printed, nil
	}
	filled, ok, err := h.page.Fill(ctx, h.reader, printed)
	if !ok || err != nil {
		return printed, err
	}
	return filled, nil
}
