package answer

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
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

// leaksOfDocument searches the document of a result for internals that neither its text nor the request contains. PDF is compressed.
func leaksOfDocument(a Answer) (faults []string) {
	var result struct{ Text, Document string }
	if json.Unmarshal(a.Body, &result) != nil {
		return nil
	}
	for _, s := range signsIn(result.Document) {
		if slices.Contains(inDocuments, s.what) && !strings.Contains(result.Text, s.text) && !bytes.Contains(a.Request, []byte(s.text)) {
			faults = append(faults, fmt.Sprintf("the document shows %s: %q", s.what, s.text))
		}
	}
	return faults
}
