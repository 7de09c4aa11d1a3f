package mock

import (
	"cmp"
	"sync"

	"uncial/internal/document"
)

// readings are the documents made so far, shared by all requests and never changed. There are few texts and few ways to
// read each, so that nothing needs to be dropped.
var readings sync.Map // of readingID to *document.Document

// readingID has everything that a document depends on. The texts after the first one follow from it.
type readingID struct {
	first    *Fixture
	language string
	pageKind
	enhance bool
}

// read returns the document of the chosen pages: as recognized or, with enhance, as corrected.
func (c choice) read(enhance bool) *document.Document {
	id := readingID{language: c.language, pageKind: c.pageKind, enhance: enhance}
	var picked []*Fixture
	if !c.blank {
		picked = c.pick()
		id.first = picked[0]
	}
	if known, ok := readings.Load(id); ok {
		return known.(*document.Document)
	}
	doc := &document.Document{Language: c.language, Enhanced: enhance}
	for i, f := range picked {
		page, edits := f.layOut(enhance, cmp.Or(c.confidenceFactor, 1))
		doc.Pages = append(doc.Pages, page)
		for _, e := range edits {
			e.Page = i
			doc.Edits = append(doc.Edits, e)
		}
	}
	if c.blank {
		doc.Pages = []document.Page{blankSheet()}
	}
	var blocks []document.Block
	for _, p := range doc.Pages {
		blocks = append(blocks, p.Blocks...)
	}
	doc.Confidence = round(document.MeanConfidence(blocks))
	made, _ := readings.LoadOrStore(id, doc)
	return made.(*document.Document)
}
