package apidocs_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"uncial/gen"
	"uncial/internal/apidocs"
)

func mustHTML(t *testing.T) string {
	t.Helper()
	html, err := apidocs.HTML()
	require.NoError(t, err)
	return string(html)
}

func TestHTML(t *testing.T) {
	t.Parallel()
	html := mustHTML(t)
	doc, err := gen.GetSpec()
	require.NoError(t, err)
	for name, schema := range doc.Components.Schemas {
		assert.Contains(t, html, `id="object-`+name+`"`)
		for property := range schema.Value.Properties {
			assert.Contains(t, html, "<code>"+property+"</code>")
		}
	}
	for path, item := range doc.Paths.Map() {
		for method, op := range item.Operations() {
			assert.Contains(t, html, `<section id="`+op.OperationID+`">`)
			assert.Contains(t, html, `<b class="`+strings.ToLower(method)+`">`)
			assert.Contains(t, html, `<code>/api/v1`+path+`</code>`)
			assert.Contains(t, html, op.Summary)
			for status := range op.Responses.Map() {
				assert.Contains(t, html, ">"+status+"</b>")
			}
		}
	}
	assert.Contains(t, html, `-d &#39;{&#34;imageUrl&#34;:&#34;https://images.example.org/page-001.tif&#34;,&#34;language&#34;:&#34;de-Latf&#34;,&#34;enhance&#34;:true,&#34;format&#34;:&#34;alto&#34;}&#39;`)
	assert.Contains(t, html, "&#34;success&#34;: true,\n  &#34;text&#34;:", "examples keep the order of openapi.yaml")
}

func TestHTML_IsSelfContained(t *testing.T) {
	t.Parallel()
	html := mustHTML(t)
	assert.Contains(t, apidocs.SecurityPolicy, "default-src 'none'")
	assert.NotContains(t, apidocs.SecurityPolicy, "unsafe")
	for _, tag := range []string{"<script", "<link", "<img", "<iframe", "@import", "url(", "style=", "onclick"} {
		assert.NotContains(t, html, tag)
	}
	ids := map[string]bool{}
	for _, id := range regexp.MustCompile(`id="([^"]+)"`).FindAllStringSubmatch(html, -1) {
		assert.False(t, ids[id[1]], "the id %s occurs twice", id[1])
		ids[id[1]] = true
	}
	for _, href := range regexp.MustCompile(`href="([^"]+)"`).FindAllStringSubmatch(html, -1) {
		if anchor, ok := strings.CutPrefix(href[1], "#"); ok {
			assert.True(t, ids[anchor], "%s leads nowhere", href[1])
		} else {
			assert.Contains(t, []string{"/openapi.yaml", "/openapi.json"}, href[1])
		}
	}
}
