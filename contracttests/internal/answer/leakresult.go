package answer

import (
	"fmt"
	"strings"

	"uncial/contracttests/internal/documents"
)

// ofThePage are the members of a result that quote the page, which may say anything.
var ofThePage = []string{"text", "document", "before", "after"}

// inDocuments are the kinds of leaks that documents are searched for. Markup can look like the other kinds.
var inDocuments = []string{"a stack trace", "a file path", "an internal host name"}

// aboutPDF returns the metadata of the PDF of a result, "" if it has none. The rest of a PDF is compressed.
func aboutPDF(result map[string]any) string {
	document, _ := result["document"].(string)
	if !strings.HasPrefix(document, "JVBER") { // %PDF in base64
		return ""
	}
	return documents.AboutPDF(document)
}

// leaksOfDocument searches the document of a result for leaks that neither its text nor the request contains. Of a PDF it
// searches the metadata.
func leaksOfDocument(a Answer, result map[string]any, pdf string) (problems []string) {
	text, _ := result["text"].(string)
	shown := pdf
	if document, _ := result["document"].(string); pdf == "" {
		shown = document
	}
	for _, s := range leaksIn(shown, true) {
		if !strings.Contains(text, s.text) && !a.mayQuote(s.text) {
			problems = append(problems, fmt.Sprintf("the document shows %s: %q", s.what, s.text))
		}
	}
	return problems
}
