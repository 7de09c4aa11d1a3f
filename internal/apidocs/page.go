// Package apidocs renders openapi.yaml as the API reference at /docs: one HTML page that loads nothing from elsewhere,
// runs no script and has one style sheet of its own. It knows neither HTTP nor the operations: internal/edge serves the
// page, and everything on it comes from the specification document embedded in gen.
//
// Start with HTML, then page.html (the template); document.go has the model that the template ranges over, and json.go
// the examples.
package apidocs

import (
	"bytes"
	"crypto/sha256"
	_ "embed" // page.html and page.css
	"encoding/base64"
	"fmt"
	"html/template"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"

	"uncial/gen"
)

var (
	//go:embed page.html
	pageHTML string
	//go:embed page.css
	pageCSS string
)

// SecurityPolicy is the Content-Security-Policy of the page: no scripts, no requests, and no styles but its own, which the
// browser recognizes by their SHA-256.
var SecurityPolicy = fmt.Sprintf("default-src 'none'; style-src 'sha256-%s'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
	sha256Base64(pageCSS))

// sha256Base64 is the hash of an inline style in a policy (Content Security Policy Level 3, section 2.3.1).
func sha256Base64(s string) string {
	sum := sha256.Sum256([]byte(s))
	return base64.StdEncoding.EncodeToString(sum[:])
}

// HTML returns the page. The first call renders it, so that a server starts without that cost; callers must not change
// the result. An error means that openapi.yaml has a construct that the page cannot show.
var HTML = sync.OnceValues(func() ([]byte, error) { return render(gen.Document) })

// render makes the page from the text of an openapi.yaml. It reads YAML, not the parsed document of gen, because only the
// text has the order in which its author explains things.
func render(openapi []byte) ([]byte, error) {
	var d document
	if err := yaml.Unmarshal(openapi, &d); err != nil {
		return nil, fmt.Errorf("read openapi.yaml: %w", err)
	}
	page, err := template.New("page").Funcs(template.FuncMap{
		"css":   func() template.CSS { return template.CSS(pageCSS) }, //nolint:gosec // our own file, not input
		"prose": prose, "curl": d.curl, "json": indented, "limits": limits, "reason": http.StatusText, "number": strconv.Atoi,
		"base": d.basePath, "param": d.param, "response": d.response, "schema": d.schema, "name": refName,
	}).Parse(pageHTML)
	if err != nil {
		return nil, err
	}
	var html bytes.Buffer
	err = page.Execute(&html, d)
	return html.Bytes(), err
}

// span is a run of text in one style.
type span struct {
	Style string // "", "code" or "bold"
	Text  string
}

// prose splits a description into paragraphs at blank lines. Of Markdown it knows `code` and **bold**, which is all that
// openapi.yaml uses.
func prose(text string) (paragraphs [][]span) {
	for paragraph := range strings.SplitSeq(strings.TrimSpace(text), "\n\n") {
		var spans []span
		for i, part := range strings.Split(paragraph, "`") {
			if i%2 == 1 {
				spans = append(spans, span{"code", part})
				continue
			}
			for j, run := range strings.Split(part, "**") {
				if run != "" {
					spans = append(spans, span{[]string{"", "bold"}[j%2], run})
				}
			}
		}
		paragraphs = append(paragraphs, spans)
	}
	return paragraphs
}

// curl returns a command line that sends the request. body is the example to send, at most one.
func (d document) curl(path string, body ...yaml.Node) (string, error) {
	var b strings.Builder
	fmt.Fprintf(&b, `curl -sS "$UNCIAL_URL%s%s" -H "Authorization: Bearer $UNCIAL_KEY"`, d.basePath(), path)
	for _, value := range body {
		text, err := compact(&value)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, " \\\n  -H 'Content-Type: application/json' \\\n  -d '%s'", strings.ReplaceAll(text, "'", `'\''`))
	}
	return b.String(), nil
}

// limits describes in a few words which values the schema allows, "" if it allows all of its type.
func limits(s schema) string {
	var words []string
	switch {
	case len(s.Enum) == 1 && s.Type == "integer":
		words = append(words, "always "+s.Enum[0])
	case len(s.Enum) > 1:
		words = append(words, "one of "+strings.Join(s.Enum, ", "))
	case s.Minimum != "" && s.Maximum != "":
		words = append(words, s.Minimum+" to "+s.Maximum)
	case s.Minimum != "":
		words = append(words, "at least "+s.Minimum)
	}
	if s.Default != "" {
		words = append(words, "default "+s.Default)
	}
	return strings.Join(words, "; ")
}
