package liar

import "slices"

const (
	weakCase     = "extract/200/weak-places"
	weakPageCase = "extract/200/weak-page"
)

// weakDefects list places that are not weak, or not all that are, or describe them wrongly.
func weakDefects() []row {
	list := func(f func(all []any) []any) lie {
		return on(isResult, edit(func(o object) {
			if all, ok := o["weak"].([]any); ok {
				o["weak"] = f(all)
			}
		}))
	}
	places := func(f func(place object)) lie {
		return list(func(all []any) []any {
			for _, w := range all {
				if w, ok := w.(object); ok {
					f(w)
				}
			}
			return all
		})
	}
	return []row{
		{"does not list weak places", weakCase, on(isResult, drop("weak"))},
		{"sends null for no weak places", weakCase, on(isBlank, set("weak", nil))},
		{"lists a weak place on a blank page", weakCase, on(isBlank, set("weak", []any{object{
			"page": 1, "box": object{"x": 1, "y": 1, "width": 9, "height": 9}, "confidence": 0, "reason": "unread-ink",
		}}))},
		{"lists weak places with ALTO only", weakPageCase, on(both(isResult, field("format", nil)), set("weak", []any{}))},
		{"never lists a weak place", weakPageCase, list(func([]any) []any { return []any{} })},
		{"lists only the first weak place", weakPageCase, list(func(all []any) []any { return all[:min(1, len(all))] })},
		{"lists the most certain place first", weakPageCase, list(func(all []any) []any {
			slices.Reverse(all)
			return all
		})},
		{"lists everything as weak", weakPageCase, on(isResult, edit(func(o object) {
			if all, _ := o["weak"].([]any); len(all) > 0 {
				o["weak"] = append(all, object{
					"page": 1, "box": object{"x": 0, "y": 0, "width": 100, "height": 100}, "confidence": 1, "reason": "low-confidence", "text": o["text"],
				})
			}
		}))},
		{"counts the pages of weak places from 0", weakPageCase, places(func(w object) { w["page"] = number(w, "page") - 1 })},
		{"puts weak places on a page that is missing", weakPageCase, places(func(w object) { w["page"] = 9 })},
		{"puts weak places off the page", weakPageCase, places(func(w object) { w["box"] = object{"x": 30000, "y": 1, "width": 9, "height": 9} })},
		{"names a text in weak places that was never read", weakPageCase, places(func(w object) { w["text"] = "zzz" })},
		{"leaves the text of weak places out", weakPageCase, places(func(w object) { delete(w, "text") })},
		{"reports the confidence of weak places in percent", weakPageCase, places(func(w object) { w["confidence"] = 100 * confidence(w) })},
		{"writes the reasons of weak places in words", weakPageCase, places(func(w object) { w["reason"] = "Low confidence" })},
		{"names reasons that the contract lacks", weakPageCase, places(func(w object) { w["reason"] = "ugly" })},
		{"turns weak places by 45 degrees", weakPageCase, places(func(w object) { w["rotation"] = 45 })},
		{"lists no weak places of pages that are barely legible as a whole", "extract/200/weak-faint-page", list(func(all []any) []any {
			if len(all) < 4 {
				return []any{}
			}
			return all
		})},
	}
}
