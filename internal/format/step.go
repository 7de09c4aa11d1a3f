package format

import (
	"fmt"
	"slices"
	"strings"

	"uncial/internal/document"
)

// step is something that was done to make the document. ALTO writes it as Processing, PAGE-XML as MetadataItem.
type step struct {
	id          string // unique in the document; what lines refer to
	category    string // a processingCategory of ALTO
	description string
	settings    []setting // in a fixed order
}

// setting is an option of a step.
type setting struct{ name, value string }

// steps returns what was done, in order: recognition with each model, then the enhancement. Lines refer to the first.
func steps(doc *document.Document) []step {
	all := []step{}
	for i, m := range doc.Models {
		all = append(all, step{
			id: modelStep(i), category: "contentGeneration", description: "text recognition",
			settings: []setting{{"model", m.Name}, {"digest", m.Digest}, {"language", doc.Language}},
		})
	}
	if doc.Enhanced {
		var rules []string
		for _, e := range doc.Edits {
			rules = append(rules, e.Rule)
		}
		slices.Sort(rules)
		all = append(all, step{
			id: "enhancement", category: "contentModification", description: "correction of the recognized text",
			settings: []setting{{"corrections", fmt.Sprint(len(doc.Edits))}, {"rules", strings.Join(slices.Compact(rules), " ")}},
		})
	}
	return all
}

// modelStep is the id of the step of a model, from 0.
func modelStep(i int) string { return fmt.Sprintf("model%d", i+1) }

// lineSteps returns the ids of the steps that read the words of a line, "" if none of them is known. A word can be read by
// several models, whose names are joined by "+".
func lineSteps(doc *document.Document, line *document.Line) string {
	var ids []string
	for i, m := range doc.Models {
		if slices.ContainsFunc(line.Words, func(w document.Word) bool { return slices.Contains(strings.Split(w.Model, "+"), m.Name) }) {
			ids = append(ids, modelStep(i))
		}
	}
	return strings.Join(ids, " ")
}
