package mock

import (
	"cmp"
	"sync"

	"uncial/internal/document"
)

// reading is what the mock reads from an image. It is shared by requests and never changed.
type reading struct {
	doc  *document.Document
	text string
}

// readings are those made so far: there are few texts, and few ways to read each.
var readings sync.Map // of readingID to *reading

type readingID struct {
	first    *Fixture
	language string
	pageKind
	enhance bool
}

// read reads the pages of the choice.
func (c choice) read(enhance bool) *reading {
	id := readingID{language: c.language, pageKind: c.pageKind, enhance: enhance}
	var picked []*Fixture
	if !c.blank {
		picked = c.pick()
		id.first = picked[0]
	}
	if known, ok := readings.Load(id); ok {
		return known.(*reading)
	}
	doc := &document.Document{Language: c.language, Enhanced: enhance}
	for i, f := range picked {
		page, edits := f.layOut(enhance, cmp.Or(c.sureness, 1))
		doc.Pages = append(doc.Pages, page)
		for _, e := range edits {
			e.Page = i
			doc.Edits = append(doc.Edits, e)
		}
	}
	if c.blank {
		doc.Pages = []document.Page{blankSheet()}
	}
	doc.Confidence = meanConfidence(doc.Pages)
	made, _ := readings.LoadOrStore(id, &reading{doc, doc.Text()})
	return made.(*reading)
}
