package hand

import (
	"cmp"
	"context"
	"slices"

	"uncial/impl/ocr/layout"
)

// choose lets the handwriting models compete on the longest lines of the page: the one with the highest mean confidence reads
// the page. Only the first call that succeeds does so.
func (p *Page) choose(ctx context.Context, r Reader, all []layout.Line) error {
	names := p.models.Competing
	if len(names) < 2 || len(all) == 0 {
		return nil
	}
	longest := slices.Clone(all)
	slices.SortFunc(longest, func(a, b layout.Line) int { return cmp.Compare(b.Box().W, a.Box().W) })
	_, images := cut(longest[:min(len(longest), triedLines)])
	best, chosen := -1.0, ""
	for _, name := range names {
		read, err := r.ReadStrips(ctx, name, images)
		if err != nil {
			return err
		}
		if confidence, _ := meanConfidence(slices.Concat(read...)); confidence > best {
			best, chosen = confidence, name
		}
	}
	p.models.Competing, p.models.Handwriting = nil, chosen
	return nil
}
