package compat_test

import (
	"os"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"uncial/contracttests/internal/compat"
	"uncial/gen"
	"uncial/gen/released"
)

func mustLoad(tb testing.TB, text string) *openapi3.T {
	tb.Helper()
	doc, err := openapi3.NewLoader().LoadFromData([]byte(text))
	require.NoError(tb, err)
	return doc
}

func TestLost_theContractOnlyGrows(t *testing.T) {
	t.Parallel()
	current, err := os.ReadFile("../../../openapi.yaml")
	require.NoError(t, err)
	require.Equal(t, string(current), string(gen.Document), "run make generate")
	lost, err := compat.Lost(mustLoad(t, string(released.Document)), mustLoad(t, string(current)))
	require.NoError(t, err)
	assert.Empty(t, lost)
}

func TestLost_acceptsAdditions(t *testing.T) {
	t.Parallel()
	for name, edit := range map[string][2]string{
		"a field of an answer":          {"        processingTime:\n", "        reader:\n          type: string\n        processingTime:\n"},
		"a required field of one":       {"required: [page, box, before,", "required: [rule, page, box, before,"},
		"a field of a request":          {"        enhance:\n", "        hints:\n          type: string\n        enhance:\n"},
		"a value that clients may send": {"tsv]", "tsv, pdf]"},
		"a path":                        {"  /status:\n", "  /languages:\n    get:\n      responses:\n        '200':\n          description: The languages.\n  /status:\n"},
		"another sentence":              {"description: Always true.", "description: Always."},
		"a header of an answer":         {"        Link:\n", "        X-Cost:\n          schema:\n            type: integer\n        Link:\n"},
		"an optional parameter":         {"      requestBody:\n", "        - name: X-Hint\n          in: header\n          schema:\n            type: string\n      requestBody:\n"},
	} {
		lost, err := compat.Lost(mustLoad(t, string(released.Document)), mustLoad(t, replaced(t, edit)))
		require.NoError(t, err, name)
		assert.Empty(t, lost, name)
	}
}

func TestLost_findsBreakingChanges(t *testing.T) {
	t.Parallel()
	for name, edit := range map[string][2]string{
		"a field of an answer is gone":   {"        processingTime:\n          type: integer\n          format: int64\n          minimum: 0\n          description: Processing time in milliseconds.\n", ""},
		"a field has another type":       {"        text:\n          type: string\n", "        text:\n          type: integer\n"},
		"a field is no longer required":  {"required: [success, text, confidence, pointsUsed]", "required: [success, text, pointsUsed]"},
		"a request needs another field":  {"required: [imageUrl]", "required: [imageUrl, language]"},
		"a request is no longer closed":  {"      description: An image and how to read it.\n      additionalProperties: false\n", ""},
		"a value is refused":             {"enum: [json, text, hocr,", "enum: [json, hocr,"},
		"an answer has another constant": {"enum: [10]", "enum: [10, 20]"},
		"a code is new":                  {"enum: [SERVER_ERROR]", "enum: [SERVER_ERROR, BUSY]"},
		"a length is limited":            {"          description: The text as recognized.\n", "          maxLength: 9\n"},
		"a limit is lower":               {"maxLength: 8192", "maxLength: 2048"},
		"a default has changed":          {"          default: false\n", "          default: true\n"},
		"an object of an answer closes":  {"    Details:\n      type: object\n", "    Details:\n      type: object\n      maxProperties: 1\n"},
		"a status is gone":               {"        '402':\n          $ref: '#/components/responses/InsufficientPoints'\n", ""},
		"a status is new":                {"        '402':\n", "        '503':\n          $ref: '#/components/responses/ServerError'\n        '402':\n"},
		"a header is gone":               {"        WWW-Authenticate:\n          $ref: '#/components/headers/WWWAuthenticate'\n", ""},
		"a header is no longer promised": {"      description: The expected authentication scheme (RFC 9110, section 11.6.1).\n      required: true\n", ""},
		"a parameter is required":        {"      in: header\n      required: false\n", "      in: header\n      required: true\n"},
		"a new parameter is required":    {"      requestBody:\n", "        - name: X-Hint\n          in: header\n          required: true\n          schema:\n            type: string\n      requestBody:\n"},
		"an operation is gone":           {"  /status:\n    get:\n", "  /status:\n    put:\n"},
		"the address has changed":        {"url: /api/v1", "url: /api/v2"},
		"another authentication":         {"scheme: bearer\n", "scheme: basic\n"},
	} {
		lost, err := compat.Lost(mustLoad(t, string(released.Document)), mustLoad(t, replaced(t, edit)))
		require.NoError(t, err, name)
		assert.NotEmpty(t, lost, name)
	}
}

// replaced is the old contract with the first occurrence of a text replaced.
func replaced(tb testing.TB, edit [2]string) string {
	tb.Helper()
	require.True(tb, strings.Contains(string(released.Document), edit[0]), "the old contract lacks %q", edit[0]) //nolint:testifylint // Contains would print the whole contract
	return strings.Replace(string(released.Document), edit[0], edit[1], 1)
}
