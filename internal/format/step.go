package format

import (
	"fmt"
	"slices"
	"strconv"
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

// steps returns what was done, in order: recognition with each model, then the enhancement, then proofreading by a language
// model. Lines refer to the first.
func steps(doc *document.Document) []step {
	all := []step{}
	for i, m := range doc.Models {
		all = append(all, step{
			id: modelStep(i), category: "contentGeneration", description: "text recognition",
			settings: []setting{{"model", m.Name}, {"digest", m.Digest}, {"language", doc.Language}},
		})
	}
	if doc.Enhanced {
		all = append(all, correction("enhancement", "correction of the recognized text", doc.Edits, func(rule string) bool { return rule != document.Proofread }))
	}
	if doc.Proofreader != "" {
		s := correction("proofreading", "correction by a language model", doc.Edits, func(rule string) bool { return rule == document.Proofread })
		s.settings = append([]setting{{"model", doc.Proofreader}}, s.settings...)
		all = append(all, s)
	}
	return all
}

// correction returns a step that made the edits of some rules.
func correction(id, description string, edits []document.Edit, isOwn func(rule string) bool) step {
	var rules []string
	for _, e := range edits {
		if isOwn(e.Rule) {
			rules = append(rules, e.Rule)
		}
	}
	corrections := strconv.Itoa(len(rules))
	slices.Sort(rules)
	return step{
		id: id, category: "contentModification", description: description,
		settings: []setting{{"corrections", corrections}, {"rules", strings.Join(slices.Compact(rules), " ")}},
	}
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
