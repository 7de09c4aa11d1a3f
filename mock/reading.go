package mock

import (
	"cmp"
	"slices"
	"sync"

	"uncial/gen"
	"uncial/internal/contract"
	"uncial/internal/document"
	"uncial/internal/format"
)

// reading is a document and the answer for the formats json and text, which do not contain it. Building that answer for
// every request would take a tenth of the mock's time.
type reading struct {
	doc    *document.Document
	result gen.ExtractionResult
}

// readings holds the readings made so far, shared by all requests and never changed. There are few texts and few ways to read
// each, so nothing needs to be dropped.
var readings sync.Map // of readingID to *reading

// readingID has everything that a document depends on. The texts after the first one follow from it.
type readingID struct {
	first    *Fixture
	language string
	pageKind
	enhance bool
}

// read returns the document of the chosen pages: as recognized or, with enhance, as corrected.
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
		page, edits := f.layOut(enhance, cmp.Or(c.confidenceFactor, 1))
		if c.weak {
			weaken(&page)
		}
		if c.faded {
			fade(&page)
		}
		if c.illustrated {
			illustrate(&page)
		}
		doc.Pages = append(doc.Pages, page)
		for _, e := range edits {
			e.Page = i
			doc.Edits = append(doc.Edits, e)
		}
	}
	for _, f := range picked {
		if m := (document.Model{Name: f.model(), Digest: fixtureDigest()}); len(f.blocks) > 0 && !slices.Contains(doc.Models, m) {
			doc.Models = append(doc.Models, m)
		}
	}
	if c.blank {
		doc.Pages = []document.Page{blankSheet()}
	}
	doc.MarkBroken(nil) // the mock has no word list
	var blocks []document.Block
	for _, p := range doc.Pages {
		blocks = append(blocks, p.Blocks...)
	}
	doc.Confidence = round(document.CorrectShare(blocks))
	result, _ := contract.NewResult(contract.Request{Format: gen.JSON}, doc, format.Meta{Version: mockVersion}) // fails only in writing a format
	made, _ := readings.LoadOrStore(id, &reading{doc, result})
	return made.(*reading)
}
