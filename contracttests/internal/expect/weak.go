package expect

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"uncial/contracttests/internal/documents"
	"uncial/contracttests/internal/model"
)

// weakPlace is a place that the answer lists as weak. Its schema was checked before.
type weakPlace struct {
	Page       int64                             `json:"page"`
	Region     struct{ X, Y, Width, Height int } `json:"box"`
	Confidence float64                           `json:"confidence"`
	Reason     string                            `json:"reason"`
	Text       string                            `json:"text"`
}

// box is the region of the place by its edges.
func (w weakPlace) box() documents.Box {
	b := w.Region
	return documents.Box{Left: b.X, Top: b.Y, Right: b.X + b.Width, Bottom: b.Y + b.Height}
}

// Limits of weak places.
const (
	// maxWeak is the most places of an answer, as in the contract.
	maxWeak = 50
	// surelyWeak is a confidence at which no server can claim that a word is not weak: most of its characters are wrong.
	surelyWeak = 0.4
)

// checkWeak compares the weak places with the text and the document, which is nil if it is not known. Servers of earlier
// versions list none.
func checkWeak(x *model.Exchange, text string, doc *documents.Document) string {
	var body struct {
		Weak []weakPlace `json:"weak"`
	}
	if _, has := x.JSON["weak"]; !has || json.Unmarshal(x.Body, &body) != nil {
		return ""
	}
	pages := strings.Split(text, "\f")
	last := 0.0
	for i, w := range body.Weak {
		if w.Page < 1 || w.Page > int64(len(pages)) {
			return fmt.Sprintf("weak place %d is on page %d of %d", i+1, w.Page, len(pages))
		}
		if w.Confidence < last {
			return fmt.Sprintf("weak places must begin with the least certain: place %d has the confidence %v, its predecessor %v", i+1, w.Confidence, last)
		}
		last = w.Confidence
		words := strings.Fields(pages[w.Page-1])
		switch missing := firstMissing(strings.Fields(w.Text), words); {
		case missing != "":
			return fmt.Sprintf("weak place %d says %q, which is not on page %d", i+1, missing, w.Page)
		case w.Reason == "unread-ink" && (w.Text != "" || w.Confidence != 0):
			return fmt.Sprintf("weak place %d was not read, but has the confidence %v and the text %q", i+1, w.Confidence, w.Text)
		case w.Reason == "low-confidence" && w.Text == "":
			return fmt.Sprintf("weak place %d has no text, although it was read", i+1)
		}
	}
	if doc == nil || len(doc.Pages) != len(pages) {
		return ""
	}
	return compareWeak(body.Weak, doc)
}

// firstMissing returns the first of the words that is not among the others, "" if there is none.
func firstMissing(words, among []string) string {
	for _, w := range words {
		if !slices.Contains(among, w) {
			return w
		}
	}
	return ""
}

// compareWeak requires the places to lie on their pages, and to cover the words that are surely weak.
func compareWeak(places []weakPlace, doc *documents.Document) string {
	for i, w := range places {
		page := doc.Pages[w.Page-1]
		if w.box().Right > page.Box.Right || w.box().Bottom > page.Box.Bottom {
			return fmt.Sprintf("weak place %d extends beyond its page", i+1)
		}
		var there []string
		for _, word := range page.Words() {
			if w.box().ContainsCenter(word.Box) {
				there = append(there, word.Text)
			}
		}
		if missing := firstMissing(strings.Fields(w.Text), there); missing != "" {
			return fmt.Sprintf("weak place %d says %q, but the word is not at %v of page %d", i+1, missing, w.box(), w.Page)
		}
	}
	if len(places) == maxWeak {
		return "" // the list is full
	}
	for n, p := range doc.Pages {
		for _, word := range p.Words() {
			covered := slices.ContainsFunc(places, func(w weakPlace) bool { return w.Page == int64(n+1) && w.box().ContainsCenter(word.Box) })
			if word.Confidence < surelyWeak && !covered {
				return fmt.Sprintf("the word %q has the confidence %.2f, but is in no weak place", word.Text, word.Confidence)
			}
		}
	}
	return ""
}
