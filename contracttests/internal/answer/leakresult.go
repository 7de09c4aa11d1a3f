package answer

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"uncial/contracttests/internal/documents"
)

// ofThePage are the members of a result that quote the page, which may say anything.
var ofThePage = []string{"text", "document", "before", "after"}

// aboutResult is all names and strings of a result but those that quote the page, one a line.
func aboutResult(body []byte) string {
	var value any
	if json.Unmarshal(body, &value) != nil {
		return ""
	}
	var b strings.Builder
	writeStrings(&b, withoutPage(value))
	return b.String()
}

// withoutPage is a copy of a JSON value without what quotes the page.
func withoutPage(value any) any {
	switch v := value.(type) {
	case []any:
		all := make([]any, len(v))
		for i, e := range v {
			all[i] = withoutPage(e)
		}
		return all
	case map[string]any:
		object := map[string]any{}
		for name, member := range v {
			if !slices.Contains(ofThePage, name) {
				object[name] = withoutPage(member)
			}
		}
		return object
	}
	return value
}

// inDocuments are the signs of internals that documents are searched for. Their markup looks like the others.
var inDocuments = []string{"a stack trace", "a file path", "the name of a host inside"}

// aboutPDF is what the PDF of a result says of itself, "" if it has none: the rest is compressed.
func aboutPDF(body []byte) string {
	if !bytes.Contains(body, []byte(`"JVBER`)) { // %PDF in base64
		return ""
	}
	var result struct{ Document string }
	if json.Unmarshal(body, &result) != nil {
		return ""
	}
	return documents.AboutPDF(result.Document)
}

// leaksOfDocument searches the document of a result for internals that neither its text nor the request contains. Of a PDF it searches
// what it says of itself.
func leaksOfDocument(a Answer) (problems []string) {
	var result struct{ Text, Document string }
	if json.Unmarshal(a.Body, &result) != nil {
		return nil
	}
	for _, s := range append(signsIn(result.Document, true), signsIn(aboutPDF(a.Body), true)...) {
		if !strings.Contains(result.Text, s.text) && !bytes.Contains(a.Request, []byte(s.text)) {
			problems = append(problems, fmt.Sprintf("the document shows %s: %q", s.what, s.text))
		}
	}
	return problems
}
