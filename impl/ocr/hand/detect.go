package hand

import (
	"cmp"
	"context"
	"image"
	"slices"
	"unicode/utf8"

	"uncial/impl/ocr/layout"
	"uncial/impl/ocr/tesseract"
	"uncial/internal/document"
)

const (
	// suspicious is the share of such spots from which on a page may be written by hand. Print has less, but for
	// woodcuts and typescripts that bleed; hands have more than 0.1.
	suspicious = 0.08
	// foreignSuspicious is the same where what is read is not French, which is all that the model for hands has learnt, so
	// that its confidence tells little.
	foreignSuspicious = 0.15
	// samples is how many lines are read with both models to tell.
	samples = 6
	// handShows is the least sum of the share of joined letters and of the difference of the two models' confidences for
	// the page to be a hand's.
	handShows = 0.2
	// leastSure is the mean confidence of the model for hands below which it is no writing that lies level: a printed page
	// on its side has wide spots too.
	leastSure = 0.16
	// surelyPrint is the confidence of the model for print in a line from which on the page has print on it.
	surelyPrint = 0.75
)

// Sure says whether all of the page is written by hand, and how sure the model for hands is of some of its lines, 0..1.
// Print is told by the spots of ink alone, at no cost; where these leave a doubt, both models read some lines.
func (p *Page) Sure(ctx context.Context, r Reader) (float64, bool, error) {
	if p.onSide || p.wide < suspicious {
		return 0, false, nil
	}
	some := sample(p.lines().Lines())
	if len(some) == 0 {
		return 0, false, nil
	}
	hands, err := p.readLines(ctx, r, some)
	if err != nil || p.wide < foreignSuspicious && !p.models.Native && !french(hands, false) {
		return 0, false, err
	}
	_, images := cut(some, 1)
	prints, err := p.sureOfPrint(ctx, r, images)
	if err != nil || len(prints) != len(hands) || len(hands) == 0 {
		return 0, false, err
	}
	difference, sure := 0.0, 0.0
	for i := range hands {
		hand, inPrint := hands[i].confidence, prints[i]
		if inPrint >= surelyPrint && inPrint > hand {
			return 0, false, nil
		}
		difference += (hand - inPrint) / float64(len(hands))
		sure += hand / float64(len(hands))
	}
	return sure, sure >= leastSure && difference+p.wide >= handShows, nil
}

// sample is some of the longer lines, from all over the page.
func sample(all []layout.Line) []layout.Line {
	long := byWidth(all)
	if len(long) == 0 {
		return nil
	}
	least := long[(len(long)-1)/2].Width()
	all = slices.DeleteFunc(slices.Clone(all), func(l layout.Line) bool { return l.Width() < least })
	n := min(samples, len(all))
	some := make([]layout.Line, n)
	for i := range some {
		some[i] = all[(2*i+1)*len(all)/(2*n)]
	}
	return some
}

// byWidth are the lines from the longest to the shortest.
func byWidth(all []layout.Line) []layout.Line {
	return slices.SortedStableFunc(slices.Values(all), func(a, b layout.Line) int { return cmp.Compare(b.Width(), a.Width()) })
}

// sureOfPrint is how sure the model for print is of each line, 0..1.
func (p *Page) sureOfPrint(ctx context.Context, r Reader, images []*image.Gray) ([]float64, error) {
	all, err := r.ReadStrips(ctx, p.models.Print, images, tesseract.Words)
	if err != nil {
		return nil, err
	}
	out := make([]float64, len(images))
	for i, words := range all {
		out[i], _ = weigh(words)
	}
	return out, nil
}

// weigh is the mean confidence of words, 0..1, weighted by their length, and how many characters they have.
func weigh(words []tesseract.Word) (confidence float64, characters int) {
	var sum float64
	for _, w := range words {
		k := utf8.RuneCountInString(document.WordText(w.Text))
		sum += float64(k) * min(max(w.Confidence/100, 0), 1)
		characters += k
	}
	return sum / float64(max(characters, 1)), characters
}
