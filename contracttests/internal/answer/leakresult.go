package answer

import (
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

// inDocuments are the signs of internals.what that documents are searched for. Their markup looks like the others.
var inDocuments = []string{"a stack trace", "a file path", "the name of a host inside"}

// leaksOfDocument searches the document of a result for internals that neither its text nor the request contains. PDF is compressed.
func leaksOfDocument(a Answer) (faults []string) {
	var result struct{ Text, Document string }
	if json.Unmarshal(a.Body, &result) != nil || result.Document == "" {
		return nil
	}
	for _, i := range internals {
		if !slices.Contains(inDocuments, i.what) {
			continue
		}
		if m := i.in(result.Document, []byte(result.Text), a.Request); m != "" {
			faults = append(faults, fmt.Sprintf("the document shows %s: %q", i.what, m))
		}
	}
	return faults
}
