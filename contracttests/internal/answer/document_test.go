package answer_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"uncial/contracttests/internal/answer"
	"uncial/gen"
)

func TestParseDocument(t *testing.T) {
	t.Parallel()
	doc, err := answer.ParseDocument(gen.Document)
	require.NoError(t, err)
	assert.NotNil(t, doc.Paths.Find("/status"))
	const head = "openapi: 3.0.3\ninfo: {title: x, version: 1.1.0}\ncomponents: {}\n"
	for name, text := range map[string]string{
		"nothing":                   "",
		"a page":                    "<!doctype html><p>no: contract</p>",
		"neither YAML nor JSON":     "{",
		"a list":                    "[]",
		"a number":                  "7",
		"a document without paths":  strings.TrimSuffix(head, "components: {}\n"),
		"a path that is null":       head + "paths: {/x: null}",
		"a path that is a number":   head + "paths: {/x: 7}",
		"an operation that is null": head + "paths: {/x: {get: null}}",
		"an answer that is null":    head + "paths: {/x: {get: {responses: {'200': null}}}}",
		"a header that is null":     head + "paths: {/x: {get: {responses: {'200': {description: x, headers: {A: null}}}}}}",
		"a reference to nowhere":    head + "paths: {/x: {get: {responses: {'200': {$ref: '#/components/responses/None'}}}}}",
		"a reference to a file":     head + "paths: {/x: {$ref: 'file:///etc/passwd'}}",
	} {
		t.Run("refuses "+name, func(t *testing.T) {
			t.Parallel()
			_, err := answer.ParseDocument([]byte(text))
			require.Error(t, err)
			assert.NotContains(t, err.Error(), "goroutine")
		})
	}
	for name, text := range map[string]string{
		"an operation without answers": head + "paths: {/x: {get: {}}}",
		"a reference to itself":        head + "paths: {/x: {$ref: '#/paths/~1x'}}",
		"paths that are empty":         head + "paths: {}",
		"an answer without a body":     head + "paths: {/x: {get: {responses: {'200': {description: x}}}}}",
		"an example that is null":      head + "paths: {/x: {get: {responses: {'200': {description: x, content: {application/json: {schema: {type: object, example: null}}}}}}}}",
		"a media type without schema":  head + "paths: {/x: {get: {responses: {'200': {description: x, content: {application/json: {}}}}}}}",
	} {
		t.Run("accepts "+name, func(t *testing.T) {
			t.Parallel()
			_, err := answer.ParseDocument([]byte(text))
			require.NoError(t, err)
		})
	}
}
