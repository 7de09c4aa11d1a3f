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

// checkChanges wants the edits of an enhanced reading to be what sets it apart from the plain reading of the same image,
// in reading order and on their pages.
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
	if plain.text != r.text && len(edits) == 0 {
		return []string{"the enhancement changed the text, but there are no edits that say where"}
	}
	if r.document == nil || plain.document == nil {
		return nil
	}
	return compareEdits(edits, plain.document.Words(), r.document.Words())
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

// compareEdits goes through two readings of the same words and wants an edit for each that differs, and none beside.
// Where the enhancement split or joined words the two cannot be laid side by side.
func compareEdits(edits []edit, before, after []*written.Element) []string {
	if len(before) != len(after) {
		return nil
	}
	open := slices.Clone(edits)
	for i := range before {
		if before[i].Box != after[i].Box {
			return nil
		}
		if before[i].Text == after[i].Text {
			continue
		}
		at := slices.IndexFunc(open, func(e edit) bool {
			return e.box() == after[i].Box && e.Before == before[i].Text && e.After == after[i].Text
		})
		if at < 0 {
			return []string{fmt.Sprintf("the enhancement turned %q into %q, but no edit says so", before[i].Text, after[i].Text)}
		}
		open = slices.Delete(open, at, at+1)
	}
	if len(open) > 0 {
		return []string{fmt.Sprintf("an edit says that %q became %q, but the plain reading shows no such change", open[0].Before, open[0].After)}
	}
	return nil
}
