package cases

import (
	"context"
	"slices"

	"uncial/contracttests/internal/documents"
	"uncial/contracttests/internal/model"
)

// Maximum numbers of the cases about conflicts: values of all fields for which they store an answer, and requests that they
// send.
const (
	maxValues    = 60
	maxConflicts = 400
)

// drawnFormats and drawnLanguages are the numbers of formats and languages for which an answer is stored on a server whose
// extractions take time.
const (
	drawnFormats   = 2
	drawnLanguages = 1
)

// conflictImages are the images that a target may have, each with a text of its own.
var conflictImages = []string{printed, other, blank, model.ImagePages, model.ImageWeak, model.ImageBroken, model.ImageEnhance, model.ImageSigns, model.ImageLong, model.ImageIllustrated, model.ImageFaded, model.ImageTenPages}

// formats are all values of the field.
func formats() []string { return append([]string{"json", "text", "pdf"}, documents.Formats...) }

// checkConflicts tries every format and up to maxCombined languages against a few others, which the seed draws.
func checkConflicts(ctx context.Context, s *session) error {
	a, err := s.account(ctx, model.KeyOK, maxExtractions, drawnFormats+drawnLanguages)
	if err != nil {
		return err
	}
	languages, err := s.askLanguages(ctx, a)
	if err != nil {
		return err
	}
	if err := s.conflicts(ctx, a, "formats", formats(), drawnFormats, ask.format); err != nil {
		return err
	}
	return s.conflicts(ctx, a, "languages", languages, drawnLanguages, ask.language)
}

// checkEveryConflict tries every value of every field, and up to maxCombined languages, against every other.
func checkEveryConflict(ctx context.Context, s *session) error {
	a, err := s.account(ctx, model.KeyOK, maxExtractions, maxValues)
	if err != nil {
		return err
	}
	languages, err := s.askLanguages(ctx, a)
	if err != nil {
		return err
	}
	scenarios := slices.DeleteFunc(slices.Clone(conflictImages), func(image string) bool { return s.ImageURL(image) == "" })
	for _, field := range []struct {
		set    string
		values []string
		with   func(a ask, value string) ask
	}{
		{"formats", formats(), ask.format},
		{"languages", languages, ask.language},
		{"ways to enhance", []string{"true", "false"}, func(a ask, value string) ask { return a.enhance(value == "true") }},
		{"images", scenarios, func(a ask, value string) ask { return a.job(func(j *model.Job) { j.Image = value }) }},
	} {
		if err := s.conflicts(ctx, a, field.set, field.values, len(field.values), field.with); err != nil {
			return err
		}
	}
	return nil
}

// conflicts stores the answers to some values of a field, each under an Idempotency-Key of its own, and sends with the same key
// the values that follow them in an order that the seed rotates, and the one before. The stored answers must be unchanged at
// the end.
func (s *session) conflicts(ctx context.Context, a *model.Account, set string, values []string, stored int, with func(a ask, value string) ask) error {
	if len(values) < 2 {
		return nil
	}
	c := &senders{map[who]*model.Account{first: a}, s.idempotencyKey()}
	start := int(s.Seed % uint64(len(values)))
	values = slices.Concat(values[start:], values[:start])
	all, used := pairs(values), values[:min(len(values), maxCombined)]
	var tried []string
	for i, value := range used[:min(stored, len(used))] {
		tried = append(tried, pairs(used[i:])[:len(used)-i-1]...)
		asks := []ask{with(full(), value)}
		for _, other := range used[max(0, i-1):] {
			if other != value {
				asks = append(asks, with(full(), other))
			}
		}
		for _, q := range append(asks, asks[0]) {
			if _, err := s.send(ctx, s.request(q.keyed(value), c)); err != nil {
				return explain(err, "with the Idempotency-Key of a request for %s", value)
			}
		}
	}
	s.choseFrom("pairs of "+set, all, tried)
	return nil
}

// pairs names every pair of different values, those of the first value first.
func pairs(values []string) (all []string) {
	for i, value := range values {
		for _, other := range values[i+1:] {
			all = append(all, value+" and "+other)
		}
	}
	return all
}
