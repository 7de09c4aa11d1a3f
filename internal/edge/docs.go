package edge

import (
	"bytes"
	"crypto/sha256"
	_ "embed" // the page
	"encoding/base64"
	"encoding/json"
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
	//go:embed docs.html
	docsHTML string
	//go:embed docs.css
	docsCSS string
)

// docsPolicy lets the page be nothing but itself: no scripts, and no styles but its own.
var docsPolicy = fmt.Sprintf("default-src 'none'; style-src 'sha256-%s'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
	sha256Base64(docsCSS))

func sha256Base64(s string) string {
	sum := sha256.Sum256([]byte(s))
	return base64.StdEncoding.EncodeToString(sum[:])
}

// docs answers with the contract as a page for people.
func docs(x *exchange, r *http.Request) error {
	html, err := docsPage()
	if err != nil {
		return err
	}
	x.Header().Set("Content-Security-Policy", docsPolicy)
	x.Header().Set("Referrer-Policy", "no-referrer")
	return staticPage("text/html; charset=utf-8", html)(x, r)
}

// docsPage makes the page when someone first asks for it, so that it costs no start.
var docsPage = sync.OnceValues(func() ([]byte, error) {
	var d document
	if err := yaml.Unmarshal(gen.Document, &d); err != nil {
		return nil, fmt.Errorf("read the document: %w", err)
	}
	page, err := template.New("docs").Funcs(template.FuncMap{
		"css":   func() template.CSS { return template.CSS(docsCSS) }, //nolint:gosec // our own file, not input
		"base":  func() string { return basePath },
		"prose": prose, "curl": curl, "json": indented, "limits": limits, "reason": http.StatusText, "number": strconv.Atoi,
		"param": d.param, "response": d.response, "schema": d.schema, "name": refName,
	}).Parse(docsHTML)
	if err != nil {
		return nil, err
	}
	var html bytes.Buffer
	err = page.Execute(&html, d)
	return html.Bytes(), err
})

// span is a run of text in one style.
type span struct {
	Style string // "", "code" or "bold"
	Text  string
}

// prose is the paragraphs of a description: blank lines part them, and of Markdown it knows `code` and **bold**.
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

// curl is a command line that sends the request, with the body where there is one.
func curl(path string, body ...yaml.Node) (string, error) {
	var b strings.Builder
	fmt.Fprintf(&b, `curl -sS "$UNCIAL_URL%s%s" -H "Authorization: Bearer $UNCIAL_KEY"`, basePath, path)
	for _, value := range body {
		text, err := compact(&value)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, " \\\n  -H 'Content-Type: application/json' \\\n  -d '%s'", strings.ReplaceAll(text, "'", `'\''`))
	}
	return b.String(), nil
}

// indented is the YAML value as JSON, its members in the order of the document.
func indented(n yaml.Node) (string, error) {
	text, err := compact(&n)
	if err != nil {
		return "", err
	}
	var b bytes.Buffer
	err = json.Indent(&b, []byte(text), "", "  ")
	return b.String(), err
}

func compact(n *yaml.Node) (string, error) {
	var b bytes.Buffer
	err := writeNode(&b, n)
	return b.String(), err
}

func writeNode(b *bytes.Buffer, n *yaml.Node) error {
	switch n.Kind {
	case yaml.MappingNode:
		return writeAll(b, n.Content, "{:,}")
	case yaml.SequenceNode:
		return writeAll(b, n.Content, "[,,]")
	default:
		return writeScalar(b, n)
	}
}

// writeAll writes the nodes between marks[0] and marks[3], with marks[1] and marks[2] between them by turns.
func writeAll(b *bytes.Buffer, nodes []*yaml.Node, marks string) error {
	b.WriteByte(marks[0])
	for i, n := range nodes {
		if i > 0 {
			b.WriteByte(marks[2-i%2])
		}
		if err := writeNode(b, n); err != nil {
			return err
		}
	}
	b.WriteByte(marks[3])
	return nil
}

func writeScalar(b *bytes.Buffer, n *yaml.Node) error {
	var v any
	if err := n.Decode(&v); err != nil {
		return err
	}
	enc := json.NewEncoder(b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return err
	}
	b.Truncate(b.Len() - 1)
	return nil
}
