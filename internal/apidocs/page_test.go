package apidocs_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"uncial/gen"
	"uncial/internal/apidocs"
	"uncial/internal/contract"
	"uncial/internal/language/name"
	"uncial/internal/tryit"
)

// service is a real service behind a public address.
func service() apidocs.Site {
	return apidocs.Site{
		URL: "https://ocr.example.org", Plans: contract.DefaultPlans(), Languages: tryit.Choices([]string{"en", "de-Latf"}, name.Of), KeysPath: "/dashboard/keys",
	}
}

func mockSite() apidocs.Site {
	return apidocs.Site{URL: "http://127.0.0.1:4010", URLIsGuessed: true, IsMock: true, Plans: contract.DefaultPlans()}
}

func mustPage(t *testing.T, site apidocs.Site) string {
	t.Helper()
	html, err := apidocs.Page(site)
	require.NoError(t, err)
	return string(html)
}

func TestPage(t *testing.T) {
	t.Parallel()
	html := mustPage(t, service())
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

func TestPage_IsSelfContained(t *testing.T) {
	t.Parallel()
	html := mustPage(t, service())
	assert.Contains(t, apidocs.SecurityPolicy, "default-src 'none'")
	assert.NotContains(t, apidocs.SecurityPolicy, "unsafe")
	for _, tag := range []string{"<script ", "<link", "<img", "<iframe", "@import", "url(", "style=", "onclick"} {
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
			assert.Contains(t, []string{"/openapi.yaml", "/openapi.json", "/dashboard/keys"}, href[1])
		}
	}
}

func TestPage_Site(t *testing.T) {
	t.Parallel()
	t.Run("shows the address of the service and a key from the environment", func(t *testing.T) {
		t.Parallel()
		html := mustPage(t, service())
		assert.Contains(t, html, `curl -sS https://ocr.example.org/api/v1/status -H &#34;Authorization: Bearer $UNCIAL_KEY&#34;`)
		assert.NotContains(t, html, "data-guessed")
		assert.NotContains(t, html, "mock.invalid")
		assert.NotContains(t, html, "ocr_test_low")
		assert.Contains(t, html, `<a href="/dashboard/keys">Keys</a>`)
	})
	t.Run("shows keys and images of the mock on the mock", func(t *testing.T) {
		t.Parallel()
		html := mustPage(t, mockSite())
		assert.Contains(t, html, `curl -sS http://127.0.0.1:4010/api/v1/status -H &#34;Authorization: Bearer ocr_test_ok&#34;`)
		assert.Contains(t, html, `data-guessed="http://127.0.0.1:4010"`)
		assert.Contains(t, html, "http://mock.invalid/multi-page")
		assert.Contains(t, html, "<code>ocr_test_low</code>")
	})
	t.Run("names languages and plans", func(t *testing.T) {
		t.Parallel()
		html := mustPage(t, service())
		assert.Contains(t, html, "<dt>German (Fraktur)</dt><dd><code>de-Latf</code></dd>")
		assert.Contains(t, html, `<code>archive</code></th><td>1000000</td><td>600</td>`)
	})
	t.Run("says what to do about every error code of the contract", func(t *testing.T) {
		t.Parallel()
		doc, err := gen.GetSpec()
		require.NoError(t, err)
		html, codes := mustPage(t, service()), 0
		for _, schema := range doc.Components.Schemas {
			if code := schema.Value.Properties["code"]; code != nil {
				assert.Contains(t, html, `id="error-`+code.Value.Enum[0].(string)+`"`)
				codes++
			}
		}
		assert.Len(t, apidocs.Site{}.Remedies(), codes)
	})
	t.Run("escapes the address", func(t *testing.T) {
		t.Parallel()
		site := service()
		site.URL = `https://x"><b>`
		assert.NotContains(t, mustPage(t, site), `"><b>`)
	})
}
