package expect

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"uncial/contracttests/internal/documents"
	"uncial/contracttests/internal/model"
)

// WeakPlace is a place that the answer lists as weak. Its schema was checked before.
type WeakPlace struct {
	Page       int64                             `json:"page"`
	Region     struct{ X, Y, Width, Height int } `json:"box"`
	Rotation   int64                             `json:"rotation"`
	Confidence float64                           `json:"confidence"`
	Reason     string                            `json:"reason"`
	Text       string                            `json:"text"`
}

// WeakPlaces returns the weak places of an answer, nil if it lists none.
func WeakPlaces(x *model.Exchange) []WeakPlace {
	var places []WeakPlace
	_ = x.Member("weak", &places)
	return places
}

// box returns the region of the place by its edges.
func (w WeakPlace) box() documents.Box {
	b := w.Region
	return documents.Box{Left: b.X, Top: b.Y, Right: b.X + b.Width, Bottom: b.Y + b.Height}
}

// The reasons of the contract. Later versions may add others.
const (
	lowConfidence = "low-confidence"
	unfamiliar    = "unfamiliar-handwriting"
	unreadInk     = "unread-ink"
	doubtfulOrder = "doubtful-order"
)

// Limits of weak places.
const (
	// MaxWeak is the maximum number of places in an answer, as in the contract.
	MaxWeak = 50
	// surelyWeak is a confidence at which no server can claim that a word is not weak: it is likely to be wrong.
	surelyWeak = 0.25
	// maxDeviation is the most by which the confidence of a place may be outside the bounds that follow from its words, whose
	// confidences documents round.
	maxDeviation = 0.05
)

// checkWeakList requires every result of this version of the contract to list its weak places, with reasons of the contract.
// Where nothing was read, they can only be writing that was not read; a blank page has none.
func (s *Readings) checkWeakList(x *model.Exchange, j *model.Job, text string) string {
	if !s.isExact() || x.Target.Minimal {
		return ""
	}
	if _, has := x.JSON["weak"]; !has {
		return "weak is missing: a reading without weak places has an empty list"
	}
	_, isOwn := x.Target.OwnOf(j)
	for i, w := range WeakPlaces(x) {
		switch {
		case !slices.Contains([]string{lowConfidence, unfamiliar, unreadInk, doubtfulOrder}, w.Reason):
			return fmt.Sprintf("weak place %d has the reason %q, which is not in the contract", i+1, w.Reason)
		case j.Image == model.ImageBlank:
			return "a blank page has no weak places"
		case strings.Trim(text, "\f") == "" && w.Reason != unreadInk:
			return fmt.Sprintf("nothing was read, but weak place %d has the reason %s", i+1, w.Reason)
		case isOwn && w.Rotation != 0:
			return fmt.Sprintf("the image is upright with the orientation that it declares, but weak place %d has the rotation %d", i+1, w.Rotation)
		}
	}
	return ""
}

// checkWeak compares the weak places with the text and the document, which is nil if it is not known. Servers of earlier
// versions list none.
func checkWeak(x *model.Exchange, text string, doc *documents.Document) string {
	if _, has := x.JSON["weak"]; !has {
		return ""
	}
	places := WeakPlaces(x)
	pages := strings.Split(text, "\f")
	last := 0.0
	for i, w := range places {
		if w.Page < 1 || w.Page > int64(len(pages)) {
			return fmt.Sprintf("weak place %d is on page %d of %d", i+1, w.Page, len(pages))
		}
		if w.Confidence < last {
			return fmt.Sprintf("weak places must begin with the least certain: place %d has the confidence %v, its predecessor %v", i+1, w.Confidence, last)
		}
		last = w.Confidence
		switch missing := missingLine(w.Text, pages[w.Page-1]); {
		case missing != "":
			return fmt.Sprintf("weak place %d says %q, which is not in a line of page %d", i+1, missing, w.Page)
		case w.Reason == unreadInk && (w.Text != "" || w.Confidence != 0):
			return fmt.Sprintf("weak place %d was not read, but has the confidence %v and the text %q", i+1, w.Confidence, w.Text)
		case w.Reason == lowConfidence && w.Text == "":
			return fmt.Sprintf("weak place %d has no text, although it was read", i+1)
		}
	}
	if doc == nil || len(doc.Pages) != len(pages) {
		return ""
	}
	return compareWeak(places, doc)
}

// missingLine returns the first line of a place whose words are not, in their order, in one line of the page after those of the
// lines before it, "" if there is none.
func missingLine(text, page string) string {
	rest := strings.Split(page, "\n")
	for line := range strings.SplitSeq(text, "\n") {
		words := strings.Fields(line)
		i := slices.IndexFunc(rest, func(of string) bool {
			left := words
			for word := range strings.FieldsSeq(of) {
				if len(left) > 0 && left[0] == word {
					left = left[1:]
				}
			}
			return len(left) == 0
		})
		if i < 0 {
			return line
		}
		rest = rest[i+1:]
	}
	return ""
}

// compareWeak requires the places to be where their words are, with the confidence of these, and to cover the words that are
// surely weak.
func compareWeak(places []WeakPlace, doc *documents.Document) string {
	for i, w := range places {
		page := doc.Pages[w.Page-1]
		if w.box().Right > page.Box.Right || w.box().Bottom > page.Box.Bottom {
			return fmt.Sprintf("weak place %d extends beyond its page", i+1)
		}
		if problem := w.compareWords(page); problem != "" {
			return fmt.Sprintf("weak place %d %s", i+1, problem)
		}
	}
	if problem := splitPlace(places, doc); problem != "" {
		return problem
	}
	for n, p := range doc.Pages {
		for _, word := range p.Words() {
			covered := slices.ContainsFunc(places, func(w WeakPlace) bool { return w.Page == int64(n+1) && w.box().ContainsCenter(word.Box) })
			if word.Confidence < surelyWeak && !covered && (len(places) < MaxWeak || isWorse(word, places, doc)) {
				return fmt.Sprintf("the word %q has the confidence %.2f, but is in no weak place", word.Text, word.Confidence)
			}
		}
	}
	return ""
}

// splitPlace finds two neighbouring words of a line that are in different places although both are likely to be misread: they
// must be in one place. Places of several lines are left out.
func splitPlace(places []WeakPlace, doc *documents.Document) string {
	for n, p := range doc.Pages {
		for _, line := range p.Lines() {
			last, before := -1, ""
			for _, word := range line.Words() {
				at := slices.IndexFunc(places, func(w WeakPlace) bool {
					return w.Page == int64(n+1) && w.Reason == lowConfidence && !strings.Contains(w.Text, "\n") && slices.Contains(strings.Fields(w.Text), word.Text) && w.box().Contains(word.Box)
				})
				if at >= 0 && last >= 0 && at != last {
					return fmt.Sprintf("the words %q and %q are neighbours, but in different weak places", before, word.Text)
				}
				last, before = at, word.Text
			}
		}
	}
	return ""
}

// isWorse reports whether more characters of a word are likely to be wrong than of a place of one word: the word has more
// characters, and is less likely to be right. A full list must then have the word instead of the place.
func isWorse(word *documents.Element, places []WeakPlace, doc *documents.Document) bool {
	return slices.ContainsFunc(places, func(w WeakPlace) bool {
		there := w.wordsOn(doc.Pages[w.Page-1])
		return w.Reason == lowConfidence && len(there) == 1 && word.Confidence < there[0].Confidence-maxRounding &&
			utf8.RuneCountInString(word.Text) > utf8.RuneCountInString(there[0].Text)
	})
}

// maxRounding is more than documents change confidences by rounding.
const maxRounding = 0.02

// wordsOn returns the words of a page in the box of the place.
func (w WeakPlace) wordsOn(page *documents.Element) (words []*documents.Element) {
	for _, word := range page.Words() {
		if w.box().ContainsCenter(word.Box) {
			words = append(words, word)
		}
	}
	return words
}

// compareWords compares a place with the words in its box. It returns what is wrong, or "".
func (w WeakPlace) compareWords(page *documents.Element) string {
	words := w.wordsOn(page)
	there := make([]string, len(words))
	for i, word := range words {
		there[i] = word.Text
	}
	said := strings.Fields(w.Text)
	for _, word := range said {
		if !slices.Contains(there, word) {
			return fmt.Sprintf("says %q, but the word is not at %v of page %d", word, w.box(), w.Page)
		}
	}
	ofWords := w.Reason == lowConfidence || w.Reason == unfamiliar
	switch least, most := documents.CorrectBounds(words); {
	case ofWords && len(there) > len(said)+maxOthers:
		return fmt.Sprintf("says %q, but there are %d words at %v of page %d", model.Shorten(w.Text, 60), len(there), w.box(), w.Page)
	case ofWords && slices.Equal(there, said) && (w.Confidence < least-maxDeviation || w.Confidence > most+maxDeviation):
		return fmt.Sprintf("has the confidence %v, but its words allow %.2f to %.2f", w.Confidence, least, most)
	}
	return ""
}
