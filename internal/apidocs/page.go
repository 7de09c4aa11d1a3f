// Package apidocs renders openapi.yaml as the API reference at /docs: one HTML page that loads nothing from elsewhere, with a
// style sheet and a script inside it. It knows neither HTTP nor the operations: internal/edge serves the page. Everything about
// operations and objects comes from the contract embedded in gen; what differs between servers is in Site; package tryit has
// the form "Try it".
//
// Start with Page, then page.html (the template); specification.go has the model that the template ranges over, site.go what
// the page says about its server, and json.go the examples.
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
	"sync/atomic"

	"go.yaml.in/yaml/v3"

	"uncial/gen"
	"uncial/internal/language"
	"uncial/internal/tryit"
)

var (
	//go:embed page.html
	pageHTML string
	//go:embed page.css
	pageCSS string
)

// SecurityPolicy is the Content-Security-Policy of the page: no script and no style but its own, which the browser
// recognizes by their SHA-256, and requests to the same server only. Pictures are those that a script has fetched with a key.
var SecurityPolicy = fmt.Sprintf("default-src 'none'; style-src 'sha256-%s'; script-src 'sha256-%s'; connect-src 'self'; img-src blob:; "+
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'", sha256Base64(style), sha256Base64(tryit.Script()))

var style = pageCSS + tryit.CSS()

// sha256Base64 is the hash of an inline style or script in a policy (Content Security Policy Level 3, section 2.3.1).
func sha256Base64(s string) string {
	sum := sha256.Sum256([]byte(s))
	return base64.StdEncoding.EncodeToString(sum[:])
}

// rendered is a page and the site that it belongs to.
type rendered struct {
	site Site
	html []byte
}

// latest is the page rendered last. A server has one site, so it renders the page once for each change of its languages.
var latest atomic.Pointer[rendered]

// Page returns the page of a site; callers must not change it. An error means that openapi.yaml has a construct that the
// page cannot show.
func Page(site Site) ([]byte, error) {
	if known := latest.Load(); known != nil && known.site.equal(site) {
		return known.html, nil
	}
	d, err := parse()
	if err != nil {
		return nil, err
	}
	html, err := render(view{d, site})
	if err == nil {
		latest.Store(&rendered{site, html})
	}
	return html, err
}

// parse reads openapi.yaml once. It reads YAML, not the parsed contract of gen, because only the text has the order in which
// its author explains things.
var parse = sync.OnceValues(func() (d specification, err error) {
	if err := yaml.Unmarshal(gen.Document, &d); err != nil {
		return d, fmt.Errorf("read openapi.yaml: %w", err)
	}
	return d, nil
})

type view struct {
	specification
	Site
}

// render executes the template. It returns an error if openapi.yaml has a construct that the page cannot show.
func render(v view) ([]byte, error) {
	page, err := template.New("page").Funcs(template.FuncMap{
		"css":   func() template.CSS { return template.CSS(style) },        //nolint:gosec // our own file, not input
		"js":    func() template.JS { return template.JS(tryit.Script()) }, //nolint:gosec // our own file, not input
		"prose": prose, "curl": v.curl, "json": indented, "limits": limits, "reason": http.StatusText, "number": strconv.Atoi,
		"try": v.tryForm, "base": v.basePath, "param": v.param, "response": v.response, "schema": v.schema, "name": refName,
	}).Parse(pageHTML)
	if err != nil {
		return nil, err
	}
	var html bytes.Buffer
	err = page.Execute(&html, v)
	return html.Bytes(), err
}

// tryForm returns the form "Try it". On the mock it is filled in so that it works at once.
func (v view) tryForm() (template.HTML, error) {
	form := tryit.Form{Action: v.TryPath, WithKey: true, Language: language.Default, Languages: v.Languages}
	if v.IsMock {
		form.Key, form.ImageURL = mockKey, "http://mock.invalid/printed"
	}
	return form.HTML()
}

// IsShown reports whether the page of this server shows an example: those of the mock mean nothing elsewhere.
func (v view) IsShown(example string) bool {
	return v.IsMock || !strings.HasPrefix(example, "mock-")
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
func (v view) curl(path string, body ...yaml.Node) (string, error) {
	var b strings.Builder
	fmt.Fprintf(&b, `curl -sS %s%s%s -H "Authorization: Bearer %s"`, v.URL, v.basePath(), path, v.Key())
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
