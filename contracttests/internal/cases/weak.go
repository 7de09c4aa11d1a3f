package cases

import (
	"context"
	"strings"

	"uncial/contracttests/internal/expect"
	"uncial/contracttests/internal/model"
)

// weakRows provoke weak places in results. Whether each list fits its text, its document and earlier results is checked for
// every result, by expect.Readings. Servers of earlier versions list nothing.
var weakRows = []row{
	{
		name: "extract/200/weak-places", points: 40, needs: []string{model.NeedAllFields},
		explanation: "Every result lists its weak places, the same in every format; a blank page has none.",
		asks:        []ask{read(printed), read(printed).format("alto"), read(printed).format("text"), read(blank)},
	}, {
		name: "extract/200/weak-page", points: 20, needs: []string{model.NeedAllFields, needImage(model.ImageWeak)}, then: weakPartly,
		explanation: "The weak places of a page have its barely legible words, and not its legible ones.",
		asks:        []ask{read(model.ImageWeak).format("alto"), read(model.ImageWeak)},
	}, {
		// The list is compared with the confidence of each word in the document.
		name: "extract/200/weak-faint-page", points: 20, needs: []string{model.NeedAllFields, needImage(model.ImageFaint)}, then: weakIsNotEmpty,
		explanation: "A page that is barely legible has weak places, and neighbouring weak lines are one place.",
		asks:        []ask{read(model.ImageFaint).format("page"), read(model.ImageFaint).format("tsv")},
	},
}

// weakIsNotEmpty requires a weak place in every answer with text.
func weakIsNotEmpty(_ context.Context, s *session, x []*model.Exchange) error {
	if !s.isExact {
		return &skip{"the target implements another version of the contract"}
	}
	for _, y := range x {
		// A faint page may be read as empty.
		if places := expect.WeakPlaces(y); len(places) == 0 && y.Text("text") != "" {
			return fail(y, "the page is barely legible, but no weak place is listed")
		}
	}
	return nil
}

// weakPartly requires some words in weak places, and not all.
func weakPartly(ctx context.Context, s *session, x []*model.Exchange) error {
	if err := weakIsNotEmpty(ctx, s, x); err != nil {
		return err
	}
	for _, y := range x {
		listed := 0
		for i, place := range expect.WeakPlaces(y) {
			if place.Rotation != 0 {
				return fail(y, "the page is upright as sent, so weak place %d must have no rotation", i+1)
			}
			listed += len(strings.Fields(place.Text))
		}
		if all := len(strings.Fields(y.Text("text"))); listed >= all {
			return fail(y, "a part of the page is legible, but %d of its %d words are listed as weak", listed, all)
		}
	}
	return nil
}
