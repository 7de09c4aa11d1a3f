package cases

import (
	"context"
	"reflect"
	"slices"
	"strings"

	"uncial/contracttests/internal/model"
)

// weakRows check where results say that their reading is weak. Whether each list fits its text and document is checked of every
// result, by expect.Readings. Servers of earlier versions list nothing.
var weakRows = []row{
	{
		name: "extract/200/weak-places", points: 40, needs: []string{model.NeedAllFields}, then: weakIsListed,
		explanation: "Every result lists its weak places, in every format the same; a blank page has none.",
		asks:        []ask{read(printed), read(printed).format("alto"), read(printed).format("text"), read(blank)},
	}, {
		name: "extract/200/weak-page", points: 20, needs: []string{model.NeedAllFields, needImage(model.ImageWeak)}, then: weakPartly,
		explanation: "A page with words that are hardly legible lists them, and what is legible not.",
		asks:        []ask{read(model.ImageWeak).format("alto"), read(model.ImageWeak)},
	}, {
		// The document has the confidence of each word, with which the list is compared.
		name: "extract/200/weak-faint-page", points: 20, needs: []string{model.NeedAllFields, needImage(model.ImageFaint)}, then: weakIsNotEmpty,
		explanation: "A page that is hardly legible has weak places, in neighbouring lines that are one place.",
		asks:        []ask{read(model.ImageFaint).format("page"), read(model.ImageFaint).format("tsv")},
	},
}

// weakReasons are those of the contract. Later versions may add others.
var weakReasons = []string{"low-confidence", "unfamiliar-handwriting", "unread-ink", "doubtful-order"}

// weakOf returns the weak places of an answer, and whether it has the list.
func weakOf(x *model.Exchange) (places []map[string]any, has bool) {
	list, has := x.JSON["weak"].([]any)
	for _, w := range list {
		place, _ := w.(map[string]any)
		places = append(places, place)
	}
	return places, has
}

func weakIsListed(_ context.Context, s *session, x []*model.Exchange) error {
	if !s.isExact {
		return &skip{"the target implements another version of the contract"}
	}
	first, _ := weakOf(x[0])
	last := len(x) - 1
	for i, y := range x {
		places, has := weakOf(y)
		switch {
		case !has:
			return fail(y, "weak is missing: a reading without weak places has an empty list")
		case i == last && len(places) > 0:
			return fail(y, "a blank page has no weak places, but %d are listed", len(places))
		case i < last && !reflect.DeepEqual(places, first):
			return fail(y, "the same page had the weak places %v before and has %v now", first, places)
		}
	}
	return nil
}

func weakIsNotEmpty(_ context.Context, s *session, x []*model.Exchange) error {
	if !s.isExact {
		return &skip{"the target implements another version of the contract"}
	}
	for _, y := range x {
		// A faint page may be read as empty.
		if places, _ := weakOf(y); len(places) == 0 && y.Text("text") != "" {
			return fail(y, "the page is hardly legible, but no weak place is listed")
		}
	}
	return nil
}

func weakPartly(ctx context.Context, s *session, x []*model.Exchange) error {
	if err := weakIsNotEmpty(ctx, s, x); err != nil {
		return err
	}
	for _, y := range x {
		places, _ := weakOf(y)
		listed := 0
		for _, place := range places {
			reason, _ := place["reason"].(string)
			if !slices.Contains(weakReasons, reason) {
				return fail(y, "the reason of a weak place must be one of %s, not %q", strings.Join(weakReasons, ", "), reason)
			}
			text, _ := place["text"].(string)
			listed += len(strings.Fields(text))
		}
		if all := len(strings.Fields(y.Text("text"))); listed >= all {
			return fail(y, "a part of the page is legible, but %d of its %d words are listed as weak", listed, all)
		}
	}
	return nil
}
