package request_test

import (
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"uncial/gen"
)

// contractPatterns finds every pattern of the contract, wherever it stands.
var contractPatterns = regexp.MustCompile(`(?m)^ *pattern: '(.*)'$`)

// TestContract_patternsCompile shows that no pattern of the contract fails when the first request needs it: Go's expressions
// (RE2) lack some of ECMAScript's and allow at most 1,000 repetitions, and the validator compiles patterns late.
func TestContract_patternsCompile(t *testing.T) {
	t.Parallel()
	found := contractPatterns.FindAllSubmatch(gen.Document, -1)
	require.Greater(t, len(found), 8)
	for _, m := range found {
		_, err := regexp.Compile(string(m[1]))
		assert.NoError(t, err, "%s", m[1])
	}
}
