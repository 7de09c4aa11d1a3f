package tryit

import (
	"cmp"
	"fmt"

	"uncial/gen"
)

// weakPlace is a weak place of a page, for the template.
type weakPlace struct {
	gen.WeakPlace
	ID, Why string
	Percent int
	Read    string // what was read there; "nothing" for ink without text
}

// reasons say in words why a place is weak.
var reasons = map[string]string{
	"low-confidence":         "probably misread",
	"unfamiliar-handwriting": "unfamiliar handwriting",
	"unread-ink":             "writing that was not read",
	"doubtful-order":         "order of lines in doubt",
}

// weak returns the weak places of a page, numbered from 1. The answers of earlier recordings have none.
func (r *Reading) weak(page int) (all []weakPlace) {
	if r.Answer.Weak == nil {
		return nil
	}
	for _, w := range *r.Answer.Weak {
		if w.Page == int64(page) {
			text := "nothing"
			if w.Text != nil {
				text = *w.Text
			}
			id := fmt.Sprintf("p%d-k%d", page, len(all)+1)
			all = append(all, weakPlace{w, id, cmp.Or(reasons[w.Reason], w.Reason), percent(w.Confidence), text})
		}
	}
	return all
}
