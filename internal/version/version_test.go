package version_test

import (
	"os"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestVersion_OneEverywhere compares the version of the contract with those of the chart and of the changelog. `make release`
// sets that of the programs.
func TestVersion_OneEverywhere(t *testing.T) {
	t.Parallel()
	find := func(file, pattern string) string {
		text, err := os.ReadFile("../../" + file)
		require.NoError(t, err)
		match := regexp.MustCompile(pattern).FindSubmatch(text)
		require.NotNil(t, match, "%s has no version", file)
		return string(match[1])
	}
	contract := find("openapi.yaml", `(?m)^  version: (\S+)$`)
	require.Equal(t, contract, find("impl/deploy/chart/Chart.yaml", `(?m)^version: (\S+)$`))
	require.Equal(t, contract, find("impl/deploy/chart/Chart.yaml", `(?m)^appVersion: "(\S+)"$`))
	require.Equal(t, contract, find("CHANGELOG.md", `(?m)^## \[(\S+)\]`), "the first heading of the changelog")
}
