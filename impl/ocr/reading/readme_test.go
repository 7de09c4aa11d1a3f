package reading_test

import (
	"os"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/impl/ocr/reading"
)

// TestSteps_InOrderOfManual compares the table of steps in README.md with the steps that can be left out: operators and
// maintainers read it as the order in which steps run.
func TestSteps_InOrderOfManual(t *testing.T) {
	t.Parallel()
	manual, err := os.ReadFile("README.md")
	require.NoError(t, err)
	var named []string
	for _, row := range regexp.MustCompile("(?m)^\\| `([a-z-]+)` \\| [^|]+ \\| [^|]+ \\|$").FindAllStringSubmatch(string(manual), -1) {
		if row[1] != "language" { // required, so not among Steps
			named = append(named, row[1])
		}
	}
	require.Equal(t, reading.Steps(), named)
}
