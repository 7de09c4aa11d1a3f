package contracttests

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"uncial/contracttests/internal/written"
)

// edit is one change of the enhancement.
type edit struct {
	Page int64 `json:"page"`
	Box  struct {
		X      int `json:"x"`
		Y      int `json:"y"`
		Width  int `json:"width"`
		Height int `json:"height"`
	} `json:"box"`
	Before string `json:"before"`
	After  string `json:"after"`
}

func (e edit) box() written.Box {
	return written.Box{Left: e.Box.X, Top: e.Box.Y, Right: e.Box.X + e.Box.Width, Bottom: e.Box.Y + e.Box.Height}
}

// edits are those of an answer, nil where they do not have the form that the schema asks for.
func (x *Exchange) edits() []edit {
	var answer struct {
		Edits []edit `json:"edits"`
	}
	if json.Unmarshal(x.Body, &answer) != nil {
		return nil
	}
	return answer.Edits
}

// checkEnhanced wants enhancement only where it was asked for, and edits only where it took place.
func (s *session) checkEnhanced(x *Exchange, j *job) (faults []string) {
	enhanced, has := x.JSON["enhanced"].(bool)
	if enhanced && !j.enhances() {
		faults = append(faults, "enhanced is true, but nobody asked for it")
	}
	if has && !enhanced && j.enhances() && s.Enhances {
		faults = append(faults, "enhanced is false, but it was asked for")
	}
	if _, has := x.JSON["edits"]; has && !enhanced {
		faults = append(faults, "there are edits, but enhanced is not true")
	}
	text, _ := x.JSON["text"].(string)
	for i, e := range x.edits() {
		switch pages := int64(strings.Count(text, "\f") + 1); {
		case e.Page > pages:
			faults = append(faults, fmt.Sprintf("edit %d is on page %d of %d", i+1, e.Page, pages))
		case e.Before == e.After:
			faults = append(faults, fmt.Sprintf("edit %d changes nothing: %q", i+1, e.Before))
		case !strings.Contains(words(text), words(e.After)):
			faults = append(faults, fmt.Sprintf("edit %d says %q, which does not stand in the text", i+1, e.After))
		}
	}
	return faults
}

// words is the text with single blanks between its words.
func words(text string) string { return strings.Join(strings.Fields(text), " ") }

// checkChanges wants the edits of an enhanced reading to be exactly what sets it apart from the plain reading of the same
// image, in reading order and on their pages.
func (s *session) checkChanges(x *Exchange, j *job, r reading) []string {
	if enhanced, _ := x.JSON["enhanced"].(bool); !enhanced {
		return nil
	}
	edits := x.edits()
	if !slices.IsSortedFunc(edits, func(a, b edit) int { return int(a.Page - b.Page) }) {
		return []string{"the edits are not in reading order: their pages are mixed"}
	}
	if r.document != nil {
		if fault := placed(edits, r.document); fault != "" {
			return []string{fault}
		}
	}
	s.mu.Lock()
	plain, known := s.readings[readingID(j.image, r.language)]
	s.mu.Unlock()
	if !known {
		return nil
	}
	if fault := compareEdits(edits, plain, r); fault != "" {
		return []string{fault}
	}
	return nil
}

// placed wants the boxes of edits on their pages and in the order of the words that they change.
func placed(edits []edit, doc *written.Document) string {
	last, page := -1, int64(0)
	for i, e := range edits {
		if e.Page < 1 || e.Page > int64(len(doc.Pages)) {
			return "" // said already
		}
		p := doc.Pages[e.Page-1]
		if b := e.box(); b.Right > p.Box.Right || b.Bottom > p.Box.Bottom {
			return fmt.Sprintf("the box of edit %d reaches beyond its page", i+1)
		}
		if e.Page != page {
			last, page = -1, e.Page
		}
		at := slices.IndexFunc((&written.Document{Pages: []*written.Element{p}}).Words(), func(w *written.Element) bool { return w.Box == e.box() })
		if at < 0 {
			continue // an edit of more than one word
		}
		if at < last {
			return fmt.Sprintf("the edits are not in reading order: edit %d comes before the one in front of it", i+1)
		}
		last = at
	}
	return ""
}

// line is the words of a reading in their order, with their boxes where a document told them.
type line struct {
	words []string
	boxes []written.Box // nil where unknown
}

// pages are the words of a reading page by page.
func (r reading) pages() []line {
	if r.document == nil {
		var all []line
		for page := range strings.SplitSeq(r.text, "\f") {
			all = append(all, line{words: strings.Fields(page)})
		}
		return all
	}
	all := make([]line, len(r.document.Pages))
	for i, p := range r.document.Pages {
		for _, w := range (&written.Document{Pages: []*written.Element{p}}).Words() {
			all[i].words, all[i].boxes = append(all[i].words, w.Text), append(all[i].boxes, w.Box)
		}
	}
	return all
}

// compareEdits wants the edits, applied in their order to the words of the plain reading, to make those of the enhanced
// one: nothing else was changed, and nothing is told that was not.
func compareEdits(edits []edit, plain, enhanced reading) string {
	before, after := plain.pages(), enhanced.pages()
	if len(before) != len(after) {
		return fmt.Sprintf("the plain reading has %d pages, the enhanced one %d", len(before), len(after))
	}
	for i := range before {
		var here []edit
		for _, e := range edits {
			if e.Page == int64(i+1) {
				here = append(here, e)
			}
		}
		if at := apply(here, before[i], after[i].words); at != "" {
			return fmt.Sprintf("the edits do not make the enhanced page %d of the plain one: %s", i+1, at)
		}
	}
	return ""
}

// apply goes through a page and takes, word by word, what both readings have, or the next edit. There may be several ways, so all
// are tried; it tells where the one that came farthest ended.
func apply(edits []edit, before line, after []string) string {
	type place struct{ word, edit, out int } // words read, edits used, words of the enhanced page made
	seen, open, farthest := map[place]bool{}, []place{{}}, place{}
	step := func(p place) {
		if !seen[p] {
			seen[p], open = true, append(open, p)
		}
	}
	for len(open) > 0 {
		p := open[len(open)-1]
		open = open[:len(open)-1]
		if p.word == len(before.words) && p.edit == len(edits) && p.out == len(after) {
			return ""
		}
		if p.word+p.edit > farthest.word+farthest.edit {
			farthest = p
		}
		if p.edit < len(edits) {
			if n, m := edits[p.edit].replaces(before, p.word, after[p.out:]); n+m > 0 {
				step(place{p.word + n, p.edit + 1, p.out + m})
			}
		}
		if p.word < len(before.words) && p.out < len(after) && before.words[p.word] == after[p.out] {
			step(place{p.word + 1, p.edit, p.out + 1})
		}
	}
	told := "no further edit"
	if farthest.edit < len(edits) {
		told = fmt.Sprintf("the edit of %q into %q", edits[farthest.edit].Before, edits[farthest.edit].After)
	}
	return fmt.Sprintf("%q became %q at word %d, where %s is due", next(before.words, farthest.word), next(after, farthest.out), farthest.word+1, told)
}

func next(words []string, i int) string {
	if i < len(words) {
		return words[i]
	}
	return ""
}

// replaces says how many words of the plain page from one on the edit takes away, and how many it makes of the enhanced
// page's; nothing where it is not about these.
func (e edit) replaces(before line, at int, after []string) (taken, made int) {
	from, to := strings.Fields(e.Before), strings.Fields(e.After)
	if at+len(from) > len(before.words) || len(to) > len(after) || !slices.Equal(before.words[at:at+len(from)], from) || !slices.Equal(after[:len(to)], to) {
		return 0, 0
	}
	if before.boxes != nil && slices.ContainsFunc(before.boxes[at:at+len(from)], func(b written.Box) bool { return !e.box().Around(b) }) {
		return 0, 0
	}
	return len(from), len(to)
}
