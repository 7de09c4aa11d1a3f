package hand

import (
	"cmp"
	"context"
	"image"
	"slices"

	"uncial/impl/ocr/layout"
)

// Detect reports whether the whole page is handwritten, and the mean confidence of the handwriting model in a sample of its
// lines, 0..1. The shape of the ink rules out most printed pages without reading; in doubt, both models read the sample.
func (p *Page) Detect(ctx context.Context, r Reader) (float64, bool, error) {
	if p.onSide || p.joinedShare < minJoinedShare {
		return 0, false, nil
	}
	found, err := p.Lines(ctx, r)
	if err != nil {
		return 0, false, err
	}
	some := sample(found.Lines(), samples)
	if len(some) == 0 {
		return 0, false, nil
	}
	handwriting, err := p.readLines(ctx, r, some)
	if err != nil || p.joinedShare < minJoinedShareForeign && !p.models.TaggedFrench && !isFrench(handwriting, false) {
		return 0, false, err
	}
	_, images := cut(some)
	prints, err := p.printConfidences(ctx, r, images)
	if err != nil || len(prints) != len(handwriting) || len(handwriting) == 0 {
		return 0, false, err
	}
	lead, confidence := 0.0, 0.0
	for i := range handwriting {
		inHandwriting, inPrint := handwriting[i].confidence, prints[i]
		if inPrint >= surelyPrint && inPrint > inHandwriting {
			return 0, false, nil
		}
		lead += (inHandwriting - inPrint) / float64(len(handwriting))
		confidence += inHandwriting / float64(len(handwriting))
	}
	return confidence, confidence >= minConfident && lead >= 0 && lead+p.joinedShare >= minEvidence, nil
}

// sample returns up to n of the longer lines, spread evenly over the page.
func sample(all []layout.Line, n int) []layout.Line {
	long := byWidth(all)
	if len(long) == 0 {
		return nil
	}
	minWidth := long[(len(long)-1)/2].Length()
	all = slices.DeleteFunc(slices.Clone(all), func(l layout.Line) bool { return l.Length() < minWidth })
	n = min(n, len(all))
	some := make([]layout.Line, n)
	for i := range some {
		some[i] = all[(2*i+1)*len(all)/(2*n)]
	}
	return some
}

// byWidth returns the lines from the longest to the shortest.
func byWidth(all []layout.Line) []layout.Line {
	return slices.SortedStableFunc(slices.Values(all), func(a, b layout.Line) int { return cmp.Compare(b.Length(), a.Length()) })
}

// printConfidences returns the confidence of the print model in each line, 0..1.
func (p *Page) printConfidences(ctx context.Context, r Reader, images []*image.Gray) ([]float64, error) {
	all, err := r.ReadStrips(ctx, p.models.Print, images)
	if err != nil {
		return nil, err
	}
	out := make([]float64, len(images))
	for i, words := range all {
		out[i], _ = meanConfidence(words)
	}
	return out, nil
}
